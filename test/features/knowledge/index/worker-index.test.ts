/** The knowledge worker on its own thread: tenants, changes, and its restart after a crash. */
import { afterEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { KnowledgeSnapshot } from "../../../../src/conversation/call-config.ts";
import { systemClock } from "../../../../src/core/clock.ts";
import { silentLog } from "../../../../src/core/log.ts";
import type { WorkerHandle } from "../../../../src/core/worker-handle.ts";
import type { TopicReply } from "../../../../src/engine/embedded/scripted/agent-topics.ts";
import {
  createWorkerIndex,
  type WorkerIndex,
} from "../../../../src/features/knowledge/index/worker-index.ts";
import type { KnowledgeScope } from "../../../../src/features/knowledge/knowledge-index.ts";
import { spawnKnowledgeWorker } from "../../../../src/workers.ts";
import { markdown } from "../../../support/engine/topics-here.ts";
import { eventually } from "../../../support/eventually.ts";
import { tempDir } from "../../../support/temp-dir.ts";

const running: WorkerIndex[] = [];
afterEach(() => {
  for (const index of running.splice(0)) index.close();
});

function world(contents: Readonly<Record<string, string>>) {
  const directory = tempDir();
  const read: string[] = [];
  const workers: Worker[] = [];
  const sent: string[] = [];
  const index = createWorkerIndex({
    spawn() {
      const worker = spawnKnowledgeWorker();
      workers.push(worker);
      return {
        addEventListener: worker.addEventListener.bind(worker),
        terminate: () => worker.terminate(),
        postMessage(message: unknown) {
          sent.push((message as { type: string }).type);
          worker.postMessage(message);
        },
      } satisfies WorkerHandle;
    },
    directory,
    clock: systemClock,
    log: silentLog,
    content: async (tenantId, fileId) => {
      read.push(`${tenantId}/${fileId}`);
      return contents[`${tenantId}/${fileId}`];
    },
  });
  running.push(index);
  return { index, directory, read, workers, sent };
}

const scopeOf = (tenantId: number, ...ids: number[]): KnowledgeScope => ({
  tenantId,
  files: ids.map((id) => ({ id, filename: `${id}.md`, format: "md", version: 1 })),
});

test("no passage of another tenant is ever found, whatever files a scope names", async () => {
  const { index, read } = world({
    "1/1": "# Price\nThe red whitening costs 90 EUR.",
    "2/2": "# Price\nThe blue whitening costs 70 EUR.",
  });
  index.prepare(scopeOf(1, 1));
  index.prepare(scopeOf(2, 2));
  // Another tenant's files: the store returns nothing for them.
  index.prepare(scopeOf(1, 2));
  await index.idle();
  const textOf = async (scope: KnowledgeScope) =>
    (await index.search(scope, "What does whitening cost?")).map(({ text }) => text);
  expect(await textOf(scopeOf(1, 1))).toEqual(["The red whitening costs 90 EUR."]);
  expect(await textOf(scopeOf(2, 2))).toEqual(["The blue whitening costs 70 EUR."]);
  expect(await textOf(scopeOf(1, 1, 2))).toEqual(["The red whitening costs 90 EUR."]);
  expect(await textOf(scopeOf(1, 2))).toEqual([]);
  expect(await textOf(scopeOf(3, 1, 2))).toEqual([]);
  const sources = await index.sourcesOf(scopeOf(1, 1, 2), "The blue whitening costs 70 EUR.");
  expect(sources.map(({ text }) => text)).not.toContain("The blue whitening costs 70 EUR.");
  expect(read.toSorted()).toEqual(["1/1", "1/2", "2/2"]);
});

test("a file is read once, and not again while it is unchanged", async () => {
  const { index, read } = world({ "1/1": "# Hours\nNine to five." });
  for (let call = 0; call < 3; call++) {
    index.prepare(scopeOf(1, 1));
    await index.idle();
  }
  expect(read).toEqual(["1/1"]);
});

test("a file deleted in the store is deleted from the disk", async () => {
  const { index, directory } = world({ "1/1": "# A\nApples.", "2/2": "# B\nPears." });
  index.prepare(scopeOf(1, 1));
  index.prepare(scopeOf(2, 2));
  await index.idle();
  const files = () =>
    readdirSync(directory)
      .filter((name) => name.endsWith(".sqlite"))
      .sort();
  expect(files()).toEqual(["tenant-1.sqlite", "tenant-2.sqlite"]);
  index.retainTenants([2]);
  await eventually(() => files().join() === "tenant-2.sqlite", "the first tenant's index goes");
  index.retain(2, []);
  await eventually(() => files().length === 0, "the last index goes");
});

test("a dead worker is started again, and pending requests end", async () => {
  const { index, workers } = world({ "1/1": "# Hours\nNine to five." });
  index.prepare(scopeOf(1, 1));
  await index.idle();
  const asked = index.search(scopeOf(1, 1), "hours");
  workers[0]?.terminate();
  await asked;
  const isFound = async () => (await index.search(scopeOf(1, 1), "hours")).length === 1;
  await eventually(isFound, "the new worker finds what the old one indexed");
  expect(workers.length).toBe(2);
});

const FOUND = { confidence: 1, nearness: null, offers: false, lesson: false };
const subject = (callId: string, memory: KnowledgeSnapshot | null = null) => ({
  callId,
  language: "en" as const,
  tools: [],
  knowledge: markdown("# When are you open?\nNine to five."),
  memory,
});
const answerOf = (reply: TopicReply | null) => {
  const [found] = reply?.found ?? [];
  return found?.finding.zone === "sure" && found.finding.topic.type === "answer"
    ? found.finding.topic.answer
    : null;
};

test("an agent's topics are sent to the worker once for calls with the same knowledge", async () => {
  const { index, sent } = world({});
  const ask = { ...FOUND, texts: ["When are you open?"] };
  for (const callId of ["first", "second", "third"])
    expect(answerOf(await index.askTopics(subject(callId), ask))).toBe("Nine to five.");
  expect(sent.filter((type) => type === "addTopics")).toHaveLength(1);
});

test("a caller's earlier calls are found for that caller only", async () => {
  const { index } = world({});
  const [memory = null] = markdown("# What did we agree on?\nA visit on Friday.");
  const ask = { ...FOUND, texts: ["What did we agree on?"] };
  expect(answerOf(await index.askTopics(subject("known", memory), ask))).toBe("A visit on Friday.");
  expect(answerOf(await index.askTopics(subject("other"), ask))).toBeNull();
});

test("topics are prepared again after the worker died, and pending questions get no answer", async () => {
  const { index, workers } = world({});
  const ask = { ...FOUND, texts: ["When are you open?"] };
  await index.askTopics(subject("first"), ask);
  workers[0]?.terminate();
  await eventually(
    async () => answerOf(await index.askTopics(subject("second"), ask)) === "Nine to five.",
    "the new worker answers",
  );
});
