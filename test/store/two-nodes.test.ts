/** Two nodes on one libSQL server: single actions happen once, even if a node sleeps or dies. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { BEAT_MS, LET_GO_MS, TAKE_OVER_MS, TrunkLeases } from "../../src/app/trunk-leases.ts";
import type { Database } from "../../src/core/database.ts";
import { silentLog as log } from "../../src/core/log.ts";
import { systemRandom as random } from "../../src/core/random.ts";
import { apiKeyStore } from "../../src/features/key/api-key-store.ts";
import { ApiKeys } from "../../src/features/key/api-keys.ts";
import { NO_LIMITS } from "../../src/features/key/key-limits.ts";
import { MailQueue } from "../../src/features/mail/mail-queue.ts";
import { mailStore } from "../../src/features/mail/mail-store.ts";
import { outboxProvider } from "../../src/features/mail/providers/outbox.ts";
import { type ScheduleRow, scheduleStore } from "../../src/features/schedule/schedule-store.ts";
import { Scheduler } from "../../src/features/schedule/scheduler.ts";
import { trunkStore } from "../../src/features/trunk/trunk-store.ts";
import { callStarted } from "../../src/features/webhook/catalogue.ts";
import { DeliveryWorker } from "../../src/features/webhook/delivery.ts";
import { createEventSink } from "../../src/features/webhook/sink.ts";
import { webhookStores } from "../../src/features/webhook/webhook-stores.ts";
import { rateStore } from "../../src/http/rate-store.ts";
import { sharedRateLimiter } from "../../src/http/shared-rate-limit.ts";
import { SafeHttpClient } from "../../src/platform/net/outbound-http.ts";
import { calls, mails, outbox, schedules, trunkLeases } from "../../src/store/schema/index.ts";
import { eventually } from "../support/eventually.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { answer, httpsReceiver } from "../support/net/https-receiver.ts";
import { testCa } from "../support/net/test-ca.ts";
import { plainVault } from "../support/store/plain-vault.ts";
import { insertCall, insertTenant, insertWebhook } from "../support/store/stored-rows.ts";
import { openRemote, serverFor } from "../support/store/test-store.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

/** The server runs on this machine: on a busy one a round of many requests takes long. */
const PATIENT_MS = 60_000;

const directory = tempDir();
const path = join(directory, "shared.db");
let one: Database;
let two: Database;

beforeAll(async () => {
  one = await openRemote(path);
  two = await openRemote(path);
});
afterAll(async () => {
  await one.close();
  await two.close();
});

async function insertTrunk(tenantId: number): Promise<number> {
  const now = 0;
  const trunk = await one.tx((queries) =>
    trunkStore(queries).put(
      tenantId,
      {
        server: "sip.example",
        port: 5060,
        transport: "udp",
        username: "u",
        realm: null,
        outboundProxy: null,
        callerId: "+37052000000",
        register: true,
        createdAt: now,
        updatedAt: now,
      },
      () => "sealed",
    ),
  );
  return trunk.id;
}

const due = (tenantId: number, clock: FakeClock, count = 1) =>
  one.tx((queries) => {
    // In one request: separate ones would block the server's writer too long on a busy machine.
    const entries = Array.from({ length: count }, () =>
      scheduleStore(queries).insert(tenantId, {
        callUuid: crypto.randomUUID(),
        toNumber: "+37061234567",
        fromNumber: "+37052000000",
        scheduleAt: clock.now() - 1,
        status: "pending",
        immediate: false,
        createdAt: 0,
      }),
    );
    return Promise.all(entries);
  });

/** A scheduler of one node; `fire` replaces the dialer's transaction and records its dials. */
function node(
  database: Database,
  clock: FakeClock,
  options: { owner: string; node?: string; dialled: number[]; before?: () => Promise<void> },
) {
  return new Scheduler({
    records: scheduleStore,
    database,
    clock,
    log,
    owner: options.owner,
    node: options.node ?? null,
    isDraining: () => false,
    async fire(entry: ScheduleRow) {
      await options.before?.();
      const fired = await database.tx((queries) =>
        scheduleStore(queries).leavePending(
          entry.tenantId,
          entry.id,
          "fired",
          {},
          entry.leaseToken,
        ),
      );
      if (fired) options.dialled.push(entry.id);
      return { type: fired ? "dialed" : "gone" };
    },
    async abandon() {},
  }).start();
}

test("a key created on one node works on the other; a revoked one fails on both within two seconds", async () => {
  const clock = fakeClock();
  const keys = [one, two].map(
    (database) => new ApiKeys({ database, records: apiKeyStore, clock, random, log }),
  );
  const [here, there] = keys;
  if (!here || !there) throw new Error("two nodes are needed");
  const tenantId = await insertTenant(one);
  const { id, secret } = await here.create(tenantId, "shared", NO_LIMITS);
  expect((await there.identify(secret, "127.0.0.1"))?.tenantId).toBe(tenantId);
  await here.revoke(tenantId, id);
  await clock.advance(2_000);
  expect(await there.identify(secret, "127.0.0.1")).toBeNull();
  for (const each of keys) await each.stop();
});

