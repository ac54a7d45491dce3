/**
 * How long the event loop of this thread is held at once: processor time of the thread between two of its
 * turns. Time that the thread waits for a core, and other threads' work, are not in it, so that a busy
 * machine measures the same. Short turns in a row may count as one.
 */
const MICROS_PER_MS = 1000;
const POLL_MS = 1;

const threadMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROS_PER_MS;
};

export interface EventLoopMeter {
  /** The longest turn since this was last asked, ms of processor time; begins anew. */
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
