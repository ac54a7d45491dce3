/**
 * Registrations per second with digest at kamailio (REGISTER, 401, REGISTER, 200): our trunks, and
 * sipp as the same client in the same minute. Needs both.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startKamailio } from "../../test/support/sip/kamailio.ts";
import { CALLER, KAMAILIO } from "./hosts.ts";

export interface RegistrationsResult {
  readonly registered: number;
  readonly perSecond: number;
  /** CPU time of our client per registration, in ms. */
  readonly cpuMsEach: number;
  readonly sippPerSecond: number;
}

/** Users of test/support/sip/peer-config/kamailio.cfg. */
const USERS = 200;
const PATH = `${process.env.PATH}:/usr/sbin`;
const SIPP_AT_ONCE = 50;
const SIPP_RATE = 2000;

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export async function measureRegistrations(): Promise<RegistrationsResult | null> {
  if (!Bun.which("sipp") || !Bun.which("kamailio", { PATH })) return null;
  const kamailio = await startKamailio(KAMAILIO);
  try {
    const child = Bun.spawn(
      [process.execPath, file("./register-trunks.ts"), `${KAMAILIO}:5060`, String(USERS)],
      { stdin: "ignore", stdout: "pipe", stderr: "inherit" },
    );
    const output = JSON.parse(await new Response(child.stdout).text()) as {
      readonly registered: number;
      readonly seconds: number;
      readonly cpuMsEach: number;
    };
    const { registered, seconds, cpuMsEach } = output;
    const sippPerSecond = await registerWithSipp();
    return { registered, perSecond: registered / seconds, cpuMsEach, sippPerSecond };
  } finally {
    await kamailio.stop();
  }
}

async function registerWithSipp(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
  const users = Array.from({ length: USERS }, (_, index) => `t${index + 1}`);
  const lines = users.map((user) => `${user};[authentication username=${user} password=pw${user}]`);
  const csv = join(directory, "users.csv");
  writeFileSync(csv, `SEQUENTIAL\n${lines.join("\n")}\n`);
  try {
    const startedAt = performance.now();
    const child = Bun.spawn(
      [
        ...["sipp", `${KAMAILIO}:5060`, "-sf", file("./register.xml"), "-inf", csv],
        ...["-i", CALLER, "-p", "5060", "-m", String(USERS), "-l", String(SIPP_AT_ONCE)],
        ...["-r", String(SIPP_RATE), "-timeout", "30s", "-nostdin"],
      ],
      { cwd: directory, stdin: "ignore", stdout: "ignore", stderr: "ignore" },
    );
    const failed = (await child.exited) !== 0;
    return failed ? 0 : USERS / ((performance.now() - startedAt) / 1000);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log(await measureRegistrations());
