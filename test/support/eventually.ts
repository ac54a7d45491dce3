/** Waits for a condition, politely, with a limit. */
const PAUSE_MS_MAX = 120;

/** Waits until something holds, with a generous limit: no test asserts on time. */
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
    // What is asked over the API has a limit of requests a minute.
    pauseMs = Math.min(pauseMs * 1.2, PAUSE_MS_MAX);
  }
}
