/**
 * A UDP relay that loses, delays and duplicates packets, from a seed. It behaves like a NAT: one
 * upstream socket per client, so that `rport` and `received` lead back through it.
 */
import { seededRandom } from "../../../src/core/random.ts";

export interface LossyRelayOptions {
  readonly host: string;
  readonly upstream: { readonly host: string; readonly port: number };
  /** Loss probability in each direction, 0 to 1. */
  readonly loss: number;
  /** Mean delay; each delay is 50 to 150 % of it. */
  readonly delayMs?: number;
  readonly duplication?: number;
  readonly seed: number;
}

export interface LossyRelay {
  readonly host: string;
  readonly port: number;
  readonly counters: { passed: number; lost: number };
  close(): void;
}

type Socket = Bun.udp.Socket<"buffer">;

export async function startLossyRelay(options: LossyRelayOptions): Promise<LossyRelay> {
  const random = seededRandom(options.seed);
  const counters = { passed: 0, lost: 0 };
  const clients = new Map<string, Promise<Socket>>();
  const timers = new Set<Timer>();

  const later = (send: () => void) => {
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        try {
          send();
        } catch {
          // The other end has closed its port: the packet counts as lost.
        }
      },
      (options.delayMs ?? 0) * (0.5 + random.float()),
    );
    timers.add(timer);
  };
  const pass = (bytes: Buffer, send: (bytes: Buffer) => void) => {
    if (random.float() < options.loss) {
      counters.lost++;
      return;
    }
    counters.passed++;
    const copy = Buffer.from(bytes);
    later(() => send(copy));
    if (random.float() < (options.duplication ?? 0)) later(() => send(copy));
  };
  const openClient = (port: number, host: string) =>
    Bun.udpSocket({
      hostname: options.host,
      port: 0,
      socket: {
        data: (_socket, bytes) => pass(bytes, (copy) => void main.send(copy, port, host)),
        error: () => {},
      },
    });
  const main = await Bun.udpSocket({
    hostname: options.host,
    port: 0,
    socket: {
      data: async (_socket, bytes, port, host) => {
        const key = `${host}:${port}`;
        const client = clients.get(key) ?? openClient(port, host);
        clients.set(key, client);
        const copy = Buffer.from(bytes);
        const upstream = await client;
        pass(copy, (passed) => {
          upstream.send(passed, options.upstream.port, options.upstream.host);
        });
      },
      error: () => {},
    },
  });
  return {
    host: options.host,
    port: main.port,
    counters,
    close: () => {
      for (const timer of timers) clearTimeout(timer);
      main.close();
      for (const client of clients.values()) void client.then((socket) => socket.close());
    },
  };
}