test("simultaneous requests to two nodes share one limit", async () => {
  const clock = fakeClock();
  const nodes = [one, two].map((database) =>
    sharedRateLimiter(() => 10, { database, requests: rateStore, clock }),
  );
  const verdicts = await Promise.all(
    Array.from({ length: 30 }, (_, index) => nodes[index % 2]?.take(77)),
  );
  expect(verdicts.filter((verdict) => verdict?.allowed)).toHaveLength(10);
});

test("300 entries due at once are dialled once each by two nodes", async () => {
  const clock = fakeClock();
  const tenantId = await insertTenant(one);
  const ids = await due(tenantId, clock, 300);
  const dialled: number[] = [];
  const nodes = [
    node(one, clock, { owner: "a", dialled }),
    node(two, clock, { owner: "b", dialled }),
  ];
  await eventually(() => dialled.length >= ids.length, "all are dialled", PATIENT_MS);
  for (const each of nodes) await each.stop();
  expect([...dialled].sort((a, b) => a - b)).toEqual(ids);
});

test("a node that slept past its lease, between claim and dial, dials nothing when it wakes", async () => {
  const clock = fakeClock();
  const tenantId = await insertTenant(one);
  const [id] = await due(tenantId, clock);
  const sleeping = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const dialled: string[] = [];
  const asleep: number[] = [];
  const awake: number[] = [];
  const first = node(one, clock, {
    owner: "a",
    dialled: asleep,
    before: () => {
      reached.resolve();
      return sleeping.promise;
    },
  });
  await reached.promise;
  const second = node(two, clock, { owner: "b", dialled: awake });
  second.wake();
  await second.idle();
  expect(awake).toEqual([]);
  await clock.advance(31_000);
  await second.idle();
  await eventually(() => awake.length === 1, "the second node dials");
  sleeping.resolve();
  await first.idle();
  expect({ asleep, awake, dialled }).toEqual({ asleep: [], awake: [id ?? 0], dialled: [] });
  await first.stop();
  await second.stop();
});

test("a release or failure by a sleeping node does not affect the node that has claimed the entry since", async () => {
  const clock = fakeClock();
  const tenantId = await insertTenant(one);
  await due(tenantId, clock);
  const claim = (database: Database, owner: string) =>
    database.tx((queries) =>
      scheduleStore(queries).claimDue(owner, clock.now(), 30_000, 10, {
        exceptTenants: [],
        immediateOnly: false,
        node: null,
      }),
    );
  const stale = (await claim(one, "a")).filter((row) => row.tenantId === tenantId);
  await clock.advance(31_000);
  const [fresh] = (await claim(two, "b")).filter((row) => row.tenantId === tenantId);
  const [old] = stale;
  if (!fresh || !old) throw new Error("both nodes claim it");
  await one.tx((queries) => scheduleStore(queries).release("a", stale));
  const failed = one.tx((queries) =>
    scheduleStore(queries).leavePending(tenantId, old.id, "failed", {}, old.leaseToken),
  );
  expect(await failed).toBe(false);
  const row = (await two.read.select().from(schedules)).find(({ id }) => id === fresh.id);
  expect(row).toMatchObject({ status: "pending", leaseOwner: "b", leaseToken: fresh.leaseToken });
  await two.tx((queries) =>
    scheduleStore(queries).leavePending(tenantId, fresh.id, "fired", {}, fresh.leaseToken),
  );
});

test("an entry is dialled by the node with its tenant's trunk, not by the first that checks", async () => {
  const clock = fakeClock();
  const tenantId = await insertTenant(one);
  const trunkId = await insertTrunk(tenantId);
  const ids = await due(tenantId, clock, 3);
  const wrong: number[] = [];
  const right: number[] = [];
  const without = node(one, clock, { owner: "a", node: "A", dialled: wrong });
  await without.idle();
  expect(wrong).toEqual([]); // nobody has it yet
  await two.tx((queries) =>
    queries.insert(trunkLeases).values({ trunkId, node: "B", beat: 1, takenAt: 0 }),
  );
  without.wake();
  await without.idle();
  const holder = node(two, clock, { owner: "b", node: "B", dialled: right });
  await holder.idle();
  expect({ wrong, right }).toEqual({ wrong: [], right: ids });
  await without.stop();
  await holder.stop();
  await two.tx((queries) => queries.delete(trunkLeases));
});

