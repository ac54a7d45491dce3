/** A month's statement over REST: JSON, page and CSV, of a small month and of 50,000 calls. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { billingStores } from "../../src/features/billing/billing-stores.ts";
import { verifyLedger } from "../../src/features/billing/ledger.ts";
import { tenants } from "../../src/store/schema/index.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type ApiTenant, ask, pick, startApiServer } from "../support/http/api-server.ts";
import { insertManyCalls, MANY_CALL_COST } from "../support/store/many-calls.ts";
import { tempDir } from "../support/temp-dir.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const CALLS = 50_000;
const ANSWERED = (CALLS * 9) / 10;

const clock = fakeClock(NOW);
let api: Awaited<ReturnType<typeof startApiServer>>;
let busy: ApiTenant;

beforeAll(async () => {
  api = await startApiServer({ directory: tempDir(), clock });
  busy = await api.tenant({ plan: "prepaid", name: "Call centre" });
  // All within November: 50,000 calls in 18 days.
  const history = { calls: CALLS, untilMs: NOW - 3_600_000, spacingMs: 31_000 };
  await insertManyCalls(api.database, busy.id, history);
}, 120_000);
afterAll(() => api.stop());

const raw = (tenant: ApiTenant, path: string) =>
  fetch(`${api.base}/api/v1${path}`, { headers: { authorization: `Bearer ${tenant.key}` } });

interface Line {
  readonly date: string;
  readonly kind: string;
  readonly note: string;
  readonly count: number;
  readonly paid_in_eur: number;
  readonly amount_eur: number;
}

async function statementOf(tenant: ApiTenant, month: string) {
  const answer = await ask(api, tenant, "GET", `/billing/statements/${month}`);
  expect(answer.status).toBe(200);
  return pick(answer, "statement") as Record<string, unknown> & { readonly lines: Line[] };
}

const inMicro = (eur: number) => Math.round(eur * 1e6);
const sumOf = (lines: readonly Line[]) =>
  lines.reduce((sum, line) => sum + inMicro(line.amount_eur), 0);

test("a month begins with the last one's end balance, and its lines are the difference", async () => {
  const tenant = await api.tenant({ plan: "prepaid", name: "<b>Clinic & Co</b>" });
  await api.credit(tenant.id, 7);
  clock.stepWallClock(15 * 86_400_000); // 6 December
  const opened = await ask(api, tenant, "POST", "/topup", { amount_eur: 20 });
  await api.checkouts.confirm(pick(opened, "checkout.id") as string);
  const [november, december] = [
    await statementOf(tenant, "2026-11"),
    await statementOf(tenant, "2026-12"),
  ];
  const page = await raw(tenant, "/billing/statements/2026-12/page");
  const csv = await raw(tenant, "/billing/statements/2026-12/csv?rows=ledger");
  clock.stepWallClock(-15 * 86_400_000);

  expect(november).toEqual({
    month: "2026-11",
    time_zone: "Europe/Vilnius",
    currency: "EUR",
    opening_balance_eur: 0,
    closing_balance_eur: 7,
    calls: 0,
    billable_seconds: 0,
    included_seconds: 0,
    overage_seconds: 0,
    lines: [
      { date: "2026-11-21", kind: "credit", note: "test", count: 1, paid_in_eur: 0, amount_eur: 7 },
    ],
  });
  expect(december).toMatchObject({ opening_balance_eur: 7, closing_balance_eur: 27 });
  expect(december.lines).toEqual([
    {
      date: "2026-12-06",
      kind: "topup",
      note: "Top-up",
      count: 1,
      paid_in_eur: 20,
      amount_eur: 20,
    },
  ]);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  const html = await page.text();
  expect(html).not.toContain("<b>");
  expect(html).toContain("27.00 EUR");
  expect(csv.headers.get("content-disposition")).toBe('attachment; filename="ledger-2026-12.csv"');
  expect((await csv.text()).split("\r\n").slice(0, 3)).toEqual([
    "transaction_id,created_at,kind,key,note,account,amount_eur",
    expect.stringMatching(
      /^\d+,2026-12-06T12:00:00\+00:00,topup,checkout:chk_.*,Top-up,wallet,20$/,
    ),
    expect.stringMatching(/,payments,-20$/),
  ]);
});

test("an impossible month is not found, an impossible number of rows is refused, another tenant's are hidden", async () => {
  for (const month of ["2026-13", "2026-1", "1999-01", "now", "2026-11-01"])
    for (const part of ["", "/page", "/csv"]) {
      const answer = await ask(api, busy, "GET", `/billing/statements/${month}${part}`);
      expect([month, answer.status, pick(answer, "error")]).toEqual([month, 404, "not_found"]);
    }
  const rows = await ask(api, busy, "GET", "/billing/statements/2026-11/csv?rows=turns");
  expect([rows.status, pick(rows, "error")]).toEqual([400, "valid_rows_required"]);
  const other = await api.tenant({ plan: "prepaid" });
  expect(await statementOf(other, "2026-11")).toMatchObject({ calls: 0, lines: [] });
  const csv = await raw(other, "/billing/statements/2026-11/csv?rows=calls");
  expect((await csv.text()).trim().split("\r\n").length).toBe(1);
});

test("50,000 calls give 19 lines of charges whose sum equals the ledger", async () => {
  const statement = await statementOf(busy, "2026-11");
  expect(statement).toMatchObject({ calls: CALLS, overage_seconds: ANSWERED * 61 });
  const charges = statement.lines.filter(({ kind }) => kind === "charge");
  expect(charges.length).toBeGreaterThanOrEqual(18);
  expect(charges.length).toBeLessThanOrEqual(19);
  expect(charges.reduce((sum, { count }) => sum + count, 0)).toBe(ANSWERED);
  expect(sumOf(charges)).toBe(-ANSWERED * MANY_CALL_COST);
  expect(sumOf(statement.lines)).toBe(
    inMicro(Number(statement.closing_balance_eur)) - inMicro(Number(statement.opening_balance_eur)),
  );
  const balance = await ask(api, busy, "GET", "/billing/balance");
  expect(pick(balance, "balance_eur")).toBe(statement.closing_balance_eur);
  expect(await verifyLedger(billingStores(api.database.read))).toEqual([]);
});

test.each([
  ["calls", CALLS + 1],
  ["ledger", 1 + 2 * (ANSWERED + 1)],
] as const)(
  "the CSV of %s is streamed completely, and other requests are answered meanwhile",
  async (rows, lines) => {
    const response = await raw(busy, `/billing/statements/2026-11/csv?rows=${rows}`);
    let isOver = false;
    let answers = 0;
    const others = (async () => {
      while (!isOver) {
        await ask(api, busy, "GET", "/billing/balance");
        if (!isOver) answers++;
      }
    })();
    const seen = new Set<string>();
    let rest = "";
    let count = 0;
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\r\n");
      rest = parts.pop() ?? "";
      count += parts.length;
      if (rows === "calls") for (const line of parts) seen.add(line.slice(0, 36));
    }
    isOver = true;
    await others;
    expect([count, rest]).toEqual([lines, ""]);
    if (rows === "calls") expect(seen.size).toBe(lines);
    expect(answers).toBeGreaterThan(3);
  },
);

test("a month in a zone with half-hour days is exact to the millisecond", async () => {
  const tenant = await api.tenant({ plan: "prepaid" });
  await api.database.tx(async (queries) => {
    await queries
      .update(tenants)
      .set({ timeZone: "Asia/Kolkata" })
      .where(eq(tenants.id, tenant.id));
  });
  const month = Date.parse("2026-11-30T18:30:00Z"); // 1 December in Kolkata
  const step = async (toMs: number, eur: number) => {
    clock.stepWallClock(toMs - clock.now());
    await api.credit(tenant.id, eur);
  };
  await step(month - 1, 1);
  await step(month, 2);
  await step(month + 86_400_000 - 1, 4);
  await step(month + 86_400_000, 8);
  const [november, december] = [
    await statementOf(tenant, "2026-11"),
    await statementOf(tenant, "2026-12"),
  ];
  clock.stepWallClock(NOW - clock.now());
  expect(november).toMatchObject({ opening_balance_eur: 0, closing_balance_eur: 1 });
  expect(december).toMatchObject({ opening_balance_eur: 1, closing_balance_eur: 15 });
  expect(december.lines.map(({ date, amount_eur }) => [date, amount_eur])).toEqual([
    ["2026-12-01", 2],
    ["2026-12-01", 4],
    ["2026-12-02", 8],
  ]);
});
