/**
 * Which test files run together, each suite in a process of its own. Every file is in one suite: the first whose
 * path it begins with. Files that keep the pace of speech go first and undisturbed; the others give way to them.
 */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface Suite {
  readonly label: string;
  readonly files: readonly string[];
  readonly env?: Record<string, string>;
  /** Starts no compiled program, so it need not wait for the build. */
  readonly isWithoutProgram?: boolean;
}

/** Files whose path begins so, below test/; so many to a process, Infinity where none is given. */
type Row = readonly [label: string, paths: readonly string[], filesMax?: number];

/** Real audio, which mostly waits; the longest first. A start costs little against it, and small parts end together. */
const PACED: readonly Row[] = [
  [
    "long",
    [
      ...["two-appliances", "engine-errors", "transfer", "caller-pin.", "engine-openai"],
      ...["engine-realtime", "conversation", "killed", "voicemail", "dashboard-calls"],
    ].map((name) => `scenario/${name}`),
    1,
  ],
  // Nobody speaks here, but what comes seconds late is lost as well.
  ["sip-loss", ["adapter/sip/loss"]],
  ["demo", ["binary/demo", "demo/rehearsal"], 1],
  ["peer", ["peer/"]],
  ["media", ["adapter/media/"]],
  ["scenario", ["scenario/"], 3],
  ["heard", ["binary/second-reading", "binary/hardened", "demo/phone"]],
  [
    "speech",
    ["speech-worker", "transcriber", "answering"].map((at) => `adapter/engine/speech/${at}`),
  ],
];

/** What keeps a processor busy; the longest first here, too. Before it what waits for SIP's timers, and computes beside. */
const YIELDING: readonly Row[] = [
  ["sip", ["adapter/sip/"]],
  ["domain", ["domain/"], 60],
  ["browser", ["browser/"], 4],
  ["cli", ["cli/"]],
  ["property", ["property/", "core/", "platform/", "dashboard/"], 40],
  ["adapter", ["adapter/store/", "adapter/knowledge/", "adapter/payments/", "adapter/worker/"], 18],
  ["binary", ["binary/"], 2],
  ["engine", ["adapter/engine/"], 20],
  ["interface", ["interface/"], 35],
  // Of the repository itself too: its structure, documents and dependencies. In small parts, for the lanes to end together.
  ["others", [""], 16],
];

/** These hold for a database on a real libSQL server as well (test/support/store/test-store.ts). */
const SHARED_STORE = [
  ...["billing", "renewal", "statement"].map((name) => `domain/billing/${name}`),
  ...["mail/mail-queue", "retention/retention", "schedule/scheduler", "tool/run-tool"].map(
    (name) => `domain/${name}`,
  ),
  ...["delivery", "delivery-again", "signing-secrets", "switched-off", "wired"].map(
    (name) => `domain/webhook/${name}`,
  ),
  ...["operations/privacy/privacy", "property/money-histories", "adapter/store/identity/key-cache"],
  ...["adapter/store/call/search-index", "property/call-search"],
  ...["shared-limit", "sign-in", "one-time-links", "owner-link", "team-and-account"].map(
    (name) => `interface/http/${name}`,
  ),
  ...["walk", "query-cache"].map((name) => `interface/http/${name}`),
  ...["", "-calls", "-finished-call", "-money", "-webhooks"].map(
    (part) => `interface/http/resources${part}`,
  ),
].map((name) => `test/${name}.test.ts`);

const testDirectory = fileURLToPath(new URL("../test", import.meta.url));
const left = new Set(
  readdirSync(testDirectory, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .sort(),
);

/** Takes what belongs to each row from what is left, in the order in which the row names it. */
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
  isWithoutProgram: /^(?:shared-store|sip|domain)/.test(suite.label),
}));
