/**
 * A million calls and two thousand tenants in the store: duration of lists, searches and sums; the
 * longest time for which each blocks the server's thread; and the effect of a CSV of all calls on
 * memory and on other requests. `bun bench/million/measure.ts [calls]`.
 */
import { fileURLToPath } from "node:url";
import { firstLine } from "../http/first-line.ts";
import { linesOf } from "../media/lines.ts";
import { percentile } from "../process/percentile.ts";
import { mainThreadTimes, residentMemory } from "../process/usage.ts";
import { uuidOfCall } from "./fill.ts";
import type { MillionTarget, Order } from "./serve.ts";

export interface PathTimes {
  readonly kind: string;
  readonly path: string;
  readonly bytes: number;
  /** Time of the first request, which includes compilation. */
  readonly firstMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Average CPU time of the server's thread. */
  readonly processorMs: number;
  /** Longest uninterrupted CPU time of the server's thread. */
  readonly heldMs: number;
}

export interface Download {
  readonly path: string;
  readonly megabytes: number;
  readonly lines: number;
  readonly seconds: number;
  /** Growth of the server's own memory during the download, at most. */
  readonly grewMegabytes: number;
  /** Latency of GET /ping during the download. */
  readonly pingP99Ms: number;
  readonly pingMaxMs: number;
  readonly heldMs: number;
}

export interface MillionResult {
  readonly fillSeconds: number;
  readonly reads: readonly PathTimes[];
  readonly downloads: readonly Download[];
}

interface Options {
  readonly calls: number;
  readonly tenants: number;
  /** Counted requests per path, after the warm-up. */
  readonly times: number;
  /** Time after which a download is aborted. */
  readonly downloadSeconds: number;
}

/** Warm-up requests per path. The first one is listed separately. */
export const FIRST_ONES = 30;
/** Requests after the counted ones, for the thread meter, which keeps the thread busy. */
const METERED = 20;

const month = (atMs: number) => new Date(atMs).toISOString().slice(0, 7);
const THIS_MONTH = month(Date.now());
const day = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
const TWO_DAYS = `from=${day(Date.now() - 86_400_000)}&to=${day(Date.now())}`;

/**
 * `#` is another number in each request, `^` a number beyond half of the calls, `@` another call.
 * Before each request a change of another tenant is stored, as calls do constantly, so that no
 * response comes from the cache.
 */
const READS = {
  "one record": ["/api/v1/tenant", "/api/v1/billing/balance", "/api/v1/calls/@"],
  lists: [
    "/api/v1/agents",
    "/api/v1/calls?limit=25&offset=#",
    "/api/v1/calls?limit=200&offset=#",
    "/api/v1/calls?limit=25&offset=^",
    "/api/v1/calls?limit=25&status=no_answer&direction=outbound&offset=#",
    `/api/v1/calls?limit=25&${TWO_DAYS}&offset=#`,
    "/api/v1/contacts?limit=25&offset=#",
    "/api/dashboard/calls?limit=25&offset=#",
  ],
  sums: [
    "/api/v1/usage",
    "/api/v1/analytics?days=#",
    `/api/v1/billing/statements/${THIS_MONTH}`,
    "/api/dashboard/home",
  ],
  searches: [
    "/api/v1/contacts?limit=25&search=petraitis%201#",
    "/api/dashboard/calls?limit=25&words=number%201#",
    "/api/dashboard/calls?limit=25&words=giraffe%20#",
  ],
  "all tenants": ["/api/dashboard/operator/tenants?limit=50&offset=#"],
} as const;
const DOWNLOADS = [
  "/api/dashboard/calls.csv?words=",
  `/api/v1/billing/statements/${THIS_MONTH}/csv?rows=calls`,
];

export async function measureMillion(options: Options): Promise<MillionResult> {
  const serve = fileURLToPath(new URL("./serve.ts", import.meta.url));
  const { calls, tenants, times, downloadSeconds } = options;
  const command = [process.execPath, serve, String(calls), String(tenants)];
  const server = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  try {
    const target = JSON.parse(await firstLine(server.stdout)) as MillionTarget;
    const answers = linesOf(server.stdout, "the server");
    const tell = async (order: Order) => {
      server.stdin.write(`${order}\n`);
      await server.stdin.flush();
      return await answers.next();
    };
    const reads: PathTimes[] = [];
    for (const [kind, paths] of Object.entries<readonly string[]>(READS))
      for (const path of paths) {
        const watched = { pid: server.pid, target, tell, cookie: await tell("cookie") };
        reads.push({ kind, path, ...(await timed(watched, path, { calls, times })) });
      }
    const downloads: Download[] = [];
    for (const path of DOWNLOADS) {
      const watched = { pid: server.pid, target, tell, cookie: await tell("cookie") };
      downloads.push(await download(watched, path, downloadSeconds));
    }
    return { fillSeconds: target.fillSeconds, reads, downloads };
  } finally {
    await server.stdin.end();
    await server.exited;
  }
}

