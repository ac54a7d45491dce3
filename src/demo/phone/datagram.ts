/** Sending over UDP, where losing is allowed. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Sends and never throws: what an earlier datagram earned (ICMP: nobody listens there any more) is
 * thrown at the next one. It is loss like any other.
 */
export function sendDatagram(
  socket: Bun.udp.Socket<"buffer">,
  data: string | Uint8Array,
  { host, port }: Address,
): void {
  try {
    socket.send(data, port, host);
  } catch {
    // Lost.
  }
}
