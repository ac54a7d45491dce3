/**
 * Pacing of a live appliance: all packets that it sends, by the kernel's time stamps on the
 * loopback interface (native/listener.c). Needs a C compiler and CAP_NET_RAW.
 */
import { linesOf } from "./lines.ts";
import { nativePrograms } from "./native.ts";

export interface PacketTimings {
  readonly streams: number;
  readonly packets: number;
  readonly lost: number;
  /** Packets more than 20 ms and more than 60 ms late. */
  readonly late: number;
  readonly veryLate: number;
  /** |interval − 20 ms| in ms. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export interface PacketListener {
  /** Timings since the previous request. */
  timings(): Promise<PacketTimings>;
  close(): Promise<void>;
}

/** Returns null without a C compiler or CAP_NET_RAW. */
export async function startPacketListener(
  host: string,
  ports: { readonly first: number; readonly last: number },
): Promise<PacketListener | null> {
  const native = nativePrograms();
  if (!native) return null;
  const program = await native.build("listener");
  const child = Bun.spawn([program, host, String(ports.first), String(ports.last)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = linesOf(child.stdout, "the listener");
  const close = async () => {
    await child.stdin.end();
    await child.exited;
    native.remove();
  };
  const ready = await lines.next().catch(() => null);
  if (ready === null) {
    await close();
    return null;
  }
  return {
    async timings() {
      child.stdin.write("now\n");
      await child.stdin.flush();
      return JSON.parse(await lines.next()) as PacketTimings;
    },
    close,
  };
}
