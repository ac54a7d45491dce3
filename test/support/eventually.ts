/** Waits for a condition, with increasing pauses and a time limit. */
const PAUSE_MS_MAX = 120;

/** Waits until the condition holds. The limit is generous: no test asserts on time. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  what: string,
  limitMs = 15_000,
): Promise<void> {
  const startedAt = performance.now();
  let pauseMs = 5;
  while (!(await holds())) {
    if (performance.now() - startedAt > limitMs) throw new Error(`never happened: ${what}`);
    await Bun.sleep(pauseMs);
    // Longer pauses, because the API limits requests per minute.
    pauseMs = Math.min(pauseMs * 1.2, PAUSE_MS_MAX);
  }
}
