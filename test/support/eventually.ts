/** Waits until something holds, with a generous limit: no test asserts on time. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  what: string,
  limitMs = 15_000,
): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedAt > limitMs) throw new Error(`never happened: ${what}`);
    await Bun.sleep(5);
  }
}
