/**
 * The two UDP sockets of a stream: RTP on an even port, RTCP on the next odd one (RFC 3550 11).
 * Both are bound or neither is. A pair that another program uses is set aside, and the next one is
 * tried. Send errors (such as ECONNREFUSED when the remote party is gone) are expected and ignored.
 */
import { AppError, describeError } from "../../core/errors.ts";
import { unmapped } from "../../platform/net/ip-address.ts";
import { type BatchUdpSocket, openBatchUdpSocket } from "./batch-udp-socket.ts";
import type { PortPool } from "./port-pool.ts";
import { type RtpSendThread, SEND_DELAY_MS } from "./rtp-send-thread.ts";

const BIND_ATTEMPTS_MAX = 16;

/** `atMs`: arrival time of the datagram; null: now. Its memory may be reused. */
type DatagramListener = (
  datagram: Uint8Array,
  host: string,
  port: number,
  atMs: number | null,
) => void;

export interface RtpSocketPair {
  readonly rtpPort: number;
  /** Reads pending RTP. Called every tick; some systems deliver it without polling. */
  receiveRtp(nowMs: number): void;
  /** Time from its slot to the departure of a packet. */
  readonly leadMs: number;
  /** Sends at once; with `slotMs` (in the clock's monotonic time) `leadMs` after that. */
  sendRtp(datagram: Uint8Array, host: string, port: number, slotMs?: number): void;
  sendRtcp(datagram: Uint8Array, host: string, port: number): void;
  /** Closes both and returns the pair to the pool. Idempotent. */
  close(): void;
}

/** Throws `unavailable` when no pair can be bound. The caller must `close` the result. */
export async function bindRtpSockets(
  host: string,
  ports: PortPool,
  onRtp: DatagramListener,
  onRtcp: DatagramListener,
  sendThread: RtpSendThread | null = null,
): Promise<RtpSocketPair> {
  let lastError: unknown = null;
  for (let attempt = 0; attempt < BIND_ATTEMPTS_MAX; attempt++) {
    const port = ports.acquire();
    if (port === null) break;
    try {
      return await bindPair(host, port, ports, onRtp, onRtcp, sendThread);
    } catch (error) {
      lastError = error;
      ports.release(port);
    }
  }
  throw new AppError({
    code: "unavailable",
    publicMessage: "No RTP port is free. Widen [rtp] ports or lower [limits] concurrent_calls.",
    internal: lastError ? `RTP bind on ${host}: ${describeError(lastError)}` : "RTP ports used up",
    retryable: true,
  });
}

async function bindPair(
  host: string,
  port: number,
  ports: PortPool,
  onRtp: DatagramListener,
  onRtcp: DatagramListener,
  sendThread: RtpSendThread | null,
): Promise<RtpSocketPair> {
  const polled = openBatchUdpSocket(host, port, sendThread);
  const rtp = polled ?? (await bind(host, port, onRtp));
  const rtcp = await bind(host, port + 1, onRtcp).catch((error) => {
    rtp.close();
    throw error;
  });
  let open = true;
  return {
    rtpPort: port,
    leadMs: polled && sendThread ? SEND_DELAY_MS : 0,
    receiveRtp(nowMs) {
      if (open) rtp.poll(nowMs, onRtp);
    },
    sendRtp(datagram, toHost, toPort, slotMs) {
      if (open) rtp.send(datagram, toHost, toPort, slotMs);
    },
    sendRtcp(datagram, toHost, toPort) {
      if (open) rtcp.send(datagram, toHost, toPort);
    },
    close() {
      if (!open) return;
      open = false;
      rtp.close();
      rtcp.close();
      ports.release(port);
    },
  };
}

/** A socket of the runtime, which delivers datagrams without polling. */
async function bind(
  host: string,
  port: number,
  onDatagram: DatagramListener,
): Promise<BatchUdpSocket> {
  const socket = await Bun.udpSocket({
    hostname: host,
    port,
    socket: {
      data: (_socket, datagram, fromPort, fromHost) =>
        onDatagram(datagram, unmapped(fromHost), fromPort, null),
      error: () => {},
    },
  });
  return {
    poll() {},
    /** A datagram that the kernel rejects counts as a lost packet. */
    send(datagram, toHost, toPort) {
      try {
        socket.send(datagram, toPort, toHost);
      } catch {}
    },
    close: () => socket.close(),
  };
}
