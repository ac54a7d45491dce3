/** SIP over UDP (RFC 3261 18): one socket for every trunk. A datagram is a message. */
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Address, Flow, OnBytes, Transport } from "./flow.ts";

/** Throws when the address cannot be bound. The caller closes it. */
export async function openUdpTransport(
  bind: Address,
  onBytes: OnBytes,
  log: Log,
): Promise<Transport> {
  const socket = await Bun.udpSocket({
    hostname: bind.host,
    port: bind.port,
    socket: {
      data: (_socket, bytes, port, host) => onBytes(bytes, flowTo({ host, port })),
      // ICMP errors of earlier datagrams; the retransmission timers deal with silence.
      error: (_socket, error) => log.debug("sip_udp_error", { error: describeError(error) }),
    },
  });
  let open = true;
  const flowTo = (remote: Address): Flow => ({
    transport: "UDP",
    remote,
    reliable: false,
    send: (message) => {
      if (!open) return;
      try {
        socket.send(message, remote.port, remote.host);
      } catch (error) {
        log.debug("sip_udp_send_failed", { error: describeError(error) });
      }
    },
  });
  return {
    name: "UDP",
    local: { host: bind.host, port: socket.port },
    flowTo,
    close: async () => {
      open = false;
      socket.close();
    },
  };
}

/** The address this host would use towards `remote`: asks the routing table, sends nothing. */
export async function localAddressToward(remote: Address): Promise<string> {
  const socket = await Bun.udpSocket({
    connect: { hostname: remote.host, port: remote.port },
    socket: { error: () => {} },
  });
  const host = socket.address.address;
  socket.close();
  return host;
}
