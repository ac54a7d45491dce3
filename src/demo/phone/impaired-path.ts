/**
 * A network that loses and delays RTP packets in both directions, between a phone and the other
 * party.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import type { MediaPlan } from "../../core/media-plan.ts";
import type { Random } from "../../core/random.ts";
import type { HostPort } from "../../platform/config/formats.ts";

export interface Impairment {
  readonly lossPercent: number;
  /** Maximum delay of a packet, in ms; the delay is random. */
  readonly jitterMs: number;
}

export interface ImpairedPath {
  /** Port to which the remote party sends. The phone announces it in its SDP. */
  readonly port: number;
  /** Changes a media plan to use this path. */
  readonly route: (plan: MediaPlan) => MediaPlan;
  close(): void;
}

const LATE_MAX = 1_000;

export async function openImpairedPath(
  { lossPercent, jitterMs }: Impairment,
  phone: HostPort,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<ImpairedPath> {
  const late = new Set<Timer>();
  let remote: HostPort | null = null;
  let isClosed = false;
  const socket = await Bun.udpSocket({
    hostname: phone.host,
    port: 0,
    socket: {
      data: (_, bytes, port) => {
        const target = port === phone.port ? remote : phone;
        if (!target || random.float() * 100 < lossPercent || late.size >= LATE_MAX) return;
        const copy = Buffer.from(bytes);
        const timer = clock.after(random.float() * jitterMs, () => {
          late.delete(timer);
          if (isClosed) return;
          try {
            socket.send(copy, target.port, target.host);
          } catch {
            // ICMP: the other end has hung up. A rejected packet counts as a loss.
          }
        });
        late.add(timer);
      },
      // The same error, reported separately from a send.
      error: () => {},
    },
  });
  return {
    port: socket.port,
    route: (plan) => {
      remote = plan.remote;
      return { ...plan, remote: { host: phone.host, port: socket.port } };
    },
    close() {
      isClosed = true;
      for (const timer of late) timer.cancel();
      socket.close();
    },
  };
}
