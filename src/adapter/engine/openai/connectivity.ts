/** Whether a TCP connection to a server comes up in time: runs beside a first request. */
import { connect } from "node:net";
import type { Clock } from "../../../core/clock.ts";

/**
 * False only when no connection came up within `timeoutMs`: a refusal is the request's own to
 * report, and behind a proxy nothing is known.
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
