/** Home's queries to the store: the steps to the first call, and failed mails. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { diagnosticsStore } from "../../../src/features/call-log/diagnostics-store.ts";
import { mailAdminStore } from "../../../src/features/mail/mail-admin-store.ts";
import {
  agentFiles,
  auditEntries,
  calls,
  files,
  mails,
  phoneNumbers,
} from "../../../src/store/schema/index.ts";
import { insertAgent, insertCall, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

test("each step to the first call is completed by the tenant's own rows", async () => {
  const database = await openTestDatabase(join(tempDir(), "linevoice.db"), 0);
  const tenantId = await insertTenant(database);
  const other = await insertTenant(database);
  const steps = async (of: number) => {
    const done = await diagnosticsStore(database.read).firstSteps(of, ["talkToAgent"]);
    return Object.entries(done ?? {}).flatMap(([step, isDone]) => (isDone ? step : []));
  };
  expect(await diagnosticsStore(database.read).firstSteps(99, [])).toBeUndefined();
  expect(await steps(tenantId)).toEqual([]);
  const agentId = await insertAgent(database, tenantId);
  const times = { createdAt: 0, updatedAt: 0 };
  const action = (name: string) =>
    database.tx((queries) =>
      queries
        .insert(auditEntries)
        .values({ tenantId, action: name, target: "", ip: "", outcome: "done" as const, at: 0 }),
    );
  await database.tx(async (queries) => {
    const file = { tenantId, filename: "a.md", format: "md" as const, content: "a", sizeBytes: 1 };
    const [row] = await queries
      .insert(files)
      .values({ ...file, ...times })
      .returning();
    const number = { tenantId, numberE164: "+37061234567", inboundEnabled: true, createdAt: 0 };
    await queries.insert(phoneNumbers).values(number);
    expect(await diagnosticsStore(queries).firstSteps(tenantId, [])).toMatchObject({
      agent: true,
      knowledge: false,
      number: false,
    });
    await queries.insert(agentFiles).values({ agentId, fileId: row?.id ?? 0 });
    await queries.update(phoneNumbers).set({ agentId });
  });
  await action("getCallAudio");
  expect(await steps(tenantId)).toEqual(["agent", "knowledge", "number"]);
  await action("talkToAgent");
  expect(await steps(tenantId)).toEqual(["agent", "knowledge", "talk", "number"]);
  await insertCall(database, other, crypto.randomUUID());
  expect(await steps(other)).toEqual([]);
  await database.tx((queries) => queries.update(calls).set({ status: "completed" }));
  expect(await steps(other)).toEqual(["talk", "first_call"]);
  await database.close();
});

test("dead mails and those waiting after a failure count; the newest of them gives the reason", async () => {
  const database = await openTestDatabase(join(tempDir(), "linevoice.db"), 0);
  const tenantId = await insertTenant(database);
  const troubled = () => mailAdminStore(database.read).troubled();
  const mail = (status: "pending" | "sent" | "dead", attempts: number, lastError: string | null) =>
    database.tx((queries) =>
      queries.insert(mails).values({
        tenantId,
        key: crypto.randomUUID(),
        recipient: "",
        subject: "",
        body: "",
        status,
        attempts,
        lastError,
        createdAt: 0,
      }),
    );
  await mail("pending", 0, null);
  await mail("sent", 2, "was busy");
  expect(await troubled()).toEqual({ dead: 0, waiting: 0, lastError: null });
  await mail("pending", 1, "first");
  await mail("pending", 2, "second");
  await mail("dead", 8, "gave up");
  expect(await troubled()).toEqual({ dead: 1, waiting: 2, lastError: "second" });
  await database.close();
});
