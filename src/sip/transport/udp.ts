/** SIP over UDP (RFC 3261 18): one socket for all trunks. One datagram is one message. */
import { isIPv6 } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { unmapped } from "../../platform/net/ip-address.ts";
import type { Address, Flow, OnBytes, Transport } from "./flow.ts";
import { Refusals } from "./refusals.ts";

export interface UdpTransport extends Transport {
  /** Sends something other than SIP, e.g. STUN. Never throws. */
  sendBytes(bytes: Uint8Array, remote: Address): void;
}

/** One retry for an error of an earlier datagram, and one for an error that arrived in between. */
const SENDS_MAX = 3;

/**
 * Linux reports the ICMP error of an earlier datagram when the next one is sent, to any
 * destination, and does not send that one (udp(7), IP_RECVERR). Without a retry, the closed port of
 * a dead server would lose the REGISTER of another tenant's trunk. Throws the last error.
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

/** Throws if the address cannot be bound. The caller must close it. */
export async function openUdpTransport(
  bind: Address,
  onBytes: OnBytes,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<UdpTransport> {
  const refusals = new Refusals(bind.host, { clock, log });
  const socket = await Bun.udpSocket({
    hostname: bind.host,
    port: bind.port,
    socket: {
      data: (_socket, bytes, port, host) => onBytes(bytes, flowTo({ host: unmapped(host), port })),
      // ICMP errors of earlier datagrams. The runtime passes only the error, but its types have a
      // socket first.
      error: (...given: readonly unknown[]) => {
        log.debug("sip.udp_error", { error: describeError(given.at(-1)) });
        refusals.suspect();
      },
    },
  });
  let open = true;
  const send = (message: string | Uint8Array, remote: Address): void => {
    if (!open) return;
    try {
      sendPastErrors(() => socket.send(message, remote.port, remote.host));
    } catch (error) {
      log.debug("sip.udp_send_failed", { error: describeError(error) });
      refusals.suspect(remote);
    }
  };
  const flowTo = (remote: Address): Flow => ({
    transport: "UDP",
    remote,
    reliable: false,
    send: (message) => send(message, remote),
    onRefused: (listener) => refusals.on(remote, listener),
  });
  return {
    name: "UDP",
    local: { host: bind.host, port: socket.port },
    flowTo,
    sendBytes: send,
    close: async () => {
      open = false;
      refusals.close();
      socket.close();
    },
  };
}

/**
 * The local address that this host would use towards `remote`: queries the routing table, sends
 * nothing.
 */
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