/** A node's trunks, with the currently registered ones. */
function trunksOf(database: Database, name: string, clock: FakeClock) {
  const registered = new Set<number>();
  const leases = new TrunkLeases({
    database,
    clock,
    log,
    self: () => ({ id: name, name, version: "0", weight: 100, calls: 0 }),
    hasCalls: () => false,
    trunks: {
      add: (trunk) => void registered.add(trunk.id),
      remove: async (trunkId) => void registered.delete(trunkId),
    },
  });
  void leases.start();
  return { registered, leases };
}

test("a trunk is registered by one node, taken over when that node is gone, and released by one that slept", async () => {
  const trunkId = (await trunkStore(one.read).all())[0]?.id ?? 0;
  // Each node has its own clock, an hour apart: only elapsed time counts.
  const clocks = [fakeClock(), fakeClock(fakeClock().now() + 3_600_000)] as const;
  const a = trunksOf(one, "A", clocks[0]);
  await a.leases.round();
  const b = trunksOf(two, "B", clocks[1]);
  await b.leases.round();
  expect([a.registered.has(trunkId), b.registered.has(trunkId)]).toEqual([true, false]);
  // Both alive: no trunk changes its node.
  for (let beat = 0; beat < 10; beat++) {
    for (const clock of clocks) await clock.advance(BEAT_MS);
    await a.leases.round();
    await b.leases.round();
  }
  expect([a.registered.has(trunkId), b.registered.has(trunkId)]).toEqual([true, false]);
  // A sleeps; B sees no heartbeat of A.
  for (let slept = 0; slept <= TAKE_OVER_MS + BEAT_MS; slept += BEAT_MS) {
    await clocks[1].advance(BEAT_MS);
    await b.leases.round();
  }
  expect(b.registered.has(trunkId)).toBe(true);
  // A wakes, and releases its trunks at its first heartbeat.
  await a.leases.round();
  expect(a.registered.has(trunkId)).toBe(false);
  // A clean end of B hands over at A's next check.
  await b.leases.stop();
  await a.leases.round();
  expect(a.registered.has(trunkId)).toBe(true);
  await a.leases.stop();
});

test("a node without access to the store releases its trunks before another may take them", async () => {
  const clock = fakeClock();
  const cut = await openRemote(path, { requestMs: 1_500, busyMs: 1_500 });
  const a = trunksOf(cut, "A", clock);
  await eventually(
    async () => {
      await a.leases.round();
      return a.registered.size > 0;
    },
    "it is registered",
    PATIENT_MS,
  );
  const thaw = (await serverFor(path)).freeze();
  await clock.advance(BEAT_MS);
  await a.leases.round();
  expect(a.registered.size).toBeGreaterThan(0);
  await clock.advance(LET_GO_MS);
  await eventually(() => a.registered.size === 0, "the trunk is let go", PATIENT_MS);
  expect(LET_GO_MS + BEAT_MS).toBeLessThan(TAKE_OVER_MS);
  thaw();
  // The server drops the transactions of the cut-off requests after a while.
  await eventually(
    async () => {
      await a.leases.round();
      return a.registered.size > 0;
    },
    "it is registered again",
    PATIENT_MS,
  );
  await a.leases.stop();
  await cut.close();
});

test("an event is delivered by one of two nodes at work", async () => {
  const HOST = "127.42.0.9";
  const ca = testCa(directory);
  const receiver = await httpsReceiver(ca.issue([`IP:${HOST}`]), answer(200), HOST);
  const clock = fakeClock();
  const client = new SafeHttpClient({ allowNetworks: [`${HOST}/32`], caPem: ca.caPem });
  const shared = { stores: webhookStores, vault: plainVault, client, clock, random, log };
  const workers = [one, two].map(
    (database) => new DeliveryWorker({ ...shared, database, timeoutMs: PATIENT_MS, pauseMs: 0 }),
  );
  const tenantId = await insertTenant(one);
  await insertWebhook(one, tenantId, {
    url: `https://${HOST}:${receiver.port}/hook`,
    events: ["call.started"],
  });
  const sink = createEventSink({ stores: webhookStores, clock, random, wake: () => undefined });
  await one.tx(async (queries) => {
    for (let n = 0; n < 40; n++) {
      const facts = { callUuid: crypto.randomUUID(), direction: "inbound" as const, agentId: null };
      const parties = { fromNumber: "+37060000001", toNumber: "+37052000000" };
      await sink.emit(queries, tenantId, callStarted({ ...facts, ...parties }, "ringing"));
    }
  });
  for (const worker of workers) worker.start();
  const open = async () =>
    (await one.read.select().from(outbox)).filter((row) => row.status === "pending").length;
  await eventually(async () => (await open()) === 0, "all are delivered", PATIENT_MS);
  for (const worker of workers) await worker.stop(0);
  const ids = receiver.requests.map(({ body }) => JSON.parse(body).id ?? body);
  expect(receiver.requests).toHaveLength(40);
  expect(new Set(ids).size).toBe(40);
  await receiver.close();
});

