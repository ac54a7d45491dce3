/**
 * 100 calls race for the last cents of one wallet: real INVITEs and real API requests, admission, holds, call
 * workers, SQLite. Takes about 25 seconds: one of them talks until its money ends. All their database statements
 * are checked afterwards.
 */
import { Database as Sqlite } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { closingPhrase } from "../../src/call/live/closing-phrase.ts";
import { eurToMicro } from "../../src/core/money.ts";
import { billingStores } from "../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../src/features/billing/ledger.ts";
import { tenants } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import type { Phone } from "../support/media/phone/phone.ts";
import { watchStatements, wholeReads } from "../support/store/statement-watch.ts";
import { tempDir } from "../support/temp-dir.ts";

const CALLS = 100;
const CALLER = "+37061000011";
const CALLEE = "+37061000012";
const MICRO_PER_SECOND = 10_000;
/** Two holds of 60 s, and one of the 15 s that a call needs at least. */
const SECONDS = 60 + 60 + 15;
const MOST_ANSWERED = SECONDS / 15;

/** Tables that grow with every call. */
const GROWING = [
  ...["calls", "turns", "tool_calls", "schedules", "call_rollups", "call_evidence", "call_peaks"],
  ...["ledger_transactions", "ledger_entries", "ledger_rollups", "checkouts", "renewals"],
  ...["events", "outbox", "deliveries", "mails", "audit_entries", "contacts", "call_memories"],
  ...["campaign_targets", "crm_posts", "call_purposes", "idempotency"],
];

/** Leases of a dead process are released once, before any work is claimed. */
const AT_THE_START =
  /^update "\w+" set "lease_owner" = \+\?, "lease_until" = \+\? where "\w+"\."lease_owner" is not null$/;

const directory = tempDir();
const watched = watchStatements();
let reader: Sqlite | null = null;
let world: Appliance;
let caller: Phone;
let callee: Phone;

beforeAll(async () => {
  world = await startAppliance({
    dataDir: directory,
    host: "127.0.8.61",
    settings: (settings) => ({
      ...settings,
      concurrentCallsMax: 2 * CALLS,
      plans: settings.plans.map((plan) => ({
        ...plan,
        slug: "prepaid",
        includedMinutes: 0,
        pricePerMonth: eurToMicro(0),
        overagePerMinute: eurToMicro(0.6),
        maxConcurrentCalls: 2 * CALLS,
      })),
    }),
  });
  await world.app.database.tx(async (queries) => {
    await queries
      .update(tenants)
      .set({ callsPerMinuteMax: 2 * CALLS })
      .where(eq(tenants.id, world.tenantId));
  });
  caller = await world.phone(CALLER);
  callee = await world.phone(CALLEE);
  callee.onCall((incoming) => void incoming.answer().catch(() => undefined));
}, 60_000);

afterAll(async () => {
  reader?.close();
  await world.close();
});

/** Marks the test's statements over its own connection, which belong to no call. */
const OURS = "/* the test's */";
function own<Row>(statement: string): Row[] {
  reader ??= new Sqlite(join(directory, "linevoice.db"), { readonly: true });
  return reader.query<Row, []>(`${statement} ${OURS}`).all();
}

/** Wallet and holds at one moment; there is one tenant. */
function money(): { balance: number; held: number } {
  const [row] = own<{ balance: number; held: number }>(
    "SELECT balance, (SELECT coalesce(sum(amount), 0) FROM holds) AS held FROM wallets",
  );
  return row ?? { balance: 0, held: 0 };
}

interface StoredCall {
  readonly uuid: string;
  readonly reason: string | null;
  readonly answered: number | null;
  readonly ended: number | null;
  readonly seconds: number;
  readonly cost: number;
}
const rows = () =>
  own<StoredCall>(`SELECT call_uuid AS uuid, ended_reason AS reason, answered_at AS answered,
    ended_at AS ended, billable_seconds AS seconds, cost FROM calls`);

test("100 calls that race for the last cents never overdraw, and the one whose money ends hears a goodbye", async () => {
  const eur = (SECONDS * MICRO_PER_SECOND) / 1e6;
  await world.app.ask("credit", { tenant: world.tenantId, eur, note: "all there is" });
  const wrong: string[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { balance, held } = money();
      if (balance < 0) wrong.push(`the wallet is at ${balance}`);
      if (held > balance) wrong.push(`${held} is promised, ${balance} is there`);
      await Bun.sleep(10);
    }
  })();

  const asked = await Promise.all(
    Array.from({ length: CALLS }, async (_, n) => {
      if (n % 2 === 1) {
        const { status, body } = await world.api("POST", "/calls", { to_number: CALLEE });
        return status === 200 ? "asked" : body.error;
      }
      const call = await caller.call(OWN_NUMBER);
      return call.answered.then(
        () => "answered",
        () => "refused",
      );
    }),
  );
  for (const outcome of asked)
    expect(["answered", "refused", "asked", "insufficient_balance"]).toContain(outcome);

  const exhausted = () =>
    rows().find(({ reason, seconds }) => reason === "balance_exhausted" && seconds > 0);
  await eventually(() => exhausted() !== undefined, "money ends a call", 90_000);
  const said = await world.callWhen(exhausted()?.uuid ?? "", () => true);
  expect(said.transcript).toContain(closingPhrase("en"));
  expect(said.status).toBe("completed");

  await Promise.all([...caller.calls, ...callee.calls].map((call) => call.hangUp()));
  await eventually(
    () => rows().every(({ ended }) => ended !== null),
    "every call has ended",
    60_000,
  );
  isOver = true;
  await watching;
  expect(wrong).toEqual([]);

  watched.stop();
  const ended = rows();
  const answered = ended.filter((call) => call.answered !== null);
  const refusals = asked.filter((outcome) => outcome === "insufficient_balance").length;
  expect(ended.length).toBe(CALLS - refusals);
  expect(answered.length).toBeGreaterThan(0);
  expect(answered.length).toBeLessThanOrEqual(MOST_ANSWERED);
  for (const call of ended) expect(call.answered !== null).toBe(call.cost > 0);
  const paid = ended.reduce((sum, { cost }) => sum + cost, 0);
  expect(money()).toEqual({ balance: SECONDS * MICRO_PER_SECOND - paid, held: 0 });
  for (const { seconds, cost } of answered)
    expect(cost).toBeLessThanOrEqual(seconds * MICRO_PER_SECOND);
  expect(await verifyLedger(billingStores(world.app.database.read))).toEqual([]);
}, 240_000);

test("no statement of calls scans a growing table", () => {
  const statements = [...watched.statements].filter(
    (statement) => !statement.includes(OURS) && !AT_THE_START.test(statement),
  );
  expect(statements.length).toBeGreaterThan(50);
  expect(wholeReads(join(directory, "linevoice.db"), statements, GROWING)).toEqual([]);
});
