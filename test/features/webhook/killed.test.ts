/** Kill −9 at every step of a delivery: real processes, a real database file, a real HTTPS receiver. */
import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eq } from "drizzle-orm";
import { systemClock } from "../../../src/core/clock.ts";
import type { Database } from "../../../src/core/database.ts";
import { microEur } from "../../../src/core/money.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { callAnswered, callEnded, callStarted } from "../../../src/features/webhook/catalogue.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { deliveries, events, outbox } from "../../../src/store/schema/index.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { eventually } from "../../support/eventually.ts";
import type { DeliveryProcess, Step } from "../../support/http/delivery-process.ts";
import { answer, type HttpsReceiver, httpsReceiver } from "../../support/net/https-receiver.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

const HOST = "127.43.0.1";
const PROGRAM = fileURLToPath(new URL("../../support/http/delivery-process.ts", import.meta.url));
const PAST_EVERY_LEASE_MS = 60_000;
const TYPES = ["call.started", "call.answered", "call.ended"];

const directory = tempDir();
const ca = testCa(directory);
let receiver: HttpsReceiver;
let databasePath = "";
let databases = 0;

beforeAll(async () => {
  receiver = await httpsReceiver(ca.issue([`IP:${HOST}`]), answer(200), HOST);
});
afterEach(() => {
  receiver.respond = answer(200);
  receiver.requests.length = 0;
});
afterAll(() => receiver.close());

