/**
 * Calls per second with clean set-up and tear-down, and the time from INVITE to 200: the whole
 * appliance, our SIP stack alone, sipp's server, and kamailio as a proxy in front of it. The same
 * caller (sipp) in the same minute with the same number of concurrent calls. Needs sipp; kamailio
 * is optional.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startKamailio } from "../../test/support/sip/kamailio.ts";
import { firstLine } from "../http/first-line.ts";
import { cpuSeconds, mainThreadTimes, processTree } from "../process/usage.ts";
import {
  CALLER,
  KAMAILIO,
  KAMAILIO_PEER,
  NUMBER,
  SIPP_SERVER,
  type SignallingTarget,
} from "./hosts.ts";
import { callWithSipp, type SippFigures, sippServer } from "./sipp.ts";

export interface SignallingResult extends SippFigures {
  readonly who: "appliance" | "stack" | "sipp" | "kamailio";
  readonly callsPerSecond: number;
  /** CPU time of the called side, in ms per call. */
  readonly cpuMsPerCall: number;
  /** Part of it that the first thread used. */
  readonly mainMsPerCall: number;
  /**
   * Database queries per call, including queries shared by several calls; null if not our
   * appliance.
   */
  readonly queriesPerCall: number | null;
}

export interface SignallingOptions {
  readonly calls: number;
  readonly atOnce: number;
  /** Default: as fast as the called side allows. */
  readonly perSecond?: number;
}

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const PATH = `${process.env.PATH}:/usr/sbin`;
const SERVER_START_MS = 500;
export const WARM_UP_CALLS = 20;

/** Null without sipp. */
export async function measureAppliance(
  options: SignallingOptions,
): Promise<SignallingResult | null> {
  if (!Bun.which("sipp")) return null;
  return await measureOurs("appliance", "./appliance-serve.ts", options);
}

/** Null without sipp. */
export async function measureSignalling(
  options: SignallingOptions,
): Promise<SignallingResult[] | null> {
  if (!Bun.which("sipp")) return null;
  const results = [
    await measureOurs("appliance", "./appliance-serve.ts", options),
    await measureOurs("stack", "./stack-serve.ts", options),
    await measureSipp(options),
  ];
  if (Bun.which("kamailio", { PATH })) results.push(await measureKamailio(options));
  return results;
}

async function run(
  who: SignallingResult["who"],
  target: string,
  service: string,
  pids: () => readonly number[],
  options: SignallingOptions,
  queries?: () => Promise<number>,
): Promise<SignallingResult> {
  const order = { host: CALLER, target, service };
  await callWithSipp({ ...order, calls: WARM_UP_CALLS, atOnce: 5 });
  const used = () => pids().reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const mainMs = () => pids().reduce((sum, pid) => sum + mainThreadTimes(pid).ranMs, 0);
  const [before, mainBefore, queriesBefore] = [used(), mainMs(), await queries?.()];
  const figures = await callWithSipp({ ...order, ...options });
  const [cpu, main, queriesAfter] = [used() - before, mainMs() - mainBefore, await queries?.()];
  const succeeded = Math.max(1, figures.succeeded);
  return {
    who,
    ...figures,
    callsPerSecond: figures.succeeded / Math.max(0.001, figures.seconds),
    cpuMsPerCall: (1000 * cpu) / succeeded,
    mainMsPerCall: main / succeeded,
    queriesPerCall:
      queriesAfter === undefined ? null : (queriesAfter - (queriesBefore ?? 0)) / succeeded,
  };
}

async function measureOurs(
  who: "appliance" | "stack",
  program: string,
  options: SignallingOptions,
): Promise<SignallingResult> {
  const server = Bun.spawn([process.execPath, file(program), String(options.atOnce)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    const target = JSON.parse(await firstLine(server.stdout)) as SignallingTarget;
    const queries = async () => {
      server.stdin.write("\n");
      await server.stdin.flush();
      return Number(await firstLine(server.stdout));
    };
    const database = who === "appliance" ? queries : undefined;
    return await run(who, target.sip, NUMBER, () => [target.pid], options, database);
  } finally {
    await server.stdin.end();
    await server.exited;
  }
}

async function measureSipp(options: SignallingOptions): Promise<SignallingResult> {
  const server = sippServer(SIPP_SERVER);
  try {
    await Bun.sleep(SERVER_START_MS);
    return await run("sipp", `${SIPP_SERVER}:5060`, NUMBER, () => [server.pid], options);
  } finally {
    server.kill("SIGKILL");
    await server.exited;
  }
}

/** kamailio forwards the calls to sipp's server. */
async function measureKamailio(options: SignallingOptions): Promise<SignallingResult> {
  const server = sippServer(KAMAILIO_PEER.host);
  const kamailio = await startKamailio(KAMAILIO);
  try {
    const pids = processTree(process.pid).filter((pid) => isKamailio(pid));
    return await run("kamailio", `${KAMAILIO}:5060`, KAMAILIO_PEER.name, () => pids, options);
  } finally {
    server.kill("SIGKILL");
    await Promise.all([server.exited, kamailio.stop()]);
  }
}

const isKamailio = (pid: number) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "kamailio";

if (import.meta.main)
  console.table(await measureSignalling({ calls: Number(process.argv[2] ?? 300), atOnce: 10 }));
