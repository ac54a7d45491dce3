/** Sends UDP datagrams that may be lost. */
import { sendPastErrors } from "../../../../src/sip/transport/udp.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Never throws: a datagram that the kernel rejects counts as lost. */
export function sendDatagram(
  socket: Bun.udp.Socket<"buffer">,
  data: string | Uint8Array,
  { host, port }: Address,
): void {
  try {
    sendPastErrors(() => socket.send(data, port, host));
  } catch {
    // Counts as lost.
  }
}
