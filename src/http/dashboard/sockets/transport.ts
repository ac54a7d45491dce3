/** Forwards WebSocket events of the server. Their handlers load with the dashboard's API. */

export type RawSocket = Pick<
  Bun.ServerWebSocket,
  "send" | "close" | "terminate" | "getBufferedAmount"
>;

/** Data attached to a WebSocket of the server. */
export interface SocketData {
  open(raw: RawSocket): void;
  message(raw: RawSocket, data: string | Uint8Array): void;
  close(): void;
}

/** For `Bun.serve`. */
export const SOCKET_EVENTS: Bun.WebSocketHandler<SocketData> = {
  idleTimeout: 60,
  maxPayloadLength: 64 * 1024,
  open: (socket) => socket.data.open(socket),
  message: (socket, data) => socket.data.message(socket, data),
  close: (socket) => socket.data.close(),
};
