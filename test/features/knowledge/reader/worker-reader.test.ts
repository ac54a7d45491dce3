/** The reader worker: one document at a time, with limits on time and memory. */
import { afterEach, expect, test } from "bun:test";
import { systemClock } from "../../../../src/core/clock.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { silentLog } from "../../../../src/core/log.ts";
import type { WorkerHandle } from "../../../../src/core/worker-handle.ts";
import {
  createWorkerReader,
  type WorkerReader,
} from "../../../../src/features/knowledge/reader/worker-reader.ts";
import { spawnReaderWorker } from "../../../../src/workers.ts";
import { bytesOf, pdfOf, pdfPage } from "../../../support/documents.ts";
import { fakeClock } from "../../../support/fake-clock.ts";

const TENANT = 1;
const HINT = { filename: "a.html", contentType: "" };
const readers: WorkerReader[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});

const reasonOf = (reading: Promise<unknown>) =>
  reading.then(
    () => null,
    (error) => (error instanceof AppError ? (error.messageName.reason ?? error.code) : error),
  );

/** Threads that never answer. */
function silentWorld() {
  const clock = fakeClock();
  const ended: boolean[] = [];
  let memory = 0;
  const spawn = (): WorkerHandle => {
    const at = ended.push(false) - 1;
    return {
      postMessage() {},
      addEventListener() {},
      terminate() {
        ended[at] = true;
      },
    };
  };
  const reader = createWorkerReader({ spawn, clock, log: silentLog, memoryBytes: () => memory });
  readers.push(reader);
  const grow = (bytes: number) => {
    memory += bytes;
  };
  return { reader, clock, ended, grow };
}

test("documents are read on the thread, one after the other, and a bad one does not affect the others", async () => {
  const reader = createWorkerReader({
    spawn: spawnReaderWorker,
    clock: systemClock,
    log: silentLog,
  });
  readers.push(reader);
  const [page, broken, pdf] = await Promise.all([
    reader.read(TENANT, bytesOf("<html><h1>Prices</h1><p>40 EUR</p></html>"), HINT),
    reasonOf(reader.read(TENANT, bytesOf("%PDF-1.7 nothing"), HINT)),
    reader.read(TENANT, pdfOf([pdfPage(["A check-up costs forty euros."])]), HINT),
  ]);
  expect(page.markdown).toBe("# Prices\n\n40 EUR");
  expect(broken).toBe("document_broken");
  expect(pdf.markdown).toBe("A check-up costs forty euros.");
});

test("a document that takes too long ends its thread, and the next gets a new one", async () => {
  const { reader, clock, ended } = silentWorld();
  const first = reasonOf(reader.read(TENANT, bytesOf("<html>"), HINT));
  const second = reasonOf(reader.read(TENANT, bytesOf("<html>"), HINT));
  await clock.advance(59_999);
  expect(ended).toEqual([false]);
  await clock.advance(1);
  expect(await first).toBe("document_too_slow");
  expect(ended).toEqual([true, false]);
  await clock.advance(60_000);
  expect(await second).toBe("document_too_slow");
});

test("tenants take turns, so that one tenant's documents do not delay all others", async () => {
  const { reader, clock } = silentWorld();
  const order: string[] = [];
  const read = (tenantId: number, name: string) =>
    reasonOf(reader.read(tenantId, bytesOf("<html>"), HINT)).then(() => order.push(name));
  const readings = [read(1, "a1"), read(1, "a2"), read(1, "a3"), read(1, "a4")];
  readings.push(read(2, "b1"), read(2, "b2"), read(3, "c1"));
  for (const _ of readings) await clock.advance(60_000);
  await Promise.all(readings);
  expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
});

test("memory is limited: at the limit, and one byte above", async () => {
  const { reader, clock, ended, grow } = silentWorld();
  const reading = reasonOf(reader.read(TENANT, bytesOf("<html>"), HINT));
  grow(384 * 1024 * 1024);
  await clock.advance(200);
  expect(ended).toEqual([false]);
  grow(1);
  await clock.advance(200);
  expect(await reading).toBe("document_too_slow");
  expect(ended).toEqual([true]);
});

test("at most sixteen documents wait, and none waits for a closed reader", async () => {
  const { reader } = silentWorld();
  const readings = Array.from({ length: 17 }, () =>
    reasonOf(reader.read(TENANT, bytesOf("<html>"), HINT)),
  );
  expect(await reasonOf(reader.read(TENANT, bytesOf("<html>"), HINT))).toBe("unavailable");
  reader.close();
  expect(new Set(await Promise.all(readings))).toEqual(new Set(["unavailable"]));
});
