/**
 * The two UDP sockets of a stream: RTP on an even port, RTCP on the next odd one (RFC 3550 11).
 * Both are bound or neither is. A pair that another program uses is set aside, and the next one is
 * tried. Send errors (such as ECONNREFUSED when the remote party is gone) are expected and ignored.
 */
import { AppError, describeError } from "../../../core/errors.ts";
import type { PortPool } from "./port-pool.ts";

const BIND_ATTEMPTS_MAX = 16;

type DatagramListener = (datagram: Uint8Array, host: string, port: number) => void;

export interface RtpSocketPair {
  readonly rtpPort: number;
  sendRtp(datagram: Uint8Array, host: string, port: number): void;
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
): Promise<RtpSocketPair> {
  let lastError: unknown = null;
  for (let attempt = 0; attempt < BIND_ATTEMPTS_MAX; attempt++) {
    const port = ports.acquire();
    if (port === null) break;
    try {
      return await bindPair(host, port, ports, onRtp, onRtcp);
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
): Promise<RtpSocketPair> {
  const rtp = await bind(host, port, onRtp);
  const rtcp = await bind(host, port + 1, onRtcp).catch((error) => {
    rtp.close();
    throw error;
  });
  let open = true;
  return {
    rtpPort: port,
    sendRtp(datagram, toHost, toPort) {
      if (open) sendQuietly(rtp, datagram, toHost, toPort);
    },
    sendRtcp(datagram, toHost, toPort) {
      if (open) sendQuietly(rtcp, datagram, toHost, toPort);
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

type UdpSocket = Bun.udp.Socket<"buffer">;

function bind(host: string, port: number, onDatagram: DatagramListener): Promise<UdpSocket> {
  return Bun.udpSocket({
    hostname: host,
    port,
    socket: {
      data: (_socket, datagram, fromPort, fromHost) => onDatagram(datagram, fromHost, fromPort),
      error: () => {},
    },
  });
}

/** A datagram that the kernel rejects counts as a lost packet. */
function sendQuietly(socket: UdpSocket, datagram: Uint8Array, host: string, port: number): void {
  try {
    socket.send(datagram, port, host);
  } catch {}
}
