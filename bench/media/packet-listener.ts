/**
 * Pacing of a live appliance: every packet it sends, by the kernel's time stamps on the loopback
 * interface (native/listener.c). Needs a C compiler and CAP_NET_RAW.
 */
import { linesOf } from "./lines.ts";
import { nativePrograms } from "./native.ts";

export interface PacketTimings {
  readonly streams: number;
  readonly packets: number;
  readonly lost: number;
  /** More than 20 ms, more than 60 ms too late. */
  readonly late: number;
  readonly veryLate: number;
  /** |interval − 20 ms|, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export interface PacketListener {
  /** Since the time before. */
  timings(): Promise<PacketTimings>;
  close(): Promise<void>;
}

/** Null where it is not possible. */
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
