/** `linevoice contact` and `campaign` as processes, on the data directory without a server. About 25 s. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { systemClock } from "../../src/core/clock.ts";
import { campaigns, campaignTargets, contacts } from "../../src/store/schema/index.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { runCli } from "../support/appliance/cli.ts";
import { insertAgent } from "../support/store/stored-rows.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const cwd = tempDir();
writeFileSync(join(cwd, "ok.toml"), '[storage]\ndata_dir = "data"\n');
const linevoice = (args: string) => runCli(cwd, `${args} --config ok.toml`);
const file = (name: string, text: string) => writeFileSync(join(cwd, name), text);

test("contacts are previewed, imported, listed and exported unchanged", async () => {
  await linevoice("tenant create --name N --email a@example.com");
  file("book.csv", "number,first_name,last_name,birthday\n061000001,Ona,Kazlauskienė,--02-29\n");
  const looked = await linevoice("contact import book.csv --tenant 1 --country LT --dry-run");
  expect(looked).toMatchObject({ status: 0, err: "" });
  expect(looked.out).toContain("Dry run, nothing imported. Would import: 1 new");
  expect((await linevoice("contact list --tenant 1 --json")).out).toBe("[]\n");

  const taken = await linevoice("contact import book.csv --tenant 1 --country LT --json");
  expect(JSON.parse(taken.out)).toMatchObject({ dry_run: false, created: 1, problem_count: 0 });
  const list = await linevoice("contact list --tenant 1 --search kazl");
  expect(list.out).toContain("+37061000001  Ona Kazlauskienė  --02-29");
  const exported = await linevoice("contact export --tenant 1");
  expect(exported.out).toContain("+37061000001,Ona,Kazlauskienė,,--02-29,");
  file("again.csv", exported.out);
  const again = await linevoice("contact import again.csv --tenant 1 --json");
  expect(JSON.parse(again.out)).toMatchObject({ created: 0, updated: 0, unchanged: 1 });
});

test("bad lines are named with status 1 and nothing is imported; --skip-bad imports the rest", async () => {
  file("bad.csv", "number,first_name\n+37061000002,Jonas\nnobody,Petras\n+37061000003,Rūta\n");
  const refused = await linevoice("contact import bad.csv --tenant 1");
  expect(refused.status).toBe(1);
  expect(refused.err).toContain("line 3: ");
  expect(refused.out).toContain("nothing imported");
  const skipped = await linevoice("contact import bad.csv --tenant 1 --skip-bad --json");
  expect(skipped.status).toBe(0);
  expect(JSON.parse(skipped.out)).toMatchObject({ created: 2, problem_count: 1 });
});

test("control characters in names reach neither the terminal nor a new row of a list", async () => {
  file("hostile.csv", "number,first_name\n+37061000009,Jonas\n");
  await linevoice("contact import hostile.csv --tenant 1");
  // Such a name is now rejected, but an older version may have stored it.
  const firstName = "\u001b]52;c;eA==\u0007\u009b2J\n7  +370";
  const database = await openDatabase(join(cwd, "data/linevoice.db"), systemClock.now());
  await database.tx((queries) =>
    queries.update(contacts).set({ firstName }).where(eq(contacts.numberE164, "+37061000009")),
  );
  await database.close();
  const { out } = await linevoice("contact list --tenant 1 --search 37061000009");
  expect(out).toContain("\\u001b]52;c;eA==\\u0007\\u009b2J 7  +370");
  expect(out.trimEnd().split("\n")).toHaveLength(2);
  const told = await linevoice("contact list --tenant 1 --search 37061000009 --json");
  expect(JSON.parse(told.out)[0].first_name).toBe(firstName);
  const exported = await linevoice("contact export --tenant 1");
  expect(told.out + exported.out).not.toMatch(/(?!\r?\n)\p{Cc}/u);
});

test.each([
  ["contact", 2, "Expected a subcommand"],
  ["contact import --tenant 1", 2, "Add the name of a CSV file"],
  ["contact list --tenant one", 2, "--tenant"],
  ["contact list extra --tenant 1", 2, 'Unexpected argument "extra"'],
  ["contact list --tenant 9", 1, "Tenant not found"],
  ["contact import none.csv --tenant 1", 1, "none.csv"],
  ["contact import book.csv --tenant 1 --country Lithuania", 1, "two letters"],
  ["campaign", 2, "Expected a subcommand"],
  ["campaign start --tenant 1", 2, "CAMPAIGN"],
  ["campaign start 7 --tenant 1", 1, "Campaign not found"],
])("linevoice %s returns status %d", async (args, status, words) => {
  const answered = await linevoice(args);
  expect([answered.status, answered.err]).toEqual([status, expect.stringContaining(words)]);
});

test("a campaign is listed, started, paused and cancelled; an impossible action returns status 1", async () => {
  const database = await openDatabase(join(cwd, "data/linevoice.db"), systemClock.now());
  const agentId = await insertAgent(database, 1);
  await database.tx(async (queries) => {
    const [row] = await queries
      .insert(campaigns)
      .values({
        tenantId: 1,
        name: "Check-ups",
        agentId,
        status: "draft",
        callingFrom: 600,
        callingTo: 1080,
        concurrencyMax: 1,
        attemptsMax: 2,
        retryAfterMin: 60,
        createdAt: 1,
        updatedAt: 1,
      })
      .returning();
    await queries.insert(campaignTargets).values({
      tenantId: 1,
      campaignId: row?.id ?? 0,
      numberE164: "+37061000001",
      variables: {},
      status: "waiting",
      notBefore: 0,
      updatedAt: 1,
    });
  });
  await database.close();
  const states = [];
  for (const action of ["start", "pause", "resume", "cancel"]) {
    const told = await linevoice(`campaign ${action} 1 --tenant 1`);
    states.push(JSON.parse(told.out).status);
  }
  expect(states).toEqual(["running", "paused", "running", "cancelled"]);
  const late = await linevoice("campaign start 1 --tenant 1");
  expect([late.status, late.err]).toEqual([1, expect.stringContaining("cancelled")]);
  expect((await linevoice("campaign list --tenant 1")).out).toMatch(/1\s+Check-ups\s+cancelled/);
  const [listed] = JSON.parse((await linevoice("campaign list --tenant 1 --json")).out);
  expect(listed).toMatchObject({ id: 1, targets: { waiting: 0, skipped: 1 } });
});
