/** Timer values of RFC 3261 table 4, milliseconds. */
export const T1_MS = 500;
export const T2_MS = 4000;
export const T4_MS = 5000;
/** Timers B, F, H, J, L, M: how long a transaction waits for its peer. */
export const TRANSACTION_TIMEOUT_MS = 64 * T1_MS;
/** Timer D: at least 32 s on unreliable transports. */
export const TIMER_D_MS = 32_000;
/** Not from the RFC: an INVITE that rings longer than this is removed, whatever its user does. */
export const PROCEEDING_MAX_MS = 10 * 60_000;
