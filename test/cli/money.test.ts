/**
 * The operator's money commands with a whole process: a bank transfer is requested over REST and
 * confirmed on the command line, with a running server and without. Also the low-balance notice at
 * the configured thresholds, by mail and event.
 */
import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli, serveCli } from "../support/appliance/cli.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(90_000);

const HOST = "127.0.8.62";
const cwd = tempDir();
const outbox = join(cwd, "data/outbox");
writeFileSync(
  join(cwd, "money.toml"),
  `[server]
listen = "${HOST}:0"
metrics_listen = ""
[storage]
data_dir = "data"
[sip]
bind = "${HOST}:0"
[payments]
low_balance_eur = [12, 3]
`,
);

const linevoice = async (args: string) => {
  const { out, err, status } = await runCli(cwd, `${args} --config money.toml`);
  expect({ args, err, status }).toEqual({ args, err: "", status: 0 });
  return out;
};
const json = async (args: string) => JSON.parse(await linevoice(`${args} --json`));

let server: Awaited<ReturnType<typeof serveCli>> | null = null;
const serve = () => serveCli(cwd, {}, "serve --config money.toml");

async function stopped(): Promise<void> {
  expect(await server?.stop()).toBe(0);
  server = null;
}

async function api(key: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${server?.base}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return await response.json();
}

const notices = () =>
  existsSync(outbox)
    ? readdirSync(outbox)
        .map((name) => readFileSync(join(outbox, name), "utf8"))
        .filter((mail) => /^Subject: .*The_balance_of/m.test(mail))
    : [];

function storedEvents(): { type: string; data: unknown }[] {
  const stored = new Database(join(cwd, "data/linevoice.db"), { readonly: true });
  try {
    const rows = stored.query<{ body: string }, []>("SELECT body FROM events").all();
    return rows.map(({ body }) => JSON.parse(body)).filter(({ type }) => type === "balance.low");
  } finally {
    stored.close();
  }
}

/**
 * The lowest threshold already reported to the tenant. The first check after the start writes it.
 */
function toldBelow(): number {
  const stored = new Database(join(cwd, "data/linevoice.db"), { readonly: true });
  try {
    return Number(stored.query<{ t: number }, []>("SELECT told_below t FROM wallets").get()?.t);
  } finally {
    stored.close();
  }
}

test("a transfer is requested, listed, and confirmed once, with a running server and without", async () => {
  await json("tenant create --name N --email owner@clinic.example");
  const { secret } = await json("key create --tenant 1 --label l");
  server = await serve();
  const first = await api(secret, "POST", "/topup", { amount_eur: 20 });
  const second = await api(secret, "POST", "/topup", { amount_eur: 15 });
  const table = (await linevoice("checkout list")).trimEnd().split("\n");
  expect(table[0]).toMatch(/^ID +TENANT +FOR +AMOUNT +UNTIL$/);
  expect(table.find((line) => line.includes(first.checkout.id))).toMatch(/ 1 +topup +20\.00 EUR /);
  const { id } = first.checkout;
  expect(await linevoice(`checkout confirm ${id}`)).toBe(
    `${id} is paid: 20.00 EUR from tenant 1.\n`,
  );
  expect(await json(`checkout confirm ${id}`)).toMatchObject({ id, status: "paid" });
  expect(await api(secret, "GET", "/billing/balance")).toMatchObject({ balance_eur: 20 });
  expect((await json("checkout list")).map((open: { id: string }) => open.id)).toEqual([
    second.checkout.id,
  ]);
  const page = await (await fetch(`${server.base}/checkout/${id}`)).text();
  expect(page).toContain("Paid");
  await stopped();

  expect(await json(`checkout confirm ${second.checkout.id}`)).toMatchObject({
    tenant_id: 1,
    kind: "topup",
    amount_eur: 15,
    status: "paid",
  });
  expect(await linevoice("checkout list")).not.toContain("chk_");
  expect(await json("tenant list")).toMatchObject([{ id: 1, balance_eur: 35 }]);
});

test("a balance below a configured threshold is reported by mail and event", async () => {
  const month = new Date().toISOString().slice(0, 7);
  const { secret } = await json("key create --tenant 1 --label hooks");
  server = await serve();
  const hook = await api(secret, "POST", "/webhooks", {
    url: "https://hooks.clinic.example/",
    events: ["balance.low"],
  });
  expect(hook.ok).toBe(true);
  await eventually(() => toldBelow() > 12_000_000, "the balance is known to be high", 70_000);
  await stopped();
  expect(notices()).toEqual([]);

  await json("credit --tenant 1 --eur=-25 --note spent");
  server = await serve();
  await eventually(() => notices().length === 1, "the notice is in the outbox", 70_000);
  // "below €12.00", encoded as in RFC 2047.
  expect(notices()[0]).toMatch(/below_=E2=82=AC12=2E\?=\r\n =\?UTF-8\?Q\?00/);
  expect(notices()[0]).toContain("To: owner@clinic.example");
  expect(storedEvents().map(({ data }) => data)).toEqual([{ balance_eur: 10, threshold_eur: 12 }]);
  const { statement } = await api(secret, "GET", `/billing/statements/${month}`);
  expect(statement).toMatchObject({ opening_balance_eur: 0, closing_balance_eur: 10 });
  expect(statement.lines.map((line: { kind: string }) => line.kind)).toEqual([
    ...["topup", "topup", "credit"],
  ]);
  await stopped();
});
