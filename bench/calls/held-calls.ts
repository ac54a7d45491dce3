/**
 * Places and holds calls. sipp does the signalling and a C program is the phones
 * (media/native/phones.c), so that callers need little of the appliance's CPU. The caller must
 * close them.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { linesOf } from "../media/lines.ts";
import type { Native } from "../media/native.ts";
import { CALLER, NUMBER, PHONES } from "../signalling/hosts.ts";

export interface HeldCalls {
  /** Resolves when the greetings are over. */
  place(count: number): Promise<void>;
  /** Figures that the phones have measured since the previous request. */
  told<Figures>(what: "now" | "answers"): Promise<Figures>;
  close(): Promise<void>;
}

const CALLS_PER_SECOND = 25;
/** Time after which the greeting has ended. */
const SETTLE_MS = 5_000;
const UAC = fileURLToPath(new URL("../signalling/uac.xml", import.meta.url));

/** `sip`: address to call. `said`: arguments of the phones program. */
export async function startHeldCalls(
  native: Native,
  sip: string,
  said: readonly string[] = [],
): Promise<HeldCalls> {
  const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
  const phones = Bun.spawn([await native.build("phones"), PHONES, ...said], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = linesOf(phones.stdout, "the phones");
  const port = (await lines.next()).replace("port ", "");
  const scenario = join(directory, "held.xml");
  const uac = readFileSync(UAC, "utf8");
  writeFileSync(scenario, uac.replace("[media_ip]", PHONES).replace("[media_port]", port));
  const placed: Bun.Subprocess[] = [];
  return {
    async place(count) {
      placed.push(placeCalls({ directory, scenario, sip, count, port: 5060 + placed.length }));
      await Bun.sleep((1000 * count) / CALLS_PER_SECOND + SETTLE_MS);
    },
    async told(what) {
      phones.stdin.write(`${what}\n`);
      await phones.stdin.flush();
      return JSON.parse(await lines.next());
    },
    async close() {
      for (const sipp of placed) sipp.kill("SIGKILL");
      await phones.stdin.end();
      await Promise.all([...placed, phones].map(({ exited }) => exited));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

interface Placing {
  readonly directory: string;
  readonly scenario: string;
  readonly sip: string;
  readonly count: number;
  readonly port: number;
}

const placeCalls = ({ directory, scenario, sip, count, port }: Placing): Bun.Subprocess =>
  Bun.spawn(
    [
      ...["sipp", sip, "-sf", scenario, "-s", NUMBER, "-i", CALLER, "-p", String(port)],
      ...["-d", "600000", "-m", String(count), "-l", String(count), "-r", String(CALLS_PER_SECOND)],
      "-nostdin",
    ],
    { cwd: directory, stdin: "ignore", stdout: "ignore", stderr: "ignore" },
  );
