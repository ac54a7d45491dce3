/** A network that loses and delays RTP packets, between a phone and whoever it talks to, in both directions. */
import type { Clock, Timer } from "../../core/clock.ts";
import type { MediaPlan } from "../../core/media-plan.ts";
import type { Random } from "../../core/random.ts";
import type { HostPort } from "../../platform/config/formats.ts";

export interface Impairment {
  readonly lossPercent: number;
  /** Each packet is late by up to this. */
  readonly jitterMs: number;
}

export interface ImpairedPath {
  /** Where the remote party sends to: the phone names this port in its SDP. */
  readonly port: number;
  /** The plan over this path. */
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
            // ICMP: the other end has hung up already. What the kernel rejects is one more loss.
          }
        });
        late.add(timer);
      },
      // The same, told apart from a send.
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
