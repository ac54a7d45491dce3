/** The support archive, with canaries in every secret and personal value. */

import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../support/appliance/cli.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const cwd = tempDir();
const CANARY = "canary5e1f";

writeFileSync(
  join(cwd, "linevoice.toml"),
  `[server]
listen = "127.0.8.94:8094"
metrics_listen = ""
[sip]
bind = "127.0.8.94:5094"
[engine.openai]
api_key = "${CANARY}-openai"
[mail.smtp]
password = "${CANARY}-smtp"
[mail.resend]
api_key = "${CANARY}-resend"
[payments.stripe]
secret_key = "${CANARY}-stripe"
webhook_secret = "${CANARY}-hook"
[telemetry]
traces_endpoint = "http://127.0.8.94:4318/v1/traces"
traces_headers = "authorization=${CANARY}-traces"
`,
);

test("contains diagnostic data but no secret or personal data", async () => {
  const run = (args: string, stdin = "") =>
    runCli(cwd, `${args} --config linevoice.toml`, { stdin });
  await run(`tenant create --name ${CANARY}-name --email ${CANARY}@example.com`);
  const set = await run(
    `trunk set --tenant 1 --server 127.0.8.95 --username ${CANARY}-user --password-stdin --caller-id +37052000077`,
    `${CANARY}-password`,
  );
  expect(set.status).toBe(0);
  const key = await run(`key create --tenant 1 --label ${CANARY}-label`);
  expect(key.status).toBe(0);
  const database = new Database(join(cwd, "data/linevoice.db"));
  database.run(
    `INSERT INTO calls (call_uuid, tenant_id, direction, from_number, to_number, status, ended_reason, summary, created_at, ended_at, recording_status, overage_rate, cost)
     VALUES ('u', 1, 'inbound', '+37061000777', '+37052000077', 'completed', 'caller_hangup', '${CANARY}-summary', 1, 2, 'none', 0, 0)`,
  );
  database.close();

  const made = await run("support-bundle --to bundle.tar.gz --json");
  expect(made).toMatchObject({ status: 0 });
  expect(statSync(join(cwd, "bundle.tar.gz")).mode & 0o777).toBe(0o600);
  mkdirSync(join(cwd, "open"));
  Bun.spawnSync(["tar", "-xzf", "bundle.tar.gz", "-C", "open", "--strip-components=1"], { cwd });
  const parts = readdirSync(join(cwd, "open"));
  expect(parts.sort()).toEqual([
    ...["about.json", "config.json", "database.json", "doctor.json", "log.jsonl", "trunks.json"],
  ]);
  const everything = parts.map((part) => readFileSync(join(cwd, "open", part), "utf8")).join("\n");
  expect(everything).not.toContain(CANARY);
  expect(everything).not.toContain("+37061000777");
  expect(everything).not.toContain("+37052000077");
  expect(everything).not.toContain(JSON.parse(key.out).secret);
  const read = (part: string) => JSON.parse(readFileSync(join(cwd, "open", part), "utf8"));
  expect(read("database.json")).toMatchObject({
    store: "file",
    rows: { calls: 1, trunks: 1 },
    calls_by_end: { caller_hangup: 1 },
  });
  expect(read("about.json").version).toMatch(/^\d+\.\d+\.\d+/);
  expect(read("doctor.json").checks.length).toBeGreaterThan(8);
  expect(read("config.json").length).toBeGreaterThan(100);
});

test("an existing archive is not overwritten; wrong usage returns status 2", async () => {
  expect(
    await runCli(cwd, "support-bundle --to bundle.tar.gz --config linevoice.toml"),
  ).toMatchObject({
    status: 1,
  });
  expect((await runCli(cwd, "support-bundle surplus")).status).toBe(2);
});