interface Watched {
  readonly pid: number;
  readonly target: MillionTarget;
  readonly tell: (order: Order) => Promise<string>;
  /** A separate session for each path, because a session may send only 600 requests per minute. */
  readonly cookie: string;
}

async function ask({ target, cookie }: Watched, path: string): Promise<Response> {
  const headers: Record<string, string> = path.startsWith("/api/dashboard")
    ? { cookie }
    : { authorization: `Bearer ${target.key}` };
  const response = await fetch(target.base + path, { headers });
  if (!response.ok)
    throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  return response;
}

async function timed(
  watched: Watched,
  path: string,
  { calls, times }: Pick<Options, "calls" | "times">,
): Promise<Omit<PathTimes, "kind" | "path">> {
  const { pid, tell } = watched;
  let [n, bytes, ranMs] = [0, 0, 0];
  const once = async () => {
    await tell("change");
    const another = path
      .replace("#", String(++n))
      .replace("^", String(Math.floor(calls / 2) + n))
      .replace("@", uuidOfCall(calls, n));
    const before = mainThreadTimes(pid).ranMs;
    const startedAt = performance.now();
    bytes = (await (await ask(watched, another)).arrayBuffer()).byteLength;
    const tookMs = performance.now() - startedAt;
    ranMs += mainThreadTimes(pid).ranMs - before;
    return tookMs;
  };
  const firstMs = await once();
  for (let more = 1; more < FIRST_ONES; more++) await once();
  ranMs = 0;
  const takenMs: number[] = [];
  for (let more = 0; more < times; more++) takenMs.push(await once());
  const processorMs = ranMs / times;
  await tell("held");
  for (let more = 0; more < METERED; more++) await once();
  takenMs.sort((left, right) => left - right);
  return {
    bytes,
    firstMs,
    processorMs,
    heldMs: Number(await tell("held")),
    p50Ms: percentile(takenMs, 0.5),
    p99Ms: percentile(takenMs, 0.99),
  };
}

async function download(
  watched: Watched,
  path: string,
  downloadSeconds: number,
): Promise<Download> {
  const { pid, target, tell } = watched;
  const before = residentMemory(pid).own;
  let highest = before;
  const pings = Bun.spawn(
    [
      process.execPath,
      fileURLToPath(new URL("./pings.ts", import.meta.url)),
      `${target.base}/api/v1/ping`,
    ],
    { stdin: "pipe", stdout: "pipe", stderr: "inherit" },
  );
  const answered = linesOf(pings.stdout, "who asks meanwhile");
  await answered.next();
  await tell("held");
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  let bytes = 0;
  let lines = 0;
  for await (const chunk of (await ask(watched, path)).body ?? []) {
    bytes += chunk.byteLength;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
    highest = Math.max(highest, residentMemory(pid).own);
    if (seconds() > downloadSeconds) break;
  }
  const tookSeconds = seconds();
  await pings.stdin.end();
  const pingsMs: number[] = JSON.parse(await answered.next());
  pingsMs.sort((left, right) => left - right);
  return {
    path,
    megabytes: bytes / 1e6,
    lines,
    seconds: tookSeconds,
    grewMegabytes: highest - before,
    heldMs: Number(await tell("held")),
    pingP99Ms: percentile(pingsMs, 0.99),
    pingMaxMs: percentile(pingsMs, 1),
  };
}

if (import.meta.main) {
  const [calls = 1_000_000, tenants = 2_000, times = 300, downloadSeconds = 600] = process.argv
    .slice(2)
    .map(Number);
  const result = await measureMillion({ calls, tenants, times, downloadSeconds });
  console.log(`filled in ${result.fillSeconds.toFixed(0)} s`);
  console.table(result.reads);
  console.table(result.downloads);
}
