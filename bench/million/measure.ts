/**
 * A million calls and two thousand tenants in the store: how long lists, searches and sums take, how long
 * each holds the server's thread at most, and what a CSV of all calls does to its memory and to whoever
 * asks meanwhile. `bun bench/million/measure.ts [calls]`.
 */
import { fileURLToPath } from "node:url";
import { firstLine } from "../http/first-line.ts";
import { linesOf } from "../media/lines.ts";
import { percentile } from "../process/percentile.ts";
import { residentMemory } from "../process/usage.ts";
import { uuidOfCall } from "./fill.ts";
import type { MillionTarget } from "./serve.ts";

export interface PathTimes {
  readonly kind: string;
  readonly path: string;
  readonly bytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server's thread at once, the longest. */
  readonly heldMs: number;
}

export interface Download {
  readonly path: string;
  readonly megabytes: number;
  readonly lines: number;
  readonly seconds: number;
  /** Largest memory of the server's own meanwhile, above what it was before. */
  readonly grewMegabytes: number;
  /** What others wait for GET /ping meanwhile. */
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
  /** Requests to each path. */
  readonly times: number;
  /** A download is broken off after this. */
  readonly downloadSeconds: number;
}

const month = (atMs: number) => new Date(atMs).toISOString().slice(0, 7);
const THIS_MONTH = month(Date.now());
const DAY = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);

/** `#` is another number and `@` another call with each request: nothing is asked for twice. */
const READS = {
  "one record": ["/api/v1/tenant", "/api/v1/billing/balance", "/api/v1/calls/@"],
  lists: [
    "/api/v1/agents",
    "/api/v1/calls?limit=25&offset=#",
    "/api/v1/calls?limit=200&offset=#",
    "/api/v1/calls?limit=25&offset=5000#",
    "/api/v1/calls?limit=25&status=no_answer&direction=outbound&offset=#",
    `/api/v1/calls?limit=25&from=${DAY}&to=${DAY}&offset=#`,
    "/api/v1/contacts?limit=25&offset=#",
    "/api/dashboard/calls?limit=25&offset=#",
  ],
  sums: [
    "/api/v1/usage",
    "/api/v1/analytics?days=1#",
    `/api/v1/billing/statements/${THIS_MONTH}`,
    "/api/dashboard/home",
  ],
  searches: [
    "/api/v1/contacts?limit=25&search=petraitis%20199#",
    "/api/dashboard/calls?limit=25&words=number%20150#",
    "/api/dashboard/calls?limit=25&words=giraffe%20#",
  ],
  "all tenants": ["/api/dashboard/operator/tenants"],
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
    const heldMs = async () => {
      server.stdin.write("\n");
      await server.stdin.flush();
      return Number(await answers.next());
    };
    const reads: PathTimes[] = [];
    const kinds = Object.entries<readonly string[]>(READS);
    for (const [kind, path] of kinds.flatMap(([kind, paths]) =>
      paths.map((path) => [kind, path] as const),
    )) {
      const another = (n: number) =>
        path.replace("#", String(n)).replace("@", uuidOfCall(calls, n));
      const taken = await timed((n) => ask(target, another(n)), heldMs, times);
      reads.push({ kind, path, ...taken });
    }
    const downloads: Download[] = [];
    for (const path of DOWNLOADS)
      downloads.push(await download(target, { pid: server.pid, heldMs, downloadSeconds }, path));
    return { fillSeconds: target.fillSeconds, reads, downloads };
  } finally {
    await server.stdin.end();
    await server.exited;
  }
}

const headersOf = ({ key, cookie }: MillionTarget, path: string): Record<string, string> =>
  path.startsWith("/api/dashboard") ? { cookie } : { authorization: `Bearer ${key}` };

async function ask(target: MillionTarget, path: string): Promise<Response> {
  const response = await fetch(target.base + path, { headers: headersOf(target, path) });
  if (!response.ok)
    throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  return response;
}

async function timed(
  request: (n: number) => Promise<Response>,
  heldMs: () => Promise<number>,
  times: number,
): Promise<Omit<PathTimes, "kind" | "path">> {
  const takenMs: number[] = [];
  let bytes = 0;
  const once = async (n: number) => {
    bytes = (await (await request(n)).arrayBuffer()).byteLength;
  };
  await once(0);
  await heldMs();
  for (let n = 1; n <= times; n++) {
    const startedAt = performance.now();
    await once(n);
    takenMs.push(performance.now() - startedAt);
  }
  takenMs.sort((left, right) => left - right);
  return {
    ...{ bytes, heldMs: await heldMs() },
    ...{ p50Ms: percentile(takenMs, 0.5), p99Ms: percentile(takenMs, 0.99) },
  };
}

interface Watched {
  readonly pid: number;
  readonly heldMs: () => Promise<number>;
  readonly downloadSeconds: number;
}

async function download(
  target: MillionTarget,
  { pid, heldMs, downloadSeconds }: Watched,
  path: string,
): Promise<Download> {
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
  await heldMs();
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  let bytes = 0;
  let lines = 0;
  for await (const chunk of (await ask(target, path)).body ?? []) {
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
    ...{ path, megabytes: bytes / 1e6, lines, seconds: tookSeconds },
    ...{ grewMegabytes: highest - before, heldMs: await heldMs() },
    ...{ pingP99Ms: percentile(pingsMs, 0.99), pingMaxMs: percentile(pingsMs, 1) },
  };
}

if (import.meta.main) {
  const [calls = 1_000_000, tenants = 2_000, times = 30, downloadSeconds = 600] = process.argv
    .slice(2)
    .map(Number);
  const result = await measureMillion({ calls, tenants, times, downloadSeconds });
  console.log(`filled in ${result.fillSeconds.toFixed(0)} s`);
  console.table(result.reads);
  console.table(result.downloads);
}
