/**
 * Lists and counts of knowledge files, and calls that use them, read none of their texts: 50 MB would delay all
 * calls.
 */
import { Database as Sqlite } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { callSetupStore } from "../../../src/call/store/call-setup-store.ts";
import { OPERATOR } from "../../../src/core/author.ts";
import { recordVersions } from "../../../src/features/agent/agent-version-store.ts";
import { quotaStore } from "../../../src/features/billing/quota-store.ts";
import { fileStore } from "../../../src/features/knowledge/file-store.ts";
import { watchStatements } from "../../support/store/statement-watch.ts";
import { agentOf, insertAgent, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const path = join(tempDir(), "main.db");
const database = await openTestDatabase(path, 0);
afterAll(() => database.close());
const tenantId = await insertTenant(database, { plan: "start" });
const agentId = await insertAgent(database, tenantId, agentOf("Anna", "You answer.", "Hello."));
const agent = { id: agentId, language: "en", version: 1 } as const;

test.each([
  ["the list", () => fileStore(database.read).list(tenantId)],
  ["their size", () => quotaStore(database.read).used(tenantId, "knowledgeBytes")],
  ...[false, true].map(
    (isStoredVersion) =>
      [
        isStoredVersion ? "a call with a stored version" : "a call",
        () =>
          callSetupStore(database.read).agentContext(tenantId, {
            ...agent,
            ...(isStoredVersion ? { isStoredVersion } : {}),
          }),
      ] as const,
  ),
  [
    "a version of an agent",
    () =>
      database.tx((queries) =>
        recordVersions(queries, tenantId, null, { author: OPERATOR, nowMs: 0 }),
      ),
  ],
])("%s", async (_, read) => {
  const watch = watchStatements();
  await read();
  watch.stop();
  const sqlite = new Sqlite(path, { readonly: true });
  const plans = [...watch.statements]
    .filter((statement) => /(?:from|join) "?files"?\b/i.test(statement))
    .map((statement) =>
      sqlite
        .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${statement}`)
        .all()
        .map(({ detail }) => detail)
        .join("; "),
    );
  sqlite.close();
  expect(plans.length).toBeGreaterThan(0);
  for (const plan of plans) expect(plan).toMatch(/USING (?:COVERING )?INDEX files_listed/);
});
