/** A WebSocket of JSON messages. After a lost connection it reconnects every second or two. */
import { systemClock, type Timer } from "../../../core/clock.ts";

const WAIT_FIRST_MS = 1_000;
const WAIT_MAX_MS = 2_000;
/** Reconnect after this much silence. The server sends at least one message every 20 s. */
const SILENCE_MAX_MS = 45_000;
/** Close code when the session has ended. Reconnecting would fail. */
const SESSION_ENDED = 4401;

/** `ended`: the session has ended, and the socket does not reconnect. */
export type SocketState = "connecting" | "open" | "closed" | "ended";

interface SocketListener {
  onState(state: SocketState): void;
  onMessage(message: unknown): void;
}

export const socketUrl = (path: string): string =>
  `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;

/** The caller must `close` the socket. */
export function openSocket(path: string, listener: SocketListener): { close(): void } {
  let socket: WebSocket | null = null;
  let timer: Timer | null = null;
  let waitMs = WAIT_FIRST_MS;
  let closed = false;

  function watch(): void {
    timer?.cancel();
    timer = systemClock.after(SILENCE_MAX_MS, () => socket?.close());
  }

  function connect(): void {
    listener.onState("connecting");
    socket = new WebSocket(socketUrl(path));
    socket.onopen = () => {
      waitMs = WAIT_FIRST_MS;
      listener.onState("open");
      watch();
    };
    socket.onmessage = (event) => {
      watch();
      if (typeof event.data === "string") listener.onMessage(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      timer?.cancel();
      if (closed) return;
      const isOver = event.code === SESSION_ENDED;
      listener.onState(isOver ? "ended" : "closed");
      if (isOver) return;
      timer = systemClock.after(waitMs, connect);
      waitMs = Math.min(waitMs * 2, WAIT_MAX_MS);
    };
  }

  connect();
  return {
    close() {
      closed = true;
      timer?.cancel();
      socket?.close();
    },
  };
}
