/** Stored diagnostics of a call, on a real file. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { callStore } from "../../../src/call/store/call-store.ts";
import { microEur } from "../../../src/core/money.ts";
import { diagnosticsStore } from "../../../src/features/call-log/diagnostics-store.ts";
import { retentionStore } from "../../../src/features/privacy/retention-store.ts";
import { agentScenarios, calls } from "../../../src/store/schema/index.ts";
import { insertAgent, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const database = await openTestDatabase(join(tempDir(), "evidence.db"), 0);
afterAll(() => database.close());
const tenantId = await insertTenant(database);

let made = 0;
async function recordedCall() {
  const callUuid = `019aa1b2-0000-7000-8000-00000000000${++made}`;
  const id = await database.tx((queries) =>
    callStore(queries).insert(tenantId, {
      callUuid,
      direction: "inbound",
      fromNumber: "",
      toNumber: "+37060000001",
      status: "completed",
      createdAt: 1,
      recordingStatus: "processing",
      recordingFile: `${callUuid}.wav`,
      overageRate: microEur(0),
      cost: microEur(0),
    }),
  );
  return { id, callUuid };
}

/** Stores the waveform; false if the recording no longer waits for it. */
const storePeaks = (callUuid: string) =>
  database.tx(async (queries) => {
    const ready = { status: "ready", file: `${callUuid}.mp3` } as const;
    const encoded = { peaks, atMs: 5 };
    return await callStore(queries).leaveProcessing(tenantId, callUuid, ready, encoded);
  });

const peaks = {
  durationMs: 40,
  slotsPerSecond: 50,
  left: Int8Array.of(-128, 127, -1, 0),
  right: Int8Array.of(0, 0, -5, 5),
};

const packetHeaders = {
  startedAtMs: 1,
  localHost: "192.0.2.1",
  paths: [{ localPort: 20_000, host: "192.0.2.9", port: 4_000 }],
  records: Uint8Array.from({ length: 100_000 }, (_, at) => at),
};

test("a waveform is stored with its recording, once, and is read back unchanged", async () => {
  const { id, callUuid } = await recordedCall();
  expect(await storePeaks(callUuid)).toEqual({ isMailed: false });
  expect(await storePeaks(callUuid)).toBeNull();
  expect(await diagnosticsStore(database.read).peaks(id)).toEqual(peaks);
  expect(await diagnosticsStore(database.read).hasPeaks(id)).toBe(true);
});

test("a waveform is deleted in the same statement as its recording, in every case", async () => {
  const [mailed, expired] = [await recordedCall(), await recordedCall()];
  for (const { callUuid } of [mailed, expired]) await storePeaks(callUuid);
  await database.tx((queries) =>
    callStore(queries).setRecording(tenantId, mailed.callUuid, {
      status: "emailed_deleted",
      file: null,
    }),
  );
  await database.tx((queries) =>
    retentionStore(queries).markRecordingExpired(tenantId, expired.callUuid),
  );
  expect(await diagnosticsStore(database.read).peaks(mailed.id)).toBeNull();
  expect(await diagnosticsStore(database.read).peaks(expired.id)).toBeNull();
});

test("evidence is deleted with the transcript, so that it does not grow for ever", async () => {
  const { id, callUuid } = await recordedCall();
  const agentId = await insertAgent(database, tenantId);
  await database.tx(async (queries) => {
    await diagnosticsStore(queries).put(tenantId, id, {
      sip: [{ atMs: 1, direction: "in", line: "BYE (2 BYE)", detail: null }],
      quality: [],
      packetHeaders,
    });
    await queries.update(calls).set({ endedAt: 1 }).where(eq(calls.callUuid, callUuid));
    const scenario = { tenantId, agentId, yaml: "", updatedAt: 1 };
    await queries.insert(agentScenarios).values([
      { ...scenario, name: "Made", callUuid },
      { ...scenario, name: "Written" },
    ]);
  });
  await database.tx((queries) =>
    retentionStore(queries).expireTranscripts(40 * 86_400_000, 30, 100),
  );
  expect((await diagnosticsStore(database.read).find(id)).sip).toEqual([]);
  expect(await diagnosticsStore(database.read).packetHeaders(id)).toBeNull();
  const kept = await database.read.select().from(agentScenarios);
  expect(kept.map(({ name }) => name)).toEqual(["Written"]);
});

test("evidence is stored again together with late messages", async () => {
  const { id } = await recordedCall();
  const step = (line: string) => ({ atMs: 1, direction: "in" as const, line, detail: null });
  const sample = { atMs: 1, sent: 1, received: 1, lost: 0, late: 0, jitterMs: 1, mos: 4.4 };
  const put = (sip: ReturnType<typeof step>[]) =>
    database.tx((queries) =>
      diagnosticsStore(queries).put(tenantId, id, { sip, quality: [sample], packetHeaders }),
    );
  await put([step("BYE (2 BYE)")]);
  await put([step("BYE (2 BYE)"), step("200 OK (2 BYE)")]);
  const kept = await diagnosticsStore(database.read).find(id);
  expect([kept.sip.length, kept.quality]).toEqual([2, [sample]]);
  const headers = await diagnosticsStore(database.read).packetHeaders(id);
  expect({ ...headers, records: [...(headers?.records ?? [])] }).toEqual({
    ...packetHeaders,
    records: [...packetHeaders.records],
  });
});

test("without stored packet headers, null is returned", async () => {
  const { id } = await recordedCall();
  await database.tx((queries) =>
    diagnosticsStore(queries).put(tenantId, id, { sip: [], quality: [], packetHeaders: null }),
  );
  expect(await diagnosticsStore(database.read).packetHeaders(id)).toBeNull();
  expect(await diagnosticsStore(database.read).packetHeaders(id + 1)).toBeNull();
});