test("a mail is delivered once, and its recording is deleted by its own node", async () => {
  const clock = fakeClock();
  const outboxDir = join(directory, "outbox");
  const recordings = ["A", "B"].map((name) => join(directory, `recordings-${name}`));
  for (const each of recordings) mkdirSync(each);
  const queues = [one, two].map(
    (database, index) =>
      new MailQueue({
        database,
        stores: mailStore,
        clock,
        random,
        log,
        from: "calls@voice.example",
        provider: outboxProvider(outboxDir),
        attachmentBytesMax: 18_000_000,
        recordingLink: () => "",
        recordingsDir: recordings[index] ?? "",
        node: index === 0 ? "A" : "B",
      }),
  );
  const tenantId = await insertTenant(one);
  const told: string[] = [];
  for (const [index, queue] of queues.entries())
    queue.onSent(async ({ callUuid }) => void told.push(`${index}:${callUuid}`));
  const expected: string[] = [];
  for (let n = 0; n < 20; n++) {
    const callUuid = crypto.randomUUID();
    const index = n % 2;
    await insertCall(one, tenantId, callUuid);
    await one.tx((queries) =>
      queries
        .update(calls)
        .set({ node: index === 0 ? "A" : "B" })
        .where(eq(calls.callUuid, callUuid)),
    );
    writeFileSync(join(recordings[index] ?? "", `${callUuid}.mp3`), "audio");
    expected.push(`${index}:${callUuid}`);
    await one.tx((queries) =>
      mailStore(queries).enqueue(
        tenantId,
        {
          key: callUuid,
          callUuid,
          recipient: "desk@clinic.example",
          subject: "s",
          body: "b",
          attachment: `${callUuid}.mp3`,
        },
        clock.now(),
      ),
    );
  }
  for (const queue of queues) queue.start();
  const open = async () =>
    (await one.read.select().from(mails)).filter((row) => row.status === "pending").length;
  await eventually(async () => (await open()) === 0, "all are handed over", PATIENT_MS);
  await eventually(() => told.length === expected.length, "everybody is told");
  for (const queue of queues) await queue.stop();
  expect([...told].sort()).toEqual([...expected].sort());
  const written = readdirSync(outboxDir).filter((name) => name.endsWith(".eml"));
  expect(written).toHaveLength(20);
});

test("a mail with a recording on a lost node is sent without it after a day, and not before", async () => {
  const clock = fakeClock();
  const outboxDir = join(directory, "outbox-lost");
  const recordingsDir = join(directory, "recordings-of-A");
  mkdirSync(recordingsDir);
  const queueOf = (database: Database, node: string) =>
    new MailQueue({
      database,
      stores: mailStore,
      clock,
      random,
      log,
      from: "calls@voice.example",
      provider: outboxProvider(outboxDir),
      recordingsDir,
      node,
      attachmentBytesMax: 18_000_000,
      recordingLink: () => "",
    });
  const tenantId = await insertTenant(one);
  const callUuid = crypto.randomUUID();
  await insertCall(one, tenantId, callUuid);
  await one.tx(async (queries) => {
    await queries.update(calls).set({ node: "lost" }).where(eq(calls.callUuid, callUuid));
    await mailStore(queries).enqueue(
      tenantId,
      {
        key: callUuid,
        callUuid,
        recipient: "desk@clinic.example",
        subject: "s",
        body: "b",
        attachment: `${callUuid}.mp3`,
        recordingWords: {
          attached: "A",
          linked: "L",
          gone: "G",
          unreachable: "its server is gone",
        },
      },
      clock.now(),
    );
  });
  const rowOf = async () =>
    (await one.read.select().from(mails)).find((row) => row.callUuid === callUuid);
  const queue = queueOf(two, "B");
  const told: unknown[] = [];
  queue.onSent(async ({ attachment }) => void told.push(attachment));
  queue.start();
  const look = async () => {
    queue.wake();
    await two.tx(async () => {});
    await two.tx(async () => {});
  };
  clock.stepWallClock(24 * 3_600_000 - 1);
  await look();
  expect(await rowOf()).toMatchObject({ status: "pending", attempts: 0, leaseOwner: null });
  clock.stepWallClock(1);
  queue.wake();
  await eventually(async () => (await rowOf())?.status === "sent", "it goes");
  await queue.stop();
  expect(await rowOf()).toMatchObject({ attachment: null, recordingForm: "unreachable" });
  const [file] = readdirSync(outboxDir).filter((name) => name.endsWith(".eml"));
  expect(readFileSync(join(outboxDir, file ?? ""), "utf8")).toContain("its server is gone");
  // If the node returns, it must not delete the unmailed recording.
  expect(told).toEqual([null]);
  expect(await mailStore(one.read).withAttachmentLeft(10, "lost")).toEqual([]);
});
