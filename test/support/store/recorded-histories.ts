/**
 * Seeded histories of money, events and recordings, with a digest of all resulting rows. A digest
 * changes if any balance, ledger entry, plan second, hold, event, delivery or recording does.
 * test/property/recorded-histories.test.ts compares them with a fixture.
 */
import { createHash } from "node:crypto";
import { asc, eq } from "drizzle-orm";
import { callStore } from "../../../src/call/store/call-store.ts";
import type { Database } from "../../../src/core/database.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog as log } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import { type Random, randomInt, seededRandom } from "../../../src/core/random.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores as stores } from "../../../src/features/billing/billing-stores.ts";
import { renewMonths } from "../../../src/features/billing/renewal.ts";
import type { EventType } from "../../../src/features/webhook/event-types.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import {
  callPeaks,
  calls,
  events,
  holds,
  ledgerEntries,
  ledgerTransactions,
  outbox,
  planUsage,
  renewals,
  tenants,
  wallets,
  webhooks,
} from "../../../src/store/schema/index.ts";
import { type FakeClock, fakeClock } from "../fake-clock.ts";
import { prepaidPlan, startPlan } from "../plans.ts";
import { insertAgent, insertCall, insertTenant, insertWebhook } from "./stored-rows.ts";

const START = Date.parse("2026-11-28T04:05:06Z");
const DAY_MS = 86_400_000;
const STEPS_MAX = 14;
const CALLS = 3;
const TYPES: readonly EventType[] = ["call.ended", "transcript.completed", "recording.ready"];

const tiny = { ...startPlan, slug: "tiny", includedMinutes: 2, pricePerMonth: microEur(3_000_001) };
const plans = [tiny, prepaidPlan];

const uuidFrom = (random: Random): string => {
  const hex = Buffer.from(random.bytes(16)).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
};

interface LiveCall {
  readonly uuid: string;
  readonly rate: number;
  talkMs: number;
}

class RecordedHistory {
  readonly #live = new Map<number, LiveCall>();
  readonly #ended: LiveCall[] = [];
  readonly #billing: Billing;
  readonly #sink: ReturnType<typeof createEventSink>;
  #tenantId = 0;
  #agentId = 0;

  constructor(
    private readonly database: Database,
    private readonly random: Random,
    private readonly clock: FakeClock,
  ) {
    this.#billing = new Billing({ database, stores, plans, clock, random });
    this.#sink = createEventSink({ stores: webhookStores, clock, random, wake: () => {} });
  }

