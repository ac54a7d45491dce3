/**
 * Options of tests in which a synthetic caller is understood by the real recogniser over paced
 * audio. On a machine whose cores are busy elsewhere, audio stalls and words are lost; what is
 * tested is the guarantee, not the machine, so such a test has three more tries. Each is printed.
 */
export const spoken = (timeoutMs: number) => ({ timeout: timeoutMs, retry: 3 });
