/**
 * Unfinished recordings: the encoder shut down, was busy or died, or the call worker could not report its
 * recording. Real files, real workers, real SQLite.
 */

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { CallIdentity } from "../../../src/call/call-identity.ts";
import { processRecording } from "../../../src/call/ended/after-call.ts";
import { finishCall } from "../../../src/call/ended/finish.ts";
import { endingByUs } from "../../../src/call/ending.ts";
import { CallRegistry } from "../../../src/call/live/registry.ts";
import { recoverCalls } from "../../../src/call/recovery/recovery.ts";
import type { CallContext } from "../../../src/call/service/context.ts";
import { callStores } from "../../../src/call/store/call-stores.ts";
import { silentLog as log } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { createEncoder, type Encoder } from "../../../src/media/recording/encoder.ts";
import { wavHeader } from "../../../src/media/recording/wav.ts";
import { calls } from "../../../src/store/schema/index.ts";
import { PoolCall } from "../../../src/worker/call-channel.ts";
import { spawnEncoderWorker } from "../../../src/workers.ts";
import { applianceSettings } from "../../support/appliance/appliance.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { callConfig } from "../../support/media/scripted-call.ts";
import { startPlan } from "../../support/plans.ts";
import { UNKNOWN_CALLERS } from "../../support/sip/unknown-callers.ts";
import { insertAgent, insertCall, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

const directory = tempDir();
const recordingsDir = join(directory, "recordings");
mkdirSync(recordingsDir);
const clock = fakeClock();
const database = await openTestDatabase(join(directory, "main.db"), clock.now());
const tenantId = await insertTenant(database);
const agentId = await insertAgent(database, tenantId, {
  transcriptEmailEnabled: true,
  transcriptEmail: "owner@clinic.example",
});
const encoders: Encoder[] = [];
afterAll(async () => {
  await Promise.all(encoders.map((encoder) => encoder.close()));
  await database.close();
});

function encoderOf(spawn: () => Worker = spawnEncoderWorker): Encoder {
  const encoder = createEncoder(spawn);
  encoders.push(encoder);
  return encoder;
}

/** A worker that throws at its first job. */
const crashing = (): Worker =>
  new Worker(
    URL.createObjectURL(new Blob(["self.onmessage = () => { throw new Error('out of memory') }"])),
  );
/** A worker that takes a job and never ends it. */
const stuck = (): Worker =>
  new Worker(URL.createObjectURL(new Blob(["self.onmessage = () => {}"])));

interface Mail {
  readonly callUuid: string | null;
  readonly attachment: string | null;
}

/** A just started appliance, with the parts that recordings need. */
function appliance(encoder: Encoder) {
  const mails: Mail[] = [];
  const announced: (string | null)[] = [];
  const wake = () => undefined;
  const events = createEventSink({ stores: webhookStores, clock, random, wake });
  const billing = new Billing({
    database,
    stores: billingStores,
    plans: [startPlan],
    clock,
    random,
  });
  const context = {
    database,
    stores: callStores,
    node: "A",
    clock,
    random,
    log,
    billing,
    registry: new CallRegistry(),
    settings: { recordingsDir, prices: applianceSettings(directory, "127.0.0.1").prices },
    events: {
      ...events,
      emit: (...emitted: Parameters<typeof events.emit>) => {
        const [, , ...drafts] = emitted;
        for (const { type, callUuid } of drafts)
          if (type === "recording.ready") announced.push(callUuid);
        return events.emit(...emitted);
      },
    },
    callers: UNKNOWN_CALLERS,
    mails: { enqueue: async (_: unknown, __: number, mail: Mail) => mails.push(mail), wake },
    encoder,
    recordingsInWork: new Set(),
    links: { urlFor: () => ({ url: "https://voice.example/r", expiresAtMs: 0 }) },
  } as unknown as CallContext;
  return { context, mails, announced };
}

/** `seconds` of silence in stereo; without `sized` the header sizes are 0, as after a crash of the writer. */
function writeWav(uuid: string, seconds: number, sized = true): void {
  const pcm = Buffer.alloc(seconds * 32_000);
  const header = wavHeader({ sampleRateHz: 8000, channels: 2 }, sized ? pcm.length : 0);
  writeFileSync(join(recordingsDir, `${uuid}.wav`), Buffer.concat([header, pcm]));
}

async function storedCall(): Promise<string> {
  const uuid = crypto.randomUUID();
  await insertCall(database, tenantId, uuid);
  await database.tx((queries) =>
    queries
      .update(calls)
      .set({ agentId, node: "A", answeredAt: clock.now() })
      .where(eq(calls.callUuid, uuid)),
  );
  return uuid;
}

/** An ended call whose WAV waits for the encoder. */
async function endedCall(seconds: number): Promise<string> {
  const uuid = await storedCall();
  writeWav(uuid, seconds);
  await database.tx((queries) =>
    queries
      .update(calls)
      .set({
        status: "completed",
        endedReason: "caller_hangup",
        endedAt: clock.now(),
        recordingStatus: "processing",
        recordingFile: `${uuid}.wav`,
        recordingMs: seconds * 1_000,
      })
      .where(eq(calls.callUuid, uuid)),
  );
  return uuid;
}

const rowOf = async (uuid: string) =>
  (await database.read.select().from(calls).where(eq(calls.callUuid, uuid)))[0];
const mailsOf = (mails: readonly Mail[], uuid: string) =>
  mails.filter((mail) => mail.callUuid === uuid).map(({ attachment }) => attachment);
const filesOf = (uuid: string) => readdirSync(recordingsDir).filter((name) => name.includes(uuid));

/** Checks that the next start encodes and mails the recording, once. */
async function expectTakenUp(uuid: string): Promise<void> {
  const { context, mails, announced } = appliance(encoderOf());
  await recoverCalls(context);
  await eventually(async () => (await rowOf(uuid))?.recordingStatus === "ready", "it is encoded");
  await eventually(() => !existsSync(join(recordingsDir, `${uuid}.wav`)), "the WAV is deleted");
  expect(mailsOf(mails, uuid)).toEqual([`${uuid}.mp3`]);
  expect(filesOf(uuid)).toEqual([`${uuid}.mp3`]);
  expect(announced.filter((of) => of === uuid)).toEqual([uuid]);
}

test("a shutdown keeps running and waiting jobs of the encoder; the next start continues both", async () => {
  const encoder = encoderOf();
  const { context, mails } = appliance(encoder);
  const [first, second, third] = [await endedCall(240), await endedCall(1), await endedCall(1)];
  const working = [first, second].map((uuid) => processRecording(context, tenantId, uuid));
  await eventually(() => filesOf(first).includes(`${first}.mp3.part`), "the encoding has begun");
  await encoder.close();
  await Promise.all([...working, processRecording(context, tenantId, third)]);
  for (const uuid of [first, second, third]) {
    expect(await rowOf(uuid)).toMatchObject({
      recordingStatus: "processing",
      recordingFile: `${uuid}.wav`,
    });
    expect(filesOf(uuid)).toEqual([`${uuid}.wav`]);
  }
  expect(mails).toEqual([]);
  await expectTakenUp(third);
  await eventually(async () => (await rowOf(first))?.recordingStatus === "ready", "the long one");
  expect(filesOf(second)).toEqual([`${second}.mp3`]);
});

test("if the queue is full, the recording is encoded later", async () => {
  const encoder = encoderOf(stuck);
  const { context, mails } = appliance(encoder);
  const uuid = await endedCall(1);
  const tags = { title: "", callId: "", recordedAt: new Date(0) };
  const others = Array.from({ length: 1_001 }, () => encoder.encode("/a.wav", "/a.mp3", tags));
  const settled = Promise.allSettled(others);
  await processRecording(context, tenantId, uuid);
  expect((await rowOf(uuid))?.recordingStatus).toBe("processing");
  expect(mails).toEqual([]);
  await encoder.close();
  expect((await settled).every(({ status }) => status === "rejected")).toBe(true);
  await expectTakenUp(uuid);
});

test("a recording survives the death of its encoder", async () => {
  const { context, mails } = appliance(encoderOf(crashing));
  const uuid = await endedCall(1);
  for (let attempt = 0; attempt < 2; attempt++) {
    await processRecording(context, tenantId, uuid);
    expect((await rowOf(uuid))?.recordingStatus).toBe("processing");
  }
  expect(mails).toEqual([]);
  await expectTakenUp(uuid);
});

test("a recording that kills the third encoder is given up: its mail says so, its WAV stays", async () => {
  const { context, mails } = appliance(encoderOf(crashing));
  const uuid = await endedCall(1);
  for (let attempt = 0; attempt < 3; attempt++) await processRecording(context, tenantId, uuid);
  expect((await rowOf(uuid))?.recordingStatus).toBe("failed");
  expect(mailsOf(mails, uuid)).toEqual([null]);
  expect(filesOf(uuid)).toEqual([`${uuid}.wav`]);
});

test("a file that is not a recording fails at once", async () => {
  const { context, mails, announced } = appliance(encoderOf());
  const uuid = await endedCall(1);
  writeFileSync(join(recordingsDir, `${uuid}.wav`), "not a WAV at all");
  await processRecording(context, tenantId, uuid);
  expect(announced).toEqual([]);
  expect((await rowOf(uuid))?.recordingStatus).toBe("failed");
  expect(mailsOf(mails, uuid)).toEqual([null]);
});

test("partial files of a crashed encoding are deleted at the start", async () => {
  const uuid = crypto.randomUUID();
  writeFileSync(join(recordingsDir, `${uuid}.mp3.part`), "half");
  writeFileSync(join(recordingsDir, `${uuid}.mp3`), "whole");
  await recoverCalls(appliance(encoderOf()).context);
  expect(filesOf(uuid)).toEqual([`${uuid}.mp3`]);
});

const TALK_MS = 20_000;

/** The end of an answered call, as main writes it. */
async function finish(context: CallContext, uuid: string, channel: PoolCall): Promise<void> {
  const identity: CallIdentity = {
    tenantId,
    callUuid: uuid,
    rowId: (await rowOf(uuid))?.id ?? 0,
    agentId,
    direction: "inbound",
    fromNumber: "+37060000001",
    toNumber: "+37052000000",
    language: "en",
    maxDurationSeconds: 600,
    overageRate: microEur(0),
  };
  const ending = endingByUs("completed", "engine_failure");
  const end = { ending, answeredMs: TALK_MS, sinceAnswerMs: TALK_MS };
  await finishCall(context, identity, end, channel);
}

function channelOf(uuid: string): PoolCall {
  return new PoolCall({
    config: { ...callConfig(), callId: uuid },
    clock,
    log,
    closeTimeoutMs: 10_000,
    send: () => undefined,
    onGone: () => undefined,
  });
}

test("a dead call worker loses no recording of its calls", async () => {
  const { context, mails } = appliance(encoderOf());
  const uuids = [await storedCall(), await storedCall()];
  for (const uuid of uuids) {
    writeWav(uuid, 2, false);
    const channel = channelOf(uuid);
    channel.workerDied("the call worker ended");
    await finish(context, uuid, channel);
  }
  for (const uuid of uuids) {
    await eventually(async () => (await rowOf(uuid))?.recordingStatus === "ready", "it is encoded");
    expect(await rowOf(uuid)).toMatchObject({
      endedReason: "engine_failure",
      recordingMs: 2_000,
      recordingFile: `${uuid}.mp3`,
    });
    expect(mailsOf(mails, uuid)).toEqual([`${uuid}.mp3`]);
  }
});

test("a worker that is slow to close loses no recording", async () => {
  const { context, mails } = appliance(encoderOf());
  const uuid = await storedCall();
  writeWav(uuid, 2, false);
  const finished = finish(context, uuid, channelOf(uuid));
  await eventually(async () => {
    await clock.advance(10_000);
    return (await rowOf(uuid))?.recordingStatus === "ready";
  }, "it is encoded");
  await finished;
  expect(mailsOf(mails, uuid)).toEqual([`${uuid}.mp3`]);
});

test("a dead worker's call without a recording is marked as having none, and its mail goes at once", async () => {
  const { context, mails } = appliance(encoderOf());
  const [nothing, empty] = [await storedCall(), await storedCall()];
  writeWav(empty, 0);
  for (const uuid of [nothing, empty]) {
    const channel = channelOf(uuid);
    channel.workerDied("the call worker ended");
    await finish(context, uuid, channel);
    expect(await rowOf(uuid)).toMatchObject({ recordingStatus: "none", recordingFile: null });
    expect(mailsOf(mails, uuid)).toEqual([null]);
    expect(filesOf(uuid)).toEqual([]);
  }
});
