/** Checks in parallel to a first request whether a TCP connection to a server succeeds in time. */
import { connect } from "node:net";
import type { Clock } from "../../core/clock.ts";

/**
 * False only if no connection was made within `timeoutMs`. The request itself reports a refused
 * connection. Behind a proxy, the result is unknown.
 */
export function canConnect(
  url: URL,
  timeoutMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  if (process.env.HTTP_PROXY || process.env.HTTPS_PROXY || process.env.http_proxy) {
    return Promise.resolve(true);
  }
  const secure = url.protocol === "https:" || url.protocol === "wss:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ""), port });
    const settle = (isConnected: boolean) => {
      timer.cancel();
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      resolve(isConnected);
    };
    const onAbort = () => settle(true);
    const timer = clock.after(timeoutMs, () => settle(false));
    signal.addEventListener("abort", onAbort, { once: true });
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(true));
  });
}
