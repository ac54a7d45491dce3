/** SIP over UDP (RFC 3261 18): one socket for every trunk. A datagram is a message. */
import { isIPv6 } from "node:net";
import { describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import type { Address, Flow, OnBytes, Transport } from "./flow.ts";

export interface UdpTransport extends Transport {
  /** What is no SIP, e.g. STUN. Never throws. */
  sendBytes(bytes: Uint8Array, remote: Address): void;
}

/** `::ffff:192.0.2.1` is an IPv4 address on a socket for both families. */
const plain = (host: string): string => host.replace(/^::ffff:(?=\d+\.)/i, "");

/** One try for an error that is another datagram's, one for an error that came meanwhile. */
const SENDS_MAX = 3;

/**
 * Linux answers the next datagram, whoever it is for, with the ICMP error of an earlier one, and does
 * not send it (udp(7), IP_RECVERR): without another try a dead server's closed port would cost the
 * trunk of another tenant its REGISTER. Throws the last error.
 */
export function sendPastErrors(send: () => unknown): void {
  for (let sends = 1; ; sends++) {
    try {
      send();
      return;
    } catch (error) {
      if (sends === SENDS_MAX) throw error;
    }
  }
}

/** Throws when the address cannot be bound. The caller closes it. */
export async function openUdpTransport(
  bind: Address,
  onBytes: OnBytes,
  log: Log,
): Promise<UdpTransport> {
  const socket = await Bun.udpSocket({
    hostname: bind.host,
    port: bind.port,
    socket: {
      data: (_socket, bytes, port, host) => onBytes(bytes, flowTo({ host: plain(host), port })),
      // ICMP errors of earlier datagrams; the retransmission timers deal with silence.
      error: (_socket, error) => log.debug("sip.udp_error", { error: describeError(error) }),
    },
  });
  let open = true;
  const send = (message: string | Uint8Array, remote: Address): void => {
    if (!open) return;
    try {
      sendPastErrors(() => socket.send(message, remote.port, remote.host));
    } catch (error) {
      log.debug("sip.udp_send_failed", { error: describeError(error) });
    }
  };
  const flowTo = (remote: Address): Flow => ({
    transport: "UDP",
    remote,
    reliable: false,
    send: (message) => send(message, remote),
  });
  return {
    name: "UDP",
    local: { host: bind.host, port: socket.port },
    flowTo,
    sendBytes: send,
    close: async () => {
      open = false;
      socket.close();
    },
  };
}

/** The address this host would use towards `remote`: asks the routing table, sends nothing. */
export async function localAddressToward(remote: Address): Promise<string> {
  const socket = await Bun.udpSocket({
    hostname: isIPv6(remote.host) ? "::" : "0.0.0.0",
    connect: { hostname: remote.host, port: remote.port },
    socket: { error: () => {} },
  });
  const host = socket.address.address;
  socket.close();
  return host;
}