async function withDatabase<Result>(work: (database: Database) => Promise<Result>) {
  const database = openDatabase(databasePath, systemClock.now());
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** A tenant's webhook in a new database, and three events per call, in order. */
async function storeCalls(calls: number): Promise<void> {
  databasePath = join(directory, `killed-${++databases}.db`);
  const sink = createEventSink({
    stores: webhookStores,
    clock: systemClock,
    random: systemRandom,
    wake: () => {},
  });
  await withDatabase(async (database) => {
    const tenantId = await insertTenant(database);
    const url = `https://${HOST}:${receiver.port}/hook`;
    await insertWebhook(database, tenantId, { url, events: TYPES });
    for (let call = 0; call < calls; call++) {
      const facts = {
        callUuid: crypto.randomUUID(),
        direction: "outbound" as const,
        fromNumber: "+37060000001",
        toNumber: "+37052000000",
        agentId: null,
      };
      const ending = { status: "completed", reason: "caller_hangup", sipCode: null };
      const charge = { billableSeconds: 15, cost: microEur(30_000) };
      await database.tx(async (queries) => {
        await sink.emit(queries, tenantId, callStarted(facts, "dialing"));
        await sink.emit(queries, tenantId, callAnswered(facts, systemClock.now()));
        await sink.emit(queries, tenantId, callEnded(facts, ending, charge, 9_000));
      });
    }
  });
}

function startProcess(settings: Pick<DeliveryProcess, "dieAt" | "aheadMs">) {
  const all: DeliveryProcess = {
    ...settings,
    databasePath,
    caPem: ca.caPem,
    network: `${HOST}/32`,
  };
  return Bun.spawn([process.execPath, PROGRAM, JSON.stringify(all)], {
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
}

type Process = ReturnType<typeof startProcess>;

async function expectKilled(started: Process): Promise<void> {
  await started.exited;
  expect(started.signalCode).toBe("SIGKILL");
}

/** A process after the crash, when every lease of the dead one has expired. */
async function restart(aheadMs = PAST_EVERY_LEASE_MS): Promise<void> {
  expect(await startProcess({ dieAt: null, aheadMs }).exited).toBe(0);
}

const eventOf = (request: {
  readonly body: string;
}): { id: string; type: string; call: string } => {
  const { id, type, data } = JSON.parse(request.body);
  return { id, type, call: data.call_id };
};

/** Nothing lost, nothing changed, every request with its own delivery, calls in order. */
async function expectWhole(): Promise<void> {
  const requests = [...receiver.requests];
  await withDatabase(async ({ read }) => {
    const rows = await read.select().from(outbox);
    expect(rows.map(({ status }) => status)).toEqual(rows.map(() => "delivered"));
    const stored = await read.select().from(events);
    const bodies = new Map(stored.map(({ id, body }) => [id, body]));
    for (const request of requests)
      expect(request.body).toBe(bodies.get(eventOf(request).id) ?? "");
    expect(new Set(requests.map((request) => eventOf(request).id)).size).toBe(stored.length);
    const logged = await read.select().from(deliveries);
    expect(logged.length).toBe(rows.length); // attempts that the dead process did not store stay unlogged
  });
  const ids = requests.map(({ headers }) => headers["x-lv-delivery-id"]);
  expect(new Set(ids).size).toBe(requests.length);
  const first = new Map(requests.toReversed().map((request) => [eventOf(request).id, request]));
  const inOrder = requests.filter((request) => first.get(eventOf(request).id) === request);
  for (const call of new Set(requests.map((request) => eventOf(request).call))) {
    const types = inOrder.map(eventOf).filter((event) => event.call === call);
    expect(types.map(({ type }) => type)).toEqual(TYPES);
  }
}

/** Requests that had arrived when the process died. */
const SENT_BEFORE_DEATH: Readonly<Record<Step, number>> = {
  "before the claim": 0,
  "the claim written, not committed": 0,
  "claimed, nothing sent": 0,
  "answered, nothing stored": 1,
  "the outcome written, not committed": 1,
  "the outcome committed": 1,
};
const STEPS = Object.keys(SENT_BEFORE_DEATH) as Step[];

describe("after kill −9", () => {
  test.each(STEPS)("%s: everything arrives, in order", async (dieAt) => {
    await storeCalls(1);
    await expectKilled(startProcess({ dieAt, aheadMs: 0 }));
    expect(receiver.requests.length).toBe(SENT_BEFORE_DEATH[dieAt]);
    await restart();
    await expectWhole();
    // Sent again only if the answer was not stored: at least once, not more often than needed.
    const twice = dieAt === "answered, nothing stored" || dieAt.startsWith("the outcome written");
    expect(receiver.requests.length).toBe(twice ? 4 : 3);
    const [begun, again] = receiver.requests;
    if (twice) expect(again?.body).toBe(begun?.body ?? "");
  });

  test("during the request: the event is sent again, unchanged except for its delivery id", async () => {
    receiver.respond = () => {};
    await storeCalls(1);
    const dying = startProcess({ dieAt: null, aheadMs: 0 });
    await eventually(() => receiver.requests.length === 1, "the request is there");
    dying.kill("SIGKILL");
    await expectKilled(dying);
    receiver.respond = answer(200);
    await restart();
    await expectWhole();
    expect(receiver.requests.length).toBe(4);
    const [begun, again] = receiver.requests;
    expect(again?.body).toBe(begun?.body ?? "");
    expect(again?.headers["x-lv-delivery-id"]).not.toBe(begun?.headers["x-lv-delivery-id"]);
  });

  test("a stored failed attempt still counts, and the retry is unchanged except for its delivery id", async () => {
    receiver.respond = answer(503, "", { "retry-after": "30" });
    await storeCalls(1);
    await expectKilled(startProcess({ dieAt: "the outcome committed", aheadMs: 0 }));
    const [failed] = receiver.requests;
    await withDatabase(async ({ read }) => {
      const [row] = await read.select().from(outbox).orderBy(outbox.id);
      expect(row).toMatchObject({ status: "pending", attempts: 1, leaseOwner: null });
      expect((row?.nextAttemptAt ?? 0) - systemClock.now()).toBeGreaterThan(10_000);
    });
    receiver.respond = answer(200);
    await restart();
    const again = receiver.requests.filter(({ body }) => body === failed?.body);
    expect(again.length).toBe(2);
    expect(new Set(again.map(({ headers }) => headers["x-lv-delivery-id"])).size).toBe(2);
    await withDatabase(async ({ read }) => {
      const eventId = eventOf(failed ?? { body: "{}" }).id;
      const logged = await read.select().from(deliveries).where(eq(deliveries.eventId, eventId));
      expect(logged.map(({ attempt, httpStatus }) => [attempt, httpStatus]).sort()).toEqual([
        [1, 503],
        [2, 200],
      ]);
    });
  });

  test("five times in the middle of a hundred calls: nothing is lost and each call stays in order", async () => {
    await storeCalls(100);
    for (let death = 0; death < 5; death++) {
      const dying = startProcess({ dieAt: null, aheadMs: death * PAST_EVERY_LEASE_MS });
      const enough = receiver.requests.length + 4 + death;
      await eventually(() => receiver.requests.length >= enough, "it delivers");
      dying.kill("SIGKILL");
      await expectKilled(dying);
    }
    await restart(5 * PAST_EVERY_LEASE_MS);
    await expectWhole();
  });
});
