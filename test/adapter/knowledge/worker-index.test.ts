/** The knowledge worker on its own thread: tenants, changes, and what becomes of it when it dies. */
import { afterEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import {
  createWorkerIndex,
  type WorkerIndex,
} from "../../../src/adapter/knowledge/worker-index.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { KnowledgeScope } from "../../../src/domain/knowledge/knowledge-index.ts";
import { spawnKnowledgeWorker } from "../../../src/workers.ts";
import { eventually } from "../../support/eventually.ts";
import { tempDir } from "../../support/temp-dir.ts";

const running: WorkerIndex[] = [];
afterEach(() => {
  for (const index of running.splice(0)) index.close();
});

function world(contents: Readonly<Record<string, string>>) {
  const directory = tempDir();
  const read: string[] = [];
  const workers: Worker[] = [];
  const index = createWorkerIndex({
    spawn() {
      const worker = spawnKnowledgeWorker();
      workers.push(worker);
      return worker;
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
  return { index, directory, read, workers };
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
  // Files that are not the tenant's own: the store gives nothing for them.
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

test("a file is read once, and not again while it stays as it is", async () => {
  const { index, read } = world({ "1/1": "# Hours\nNine to five." });
  for (let call = 0; call < 3; call++) {
    index.prepare(scopeOf(1, 1));
    await index.idle();
  }
  expect(read).toEqual(["1/1"]);
});

test("what the store no longer has is deleted from the disk", async () => {
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

test("a worker that dies is started again, and nobody waits for it in vain", async () => {
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
