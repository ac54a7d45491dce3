/**
 * Fills a database with the current program: calls over SIP, money, contacts, people, a campaign.
 * Before a release, run `bun test/support/store/filled-database.ts VERSION` once. Its output stays
 * in test/fixtures/databases: later versions must migrate it.
 */
import { Database } from "bun:sqlite";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { outputOf } from "../appliance/cli.ts";
import { type Killable, killable, OWN_NUMBER } from "../appliance/killable.ts";
import { eventually } from "../eventually.ts";
import { dumpOf } from "./database-dump.ts";

const [version = ""] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error("say which version, e.g. 0.2.0");

const FIXTURES = fileURLToPath(new URL("../../fixtures/databases/", import.meta.url));
const DAY_MS = 86_400_000;
const CALLER = "+37061000001";
const CALLEE = "+37061000002";

const dir = mkdtempSync(join(tmpdir(), "filled-"));
const world = await killable({
  dir,
  host: "127.0.8.96",
  rtpPorts: "25000-25199",
  includedMinutes: 1,
});

const cli = (...args: string[]) =>
  outputOf(dir, [...args, "--config", join(dir, "linevoice.toml")]);

async function post(path: string, body: unknown): Promise<void> {
  const { status, body: answer } = await world.api("POST", path, body);
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
}

const onFailure = (error: unknown) => {
  console.error(error);
  void world.close().finally(() => process.exit(1));
};
process.on("uncaughtException", onFailure);
process.on("unhandledRejection", onFailure);

await cli("credit", "--tenant", "1", "--eur", "20", "--note", "A transfer");
await cli("credit", "--tenant", "1", "--eur=-2.50", "--note", "Taken back");
await cli("user", "create", "--tenant", "1", "--email", "ona@clinic.example", "--operator");
await cli("tenant", "create", "--name", "Second", "--email", "second@example.com");
// Enabled directly, because only an operator who sells it can enable it.
world.write("UPDATE tenants SET callback_memory = 1 WHERE id = 1");
const schema = join(dir, "schema.json");
writeFileSync(schema, '{"type":"object","properties":{}}');
writeFileSync(join(dir, "secret"), "shared-secret");
await cli(
  ...["tool", "create", "--tenant", "1", "--name", "find_visit", "--description", "Finds a visit."],
  ...["--url", "https://example.com/visit", "--header", "X-Tool-Secret"],
  ...["--secret-file", join(dir, "secret"), "--schema", schema],
);
await fill(world);
await world.kill();
const db = new Database(join(dir, "data/linevoice.db"), { readwrite: true });
const masterKey = readFileSync(join(dir, "data/master.key"), "utf8").trim();
writeFileSync(join(FIXTURES, `${version}.sql`), `-- master key: ${masterKey}\n${dumpOf(db)}`);
db.close();
await world.close();
rmSync(dir, { recursive: true });
process.exit(0);

async function fill({ phone, rows, agentId }: Killable): Promise<void> {
  await post("/contacts", { number_e164: CALLER, first_name: "Ona", notes: "Prefers mornings" });
  await post("/contacts/import", { csv: "number,first_name\n+37060000007,Jonas\n", country: "LT" });
  await post("/files", { filename: "hours.txt", content: "Open from nine.", agent_id: agentId });
  await post("/keys", { label: "second" });
  await post("/topup", { amount_eur: 10 });
  const targets = `number,time\n${CALLER},ten o'clock\n`;
  await post("/campaigns", { name: "Reminders", agent_id: agentId, csv: targets });
  const caller = await phone(CALLER);
  // Longer than the plan's minute, so that the wallet pays the rest.
  const incoming = await caller.call(OWN_NUMBER);
  await incoming.answered;
  const callee = await phone(CALLEE);
  callee.onCall((call) => void call.answer());
  await post("/calls", { to_number: CALLEE, agent_id: agentId, reason: "Your visit tomorrow." });
  await Bun.sleep(70_000);
  await incoming.hangUp();
  for (const call of callee.calls) await call.hangUp();
  const short = await caller.call(OWN_NUMBER);
  await short.answered;
  await short.hangUp();
  await post("/calls", { to_number: "+37061999999", agent_id: agentId });
  const at = new Date(Date.now() + 300 * DAY_MS).toISOString();
  await post("/calls", { to_number: CALLEE, agent_id: agentId, schedule_at: at });
  await eventually(
    () => {
      const unfinished = "SELECT 1 FROM calls WHERE ended_at IS NULL AND status <> 'queued'";
      const unsent = "SELECT 1 FROM outbox WHERE status = 'pending'";
      return rows(unfinished).length + rows(unsent).length === 0;
    },
    "everything is stored and sent",
    60_000,
  );
}
