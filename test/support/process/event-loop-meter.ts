/**
 * Measures how long this thread's event loop is blocked: CPU time of the thread between two turns.
 * Waiting for a core and other threads' work do not count, so load on the machine does not change
 * the result. Short consecutive turns may count as one.
 */
const MICROS_PER_MS = 1000;
const POLL_MS = 1;

const threadMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROS_PER_MS;
};

export interface EventLoopMeter {
  /** Longest turn since the previous call, in ms of CPU time. */
  longestMs(): number;
  stop(): void;
}

export function startEventLoopMeter(): EventLoopMeter {
  let before = threadMs();
  let longest = 0;
  let isRunning = true;
  const poll = () => {
    const now = threadMs();
    longest = Math.max(longest, now - before);
    before = now;
    if (isRunning) setTimeout(poll, POLL_MS);
  };
  setTimeout(poll, POLL_MS);
  return {
    longestMs() {
      const result = longest;
      longest = 0;
      return result;
    },
    stop() {
      isRunning = false;
    },
  };
}
