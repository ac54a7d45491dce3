/** Sending over UDP, where losing is allowed. */
import { sendPastErrors } from "../../adapter/sip/transport/udp.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Sends and never throws: what the kernel does not take is lost, as on the way. */
export function sendDatagram(
  socket: Bun.udp.Socket<"buffer">,
  data: string | Uint8Array,
  { host, port }: Address,
): void {
  try {
    sendPastErrors(() => socket.send(data, port, host));
  } catch {
    // Lost.
  }
}
