/** Reduces JIT compilation during work that runs only once. */

/** Factor by which the JIT thresholds are raised. */
const RELUCTANCE = 20;

/**
 * Module loading and startup run nearly all code once. Compiling it would only occupy the second
 * core. Affects this thread only.
 */
export async function withoutJit<Result>(work: () => Promise<Result>): Promise<Result> {
  Bun.unsafe.setJITPolicy(RELUCTANCE);
  try {
    return await work();
  } finally {
    Bun.unsafe.setJITPolicy(1);
  }
}
