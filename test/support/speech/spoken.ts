/**
 * Options for tests in which the real recogniser understands a synthetic caller over paced audio.
 * On a busy machine, audio stalls and words are lost, so such a test has three retries. Each is
 * printed.
 */
export const spoken = (timeoutMs: number) => ({ timeout: timeoutMs, retry: 3 });
