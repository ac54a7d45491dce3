/** Keeps the compiler of machine code from work that is done once. */

/** How many times more often than usual code has to run before it is compiled. */
const RELUCTANCE = 20;

/**
 * Loading modules and starting parts runs nearly all code once: compiled meanwhile, it takes the second core
 * from the start. Of this thread only.
 */
export async function interpreted<Result>(work: () => Promise<Result>): Promise<Result> {
  Bun.unsafe.setJITPolicy(RELUCTANCE);
  try {
    return await work();
  } finally {
    Bun.unsafe.setJITPolicy(1);
  }
}
