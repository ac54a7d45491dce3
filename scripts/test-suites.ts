/**
 * Groups the test files into suites, each of which runs in a separate process. Every file is in one
 * suite: the first with a matching path prefix. Suites with real-time audio run first at normal
 * priority; the others run at low priority.
 */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface Suite {
  readonly label: string;
  readonly files: readonly string[];
  readonly env?: Record<string, string>;
  /** Does not start the compiled program, so it need not wait for the build. */
  readonly isWithoutProgram?: boolean;
}

/**
 * Files by path prefix below test/, and the maximum number of files per process. Default: Infinity.
 */
type Row = readonly [label: string, paths: readonly string[], filesMax?: number];

/**
 * Real-time audio, which mostly waits; the longest first. Small parts end at about the same time,
 * and a process start costs little in comparison.
 */
const PACED: readonly Row[] = [
  [
    "long",
    [
      ...["two-appliances", "engine-errors", "transfer", "caller-pin.", "engine-openai"],
      ...["engine-realtime", "conversation", "killed", "voicemail", "dashboard-calls"],
    ].map((name) => `scenario/${name}`),
    1,
  ],
  // No speech, but the test fails if the process is seconds late.
  ["sip-loss", ["sip/loss"]],
  ["demo", ["binary/demo", "demo/rehearsal"], 1],
  ["peer", ["peer/"]],
  ["media", ["media/"]],
  ["scenario", ["scenario/"], 3],
  ["heard", ["binary/second-reading", "binary/hardened", "demo/phone"]],
  ["speech", ["speech-worker", "transcriber", "answering"].map((at) => `engine/speech/${at}`)],
];

/**
 * CPU-bound suites, the longest first. SIP comes before them: it mostly waits for timers, so others
 * can compute meanwhile.
 */
const YIELDING: readonly Row[] = [
  ["sip", ["sip/"]],
  ["features", ["features/", "call/", "conversation/"], 60],
  ["browser", ["browser/"], 4],
  ["cli", ["cli/"]],
  ["property", ["property/", "core/", "platform/", "dashboard/"], 40],
  ["store", ["store/", "worker/"], 18],
  ["binary", ["binary/"], 2],
  ["engine", ["engine/"], 20],
  ["http", ["http/", "control/"], 35],
  // Also tests of the repository itself: structure, documents, dependencies. Small parts, so that
  // the lanes end together.
  ["others", [""], 16],
];

/** These files also run on a real libSQL server (test/support/store/test-store.ts). */
const SHARED_STORE = [
  ...["billing", "renewal", "statement"].map((name) => `features/billing/${name}`),
  ...["mail/mail-queue", "retention/retention", "schedule/scheduler", "tool/run-tool"].map(
    (name) => `features/${name}`,
  ),
  ...["delivery", "delivery-again", "signing-secrets", "switched-off", "wired"].map(
    (name) => `features/webhook/${name}`,
  ),
  ...["features/privacy/privacy", "property/money-histories", "features/identity/key-cache"],
  ...["features/call-log/search-index-store", "property/call-search"],
  ...["shared-limit", "sign-in", "one-time-links", "owner-link", "team-and-account"].map(
    (name) => `http/${name}`,
  ),
  ...["walk", "query-cache"].map((name) => `http/${name}`),
  ...["", "-calls", "-finished-call", "-money", "-webhooks"].map((part) => `http/resources${part}`),
].map((name) => `test/${name}.test.ts`);

const testDirectory = fileURLToPath(new URL("../test", import.meta.url));
const left = new Set(
  readdirSync(testDirectory, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .sort(),
);

/** Removes each row's files from `left`, in the order of the row's paths. */
function suitesOf(rows: readonly Row[]): Suite[] {
  return rows.flatMap(([label, paths, filesMax = Number.POSITIVE_INFINITY]) => {
    const files = paths.flatMap((path) => [...left].filter((file) => file.startsWith(path)));
    const taken = [...new Set(files)];
    for (const file of taken) left.delete(file);
    const parts = Math.ceil(taken.length / filesMax) || 1;
    const each = Math.ceil(taken.length / parts);
    return Array.from({ length: parts }, (_, at) => ({
      label: parts === 1 ? label : `${label}-${at + 1}`,
      files: taken.slice(at * each, (at + 1) * each).map((file) => `test/${file}`),
    }));
  });
}

export const pacedSuites: readonly Suite[] = suitesOf(PACED);
export const yieldingSuites: readonly Suite[] = [
  { label: "shared-store", files: SHARED_STORE, env: { LINEVOICE_TEST_STORE: "remote" } },
  ...suitesOf(YIELDING),
].map((suite) => ({
  ...suite,
  isWithoutProgram: /^(?:shared-store|sip|features)/.test(suite.label),
}));
