/** Stored knowledge files: what a change stores and when it counts as one, and the plan's limits. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { OPERATOR } from "../../../src/core/author.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import { quotaStore } from "../../../src/features/billing/quota-store.ts";
import { createQuotas } from "../../../src/features/billing/quotas.ts";
import { fileStore } from "../../../src/features/knowledge/file-store.ts";
import { Files } from "../../../src/features/knowledge/files.ts";
import { tenants } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { quotas, startPlan } from "../../support/plans.ts";
import { agentOf, insertAgent, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const clock = fakeClock(Date.parse("2026-11-21T04:05:06Z"));
const database = await openTestDatabase(join(tempDir(), "main.db"), clock.now());
afterAll(() => database.close());

const plans = [
  { ...startPlan, maxFiles: 2, quotas: { ...quotas, knowledgeBytes: 10 } },
  { ...startPlan, slug: "smaller", quotas: { ...quotas, knowledgeBytes: 4 } },
];
const billing = new Billing({ database, stores: billingStores, plans, clock });
const files = new Files({
  database,
  billing,
  clock,
  records: fileStore,
  quotas: createQuotas(billing, quotaStore),
});

let tenantId = 0;
let agentId = 0;
beforeEach(async () => {
  tenantId = await insertTenant(database, { plan: "start" });
  agentId = await insertAgent(database, tenantId, agentOf("Anna", "You answer.", "Hello."));
});

const newFile = (filename: string, content: string) =>
  files.create(tenantId, { filename, content, agentId: null });
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "none",
    (error) => error.code as string,
  );

describe("a change", () => {
  test.each([
    ["text", { content: "ąčę" }, { format: "txt", sizeBytes: 6 }],
    ["name", { filename: "prices.md" }, { content: "abc", format: "md", sizeBytes: 3 }],
    ["name and text", { filename: "p.md", content: "" }, { format: "md", sizeBytes: 0 }],
  ] as const)("of the %s is stored at once, together with its time", async (_, changes, also) => {
    const { id, createdAt } = await newFile("prices.txt", "abc");
    await clock.advance(5_000);
    const changed = await files.update(tenantId, id, changes);
    const updatedAt = createdAt + 5_000;
    expect(await files.get(tenantId, id)).toMatchObject({ ...changed, ...changes, ...also });
    expect(changed).toMatchObject({ createdAt, updatedAt });
  });

  test("of the agents counts as a change too", async () => {
    const { id, createdAt } = await newFile("prices.txt", "abc");
    for (const [seconds, changes, agentIds] of [
      [1, { agentId }, [agentId]],
      [2, { agentId: null }, []],
      [3, { agentIds: [agentId, agentId] }, [agentId]],
      [4, { agentIds: [] }, []],
    ] as const) {
      await clock.advance(1_000);
      const updatedAt = createdAt + seconds * 1_000;
      expect(await files.update(tenantId, id, changes)).toMatchObject({ agentIds, updatedAt });
    }
  });

  test.each([[{}], [{ filename: undefined, content: undefined, agentId: undefined }]])(
    "without fields leaves the file and its time unchanged (%#)",
    async (changes) => {
      const before = await newFile("prices.txt", "abc");
      await clock.advance(1_000);
      expect(await files.update(tenantId, before.id, changes)).toEqual(before);
    },
  );
});

test("a tenant has as many files as its plan allows, and not one more", async () => {
  await newFile("1.txt", "a");
  await newFile("2.txt", "b");
  expect(await codeOf(newFile("3.txt", "c"))).toBe("plan_limit_reached");
  expect(await files.list(tenantId)).toHaveLength(2);
});

test("all files together have as many bytes as the plan allows, and not one more", async () => {
  const { id } = await newFile("1.txt", "aaaaa");
  expect(await codeOf(newFile("2.txt", "bbbbbb"))).toBe("plan_limit_reached");
  await newFile("2.txt", "bbbbb");
  expect(await codeOf(files.update(tenantId, id, { content: "cccccc" }))).toBe(
    "plan_limit_reached",
  );
  expect(await files.get(tenantId, id)).toMatchObject({ content: "aaaaa" });
  await files.update(tenantId, id, { content: "ccccc" });
  await files.update(tenantId, id, { content: "" });
  expect(await codeOf(files.update(tenantId, id, { content: "dddddd" }))).toBe(
    "plan_limit_reached",
  );
});

test("under a plan smaller than its files, they may still be renamed and shortened", async () => {
  const { id } = await newFile("1.txt", "aaaaa");
  await database.tx((queries) =>
    queries.update(tenants).set({ plan: "smaller" }).where(eq(tenants.id, tenantId)),
  );
  await files.update(tenantId, id, { filename: "2.txt" });
  await files.update(tenantId, id, { content: "ccccc" });
  expect(await codeOf(files.update(tenantId, id, { content: "dddddd" }))).toBe(
    "plan_limit_reached",
  );
  await files.update(tenantId, id, { content: "cccc" });
  expect(await files.get(tenantId, id)).toMatchObject({ filename: "2.txt", content: "cccc" });
});

test("a file accepts only agents of its tenant, and a removed one is gone", async () => {
  const other = await insertTenant(database, { plan: "start" });
  const { id } = await newFile("1.txt", "a");
  const elsewhere = { filename: "1.txt", content: "a", agentId };
  expect(await codeOf(files.create(other, elsewhere))).toBe("not_found");
  expect(await files.list(other)).toEqual([]);
  for (const changes of [{ agentId: agentId + 1_000 }, { agentIds: [agentId, agentId + 1_000] }])
    expect(await codeOf(files.update(tenantId, id, changes))).toBe("not_found");
  expect(await codeOf(files.update(other, id, { content: "b" }))).toBe("not_found");
  expect(await codeOf(files.remove(other, id))).toBe("not_found");
  await files.remove(tenantId, id);
  expect(await codeOf(files.get(tenantId, id))).toBe("not_found");
  expect(await codeOf(files.remove(tenantId, id))).toBe("not_found");
});

describe("several files at once", () => {
  const several = (count: number, content = "a", of: number | null = agentId) =>
    Array.from({ length: count }, (_, at) => ({ filename: `${at}.txt`, content, agentId: of }));
  const add = (inputs: ReturnType<typeof several>, to = files) =>
    to.createAll(tenantId, inputs, OPERATOR);
  const versions = () =>
    database.read.all<{ number: number }>(
      sql`SELECT number FROM agent_versions WHERE agent_id = ${agentId}`,
    );
  const texts = () =>
    database.read.all(sql`SELECT sha256 FROM version_texts WHERE tenant_id = ${tenantId}`);

  test("are one change of their agent, which keeps the text of each", async () => {
    const before = (await versions()).length;
    const made = await add([...several(1, "a"), ...several(1, "b")]);
    expect(made.map(({ agentIds }) => agentIds)).toEqual([[agentId], [agentId]]);
    expect([(await versions()).length, (await texts()).length]).toEqual([before + 1, 2]);
    expect(await add([])).toEqual([]);
  });

  test.each([
    ["one file more than the plan has", 3, "a", "plan_limit_reached"],
    ["one byte more than the plan has", 2, "aaaaaa", "plan_limit_reached"],
    ["as much as the plan has", 2, "aaaaa", "none"],
  ])("%s: all or none", async (_, count, content, code) => {
    expect(await codeOf(add(several(count, content)))).toBe(code);
    expect(await files.list(tenantId)).toHaveLength(code === "none" ? count : 0);
  });

  test("for an unknown agent, or one deleted meanwhile, are not stored", async () => {
    expect(await codeOf(add(several(2, "a", agentId + 1_000)))).toBe("not_found");
    let inserted = 0;
    const deleting = new Files({
      database,
      billing,
      clock,
      quotas: createQuotas(billing, quotaStore),
      records(queries) {
        const store = fileStore(queries);
        return {
          ...store,
          async countAgents(...args) {
            return inserted === 0 ? await store.countAgents(...args) : 0;
          },
          async insert(...args) {
            inserted++;
            return await store.insert(...args);
          },
        };
      },
    });
    expect(await codeOf(add(several(2), deleting))).toBe("not_found");
    expect([inserted, await files.list(tenantId)]).toEqual([1, []]);
  });
});
