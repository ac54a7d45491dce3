/**
 * How even our RTP leaves: |interval − 20 ms| of each stream by the kernel's time stamps, taken in a
 * receiver of its own (native/receiver.c), and the same stream count sent by a plain C loop
 * (native/pacer.c) as reference. Needs a C compiler: without one there is no figure.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Pacing {
  readonly streams: number;
  readonly packets: number;
  readonly lost: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  /** Of one core, the sending process. */
  readonly cpuPercent: number;
  readonly kilobytesPerStream?: number;
}

export interface PacingResult {
  readonly ours: Pacing;
  /** The plain C loop, after it in the same minute. */
  readonly reference: Pacing;
}

const HOST = "127.0.42.1";
const WARM_UP_MS = 1500;
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Each for `seconds` after a warm-up. Null where there is no C compiler. */
export async function measurePacing(streams: number, seconds = 10): Promise<PacingResult | null> {
  const compiler = Bun.which("cc") ?? Bun.which("gcc");
  if (!compiler) return null;
  const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
  try {
    const built = (name: string) => join(directory, name);
    for (const name of ["receiver", "pacer"]) {
      const source = file(`./native/${name}.c`);
      await Bun.$`${compiler} -O2 -o ${built(name)} ${source}`.quiet();
    }
    const count = String(streams);
    const ours = await measure(built("receiver"), seconds, (port) => [
      ...[process.execPath, file("./sender.ts"), HOST, port, count],
    ]);
    const lasting = String(seconds + Math.ceil(WARM_UP_MS / 1000) + 1);
    const reference = await measure(built("receiver"), seconds, (port) => [
      ...[built("pacer"), HOST, port, count, lasting],
    ]);
    return { ours, reference };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(
  receiverFile: string,
  seconds: number,
  command: (port: string) => string[],
): Promise<Pacing> {
  const receiver = Bun.spawn([receiverFile, HOST], { stdin: "pipe", stdout: "pipe" });
  const lines = readLines(receiver.stdout);
  const port = (await nextLine(lines)).replace("port ", "");
  const sender = Bun.spawn(command(port), { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  await Bun.sleep(WARM_UP_MS);
  receiver.stdin.write("start\n");
  await receiver.stdin.flush();
  await Bun.sleep(seconds * 1000);
  await receiver.stdin.end();
  const heard = JSON.parse(await nextLine(lines)) as Omit<Pacing, "cpuPercent">;
  await sender.stdin.end();
  const said = (await new Response(sender.stdout).text()).trim().split("\n");
  return { ...heard, ...(JSON.parse(said.at(-1) ?? "{}") as { cpuPercent: number }) };
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const whole = text.split("\n");
    text = whole.pop() ?? "";
    yield* whole;
  }
}

async function nextLine(lines: AsyncGenerator<string>): Promise<string> {
  const { value, done } = await lines.next();
  if (done) throw new Error("the receiver ended early");
  return value;
}

if (import.meta.main)
  console.log(await measurePacing(Number(process.argv[2] ?? 250), Number(process.argv[3] ?? 10)));