  /** Returns the affected tenant's id. */
  async run(): Promise<number> {
    const { database, random, clock } = this;
    const plan = this.#pick(plans).slug;
    this.#tenantId = await insertTenant(database, { plan, createdAt: clock.now() });
    const webhookUrl = random.float() < 0.3 ? "https://own.test/" : "";
    this.#agentId = await insertAgent(database, this.#tenantId, { webhookUrl });
    for (let count = randomInt(random, 3); count > 0; count--) {
      const selected = TYPES.filter(() => random.float() < 0.6);
      const enabled = random.float() < 0.8;
      await insertWebhook(database, this.#tenantId, { events: selected, enabled });
    }
    for (let steps = 4 + randomInt(random, STEPS_MAX - 4); steps > 0; steps--) await this.#step();
    return this.#tenantId;
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[randomInt(this.random, items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  async #step(): Promise<void> {
    const { random, clock, database } = this;
    const drawn = random.float();
    const slot = randomInt(random, CALLS);
    const live = this.#live.get(slot);
    if (drawn < 0.2 || (drawn < 0.7 && !live)) await this.#begin(slot);
    else if (drawn < 0.45 && live) await this.#talk(live, 1 + randomInt(random, 90_000));
    else if (drawn < 0.7 && live) await this.#hangUp(slot, live);
    else if (drawn < 0.74) await this.#chargeAgain();
    else if (drawn < 0.88)
      await this.#billing.credit(this.#tenantId, microEur(1 + randomInt(random, 900_000)), "test");
    else if (drawn < 0.92) await this.#changePlan();
    else if (drawn < 0.96) await this.#emit(1 + randomInt(random, 3));
    else {
      clock.stepWallClock((random.float() < 0.5 ? 31 : randomInt(random, 4)) * DAY_MS);
      const mails = { enqueue: async () => undefined, wake: () => undefined };
      await renewMonths({ database, stores, plans, mails, clock, log });
    }
  }

  async #begin(slot: number): Promise<void> {
    if (this.#live.has(slot)) return;
    const { database } = this;
    const uuid = uuidFrom(this.random);
    const plan = await this.#billing.planOf(database.read, this.#tenantId);
    await insertCall(database, this.#tenantId, uuid, plan.overagePerMinute);
    try {
      await database.tx((queries) => this.#billing.hold(queries, this.#tenantId, uuid));
      this.#live.set(slot, { uuid, rate: plan.overagePerMinute, talkMs: 1 });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "insufficient_balance") throw error;
    }
  }

  async #talk(live: LiveCall, ms: number): Promise<void> {
    live.talkMs += ms;
    await this.#billing.extendHold(this.#tenantId, live.uuid, live.talkMs / 1000);
  }

  async #hangUp(slot: number, live: LiveCall): Promise<void> {
    this.#live.delete(slot);
    const isAnswered = this.random.float() < 0.9;
    const isCut = this.random.float() < 0.1;
    const settled = this.#settle(live, isAnswered ? live.talkMs : 0, isCut);
    if (isCut) {
      await settled.catch(() => undefined);
      await this.#settle(live, live.talkMs, false);
    } else await settled;
    this.#ended.push(live);
    await this.#encode(live.uuid);
  }

  async #settle({ uuid, rate }: LiveCall, talkMs: number, isCut: boolean): Promise<void> {
    await this.database.tx(async (queries) => {
      const money = microEur(rate);
      const charge = await this.#billing.settle(queries, this.#tenantId, uuid, talkMs, money);
      const ended = { status: "completed", recordingStatus: "processing", ...charge } as const;
      await queries.update(calls).set(ended).where(eq(calls.callUuid, uuid));
      const drafts = TYPES.slice(0, 1 + randomInt(this.random, 2));
      await this.#sink.emit(
        queries,
        this.#tenantId,
        ...drafts.map((type) => this.#draft(type, uuid)),
      );
      if (isCut) throw new Error("cut off");
    });
  }

  async #encode(uuid: string): Promise<void> {
    const isEncoded = this.random.float() < 0.7;
    const peaks = {
      durationMs: 2000,
      slotsPerSecond: 2,
      left: Int8Array.from(this.random.bytes(4)),
      right: Int8Array.from(this.random.bytes(4)),
    };
    const change = isEncoded
      ? ({ status: "ready", file: `${uuid}.mp3` } as const)
      : ({ status: "failed" } as const);
    await this.database.tx(async (queries) => {
      const encoded = isEncoded ? { peaks, atMs: this.clock.now() } : null;
      await callStore(queries).leaveProcessing(this.#tenantId, uuid, change, encoded);
      await callStore(queries).leaveProcessing(this.#tenantId, uuid, { status: "failed" }, null);
    });
  }

  async #chargeAgain(): Promise<void> {
    const [ended] = this.#ended;
    if (!ended) return;
    const { uuid, rate } = ended;
    await this.database.tx((queries) =>
      this.#billing.settle(queries, this.#tenantId, uuid, 999_000, microEur(rate)),
    );
  }

  async #changePlan(): Promise<void> {
    const plan = this.#pick(plans).slug;
    await this.database.tx(async (queries) => {
      await queries.update(tenants).set({ plan }).where(eq(tenants.id, this.#tenantId));
    });
  }

  async #emit(count: number): Promise<void> {
    const drafts = Array.from({ length: count }, () => this.#draft(this.#pick(TYPES), null));
    await this.database.tx((queries) => this.#sink.emit(queries, this.#tenantId, ...drafts));
  }

  #draft(type: EventType, callUuid: string | null) {
    return {
      type,
      callUuid,
      agentId: this.#agentId,
      data: { text: `„${randomInt(this.random, 1000)}“ \u{1F600}` },
    };
  }
}

/** All rows of a tenant, in order, without row ids that depend on other tenants. */
async function rowsOf({ read }: Database, tenantId: number): Promise<unknown> {
  const of = <Table extends { tenantId: typeof wallets.tenantId | typeof holds.tenantId }>(
    table: Table,
  ) => eq(table.tenantId, tenantId);
  const transactions = await read
    .select()
    .from(ledgerTransactions)
    .where(eq(ledgerTransactions.tenantId, tenantId))
    .orderBy(asc(ledgerTransactions.id));
  const entries = await read
    .select()
    .from(ledgerEntries)
    .where(eq(ledgerEntries.tenantId, tenantId))
    .orderBy(asc(ledgerEntries.id));
  const endpoints = await read
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(eq(webhooks.tenantId, tenantId))
    .orderBy(asc(webhooks.id));
  const stored = await read
    .select()
    .from(events)
    .where(eq(events.tenantId, tenantId))
    .orderBy(asc(events.id));
  const due = await read
    .select()
    .from(outbox)
    .where(eq(outbox.tenantId, tenantId))
    .orderBy(asc(outbox.id));
  const ended = await read
    .select()
    .from(calls)
    .where(eq(calls.tenantId, tenantId))
    .orderBy(asc(calls.id));
  const peaks = await read
    .select()
    .from(callPeaks)
    .where(eq(callPeaks.tenantId, tenantId))
    .orderBy(asc(callPeaks.callId));
  return {
    wallet: (await read.select().from(wallets).where(of(wallets))).map((row) => row.balance),
    ledger: transactions.map(({ id, key, kind, note, createdAt }) => [
      [key, kind, note, createdAt],
      entries
        .filter((each) => each.transactionId === id)
        .map((each) => [each.account, each.amount]),
    ]),
    usage: (
      await read
        .select()
        .from(planUsage)
        .where(eq(planUsage.tenantId, tenantId))
        .orderBy(asc(planUsage.month))
    ).map(({ month, secondsUsed }) => [month, secondsUsed]),
    renewals: (
      await read
        .select()
        .from(renewals)
        .where(eq(renewals.tenantId, tenantId))
        .orderBy(asc(renewals.month), asc(renewals.item))
    ).map(({ month, item, amount, status }) => [month, item, amount, status]),
    holds: (await read.select().from(holds).where(of(holds)).orderBy(asc(holds.callUuid))).map(
      ({ callUuid, amount, planSeconds, month }) => [callUuid, amount, planSeconds, month],
    ),
    events: stored.map(({ id, type, callUuid, body, createdAt }) => [
      id,
      type,
      callUuid,
      body,
      createdAt,
    ]),
    outbox: due.map(
      ({ eventId, webhookId, legacyUrl, status, attempts, nextAttemptAt, createdAt }) => [
        eventId,
        endpoints.findIndex(({ id }) => id === webhookId),
        ...[legacyUrl, status, attempts, nextAttemptAt, createdAt],
      ],
    ),
    calls: ended.map((row) => [
      ...[row.callUuid, row.status, row.billableSeconds, row.includedSeconds, row.overageSeconds],
      ...[row.cost, row.recordingStatus, row.recordingFile],
    ]),
    peaks: peaks.map((row) => [
      ended.findIndex(({ id }) => id === row.callId),
      ...[row.durationMs, row.slotsPerSecond, row.left, row.right, row.createdAt],
    ]),
  };
}

/** Runs the histories of those seeds, one tenant each, in a new database. Returns their digest. */
export async function digestOfHistories(
  open: (nowMs: number) => Promise<Database>,
  firstSeed: number,
  count: number,
): Promise<string> {
  const clock = fakeClock(START);
  const database = await open(clock.now());
  const hash = createHash("sha256");
  try {
    for (let seed = firstSeed; seed < firstSeed + count; seed++) {
      clock.stepWallClock(START - clock.now());
      const tenantId = await new RecordedHistory(database, seededRandom(seed), clock).run();
      hash.update(JSON.stringify(await rowsOf(database, tenantId)));
    }
  } finally {
    await database.close();
  }
  return hash.digest("hex");
}
