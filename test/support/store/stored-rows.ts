/** Inserts rows that a test needs as its initial state. */

import { z } from "zod";
import type { Database } from "../../../src/core/database.ts";
import type { MicroEur } from "../../../src/core/money.ts";
import { microEur } from "../../../src/core/money.ts";
import { recordOf } from "../../../src/core/wire-names.ts";
import { AGENT_VOICES } from "../../../src/features/agent/agent.ts";
import { agentShape, withTexts } from "../../../src/features/agent/agent-schema.ts";
import { agents, calls, tenants, tools, webhooks } from "../../../src/store/schema/index.ts";

type TenantRow = typeof tenants.$inferInsert;
type AgentRow = typeof agents.$inferInsert;
type WebhookRow = typeof webhooks.$inferInsert;
type ToolRow = typeof tools.$inferInsert;

const firstId = (rows: readonly { id: number }[]): number => {
  const row = rows[0];
  if (!row) throw new Error("nothing was inserted");
  return row.id;
};

export async function insertTenant(
  database: Database,
  fields: Partial<TenantRow> = {},
): Promise<number> {
  const row: TenantRow = {
    name: "Dantų klinika",
    email: "owner@clinic.example",
    plan: "start",
    timeZone: "Europe/Vilnius",
    webhookSecretSealed: "sealed:tenant-secret",
    webhookSecretPrefix: "tenant-s",
    createdAt: 0,
    ...fields,
  };
  return database.tx(async (q) =>
    firstId(await q.insert(tenants).values(row).returning({ id: tenants.id })),
  );
}

/** An agent that POST /agents creates from these three fields; all others have their defaults. */
export function agentOf(name: string, prompt: string, firstMessage: string) {
  const given = { name, prompt, first_message: firstMessage };
  return withTexts(recordOf(z.strictObject(agentShape(AGENT_VOICES)).parse(given)));
}

export async function insertAgent(
  database: Database,
  tenantId: number,
  fields: Partial<AgentRow> = {},
): Promise<number> {
  const row: AgentRow = {
    ...agentOf("Reception", "You answer the phone.", "Hello."),
    tenantId,
    fillerPhrases: "One moment.",
    createdAt: 0,
    updatedAt: 0,
    ...fields,
  };
  return database.tx(async (q) =>
    firstId(await q.insert(agents).values(row).returning({ id: agents.id })),
  );
}

export async function insertCall(
  database: Database,
  tenantId: number,
  callUuid: string,
  overageRate: MicroEur = microEur(120_000),
): Promise<void> {
  await database.tx(async (q) => {
    await q.insert(calls).values({
      callUuid,
      tenantId,
      direction: "inbound",
      fromNumber: "+37060000001",
      toNumber: "+37052000000",
      status: "in_progress",
      createdAt: 0,
      recordingStatus: "none",
      overageRate,
      cost: microEur(0),
    });
  });
}

export async function insertWebhook(
  database: Database,
  tenantId: number,
  fields: Partial<WebhookRow>,
): Promise<number> {
  const row: WebhookRow = {
    tenantId,
    url: "https://hooks.test/",
    events: ["call.ended"],
    secretSealed: "sealed:webhook-secret",
    enabled: true,
    createdAt: 0,
    ...fields,
  };
  return database.tx(async (q) =>
    firstId(await q.insert(webhooks).values(row).returning({ id: webhooks.id })),
  );
}

export async function insertTool(
  database: Database,
  tenantId: number,
  fields: Partial<ToolRow>,
): Promise<number> {
  const row: ToolRow = {
    tenantId,
    name: "book_visit",
    description: "Books a visit.",
    url: "https://tools.test/book",
    secretHeader: "X-Tool-Secret",
    secretSealed: "sealed:tool-secret",
    parameters: { type: "object" },
    createdAt: 0,
    updatedAt: 0,
    ...fields,
  };
  return database.tx(async (q) =>
    firstId(await q.insert(tools).values(row).returning({ id: tools.id })),
  );
}
