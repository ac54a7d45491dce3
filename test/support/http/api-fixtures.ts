/** One record of every kind for a tenant, and a valid request for every route. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { rehearsalRuns } from "../../../src/app/rehearsal-runs.ts";
import { microEur } from "../../../src/core/money.ts";
import type { RehearsalRun } from "../../../src/features/rehearsal/rehearsals.ts";
import type { Contract } from "../../../src/http/contract.ts";
import {
  callMemories,
  calls,
  crmPosts,
  deliveries,
  events,
  outbox,
  schedules,
  tenants,
} from "../../../src/store/schema/index.ts";
import { type ApiServer, type ApiTenant, ask, pickId } from "./api-server.ts";

export interface Fixtures {
  /** Ids by the noun of the contract. */
  readonly ids: Readonly<Record<string, number | string>>;
  readonly keyId: number;
  readonly deliveryId: string;
}

/** `marker`: part of every text of the tenant, to detect it where it must not appear. */
export async function makeFixtures(
  server: ApiServer,
  tenant: ApiTenant,
  marker: string,
  number: string,
): Promise<Fixtures> {
  const post = (path: string, body: unknown) => ask(server, tenant, "POST", path, body);
  const agent = pickId(await post("/agents", { name: marker, prompt: marker }), "agent.id");
  const file = pickId(
    await post("/files", { filename: `${marker}.txt`, content: marker, agent_id: agent }),
    "file.id",
  );
  await ask(server, tenant, "PATCH", `/agents/${agent}/draft`, { prompt: `${marker} drafted` });
  const phone = pickId(
    await post("/phone-numbers", { number_e164: number, label: marker }),
    "phone_number.id",
  );
  // Port 9 of loopback: nobody listens, so no request leaves this machine.
  const webhook = pickId(
    await post("/webhooks", { url: `https://127.0.0.1:9/${marker}`, events: ["call.ended"] }),
    "webhook.id",
  );
  const contact = pickId(
    await post("/contacts", { number_e164: "+37060000009", first_name: marker, notes: marker }),
    "contact.id",
  );
  const campaign = pickId(
    await post("/campaigns", { name: marker, agent_id: agent, csv: "number\n+37060000009\n" }),
    "campaign.id",
  );
  await post(`/agents/${agent}/scenarios`, {
    yaml: `name: ${marker}\nscript: [{hang_up: true}]\n`,
  });
  const keyId = pickId(await post("/keys", { label: marker }), "key.id");
  const tail = String(tenant.id).padStart(12, "0");
  const callUuid = `019aa1b2-0000-7000-8000-${tail}`;
  const rehearsal = `019aa1b2-2222-7000-8000-${tail}`;
  keepRehearsal(server.dataDir, tenant.id, {
    id: rehearsal,
    suite: marker,
    agentId: agent,
    agentName: marker,
    agentVersion: 1,
    startedAt: 0,
    endedAt: 1,
    scenarios: 1,
    passed: 1,
  });
  const deliveryId = `del_${tail.padStart(32, "0")}`;
  const eventId = `evt_${tail.padStart(32, "0")}`;
  const now = Date.now();
  const { scheduleId, memory, message } = await server.database.tx(async (q) => {
    await q.insert(calls).values({
      callUuid,
      tenantId: tenant.id,
      agentId: agent,
      direction: "inbound",
      fromNumber: "+37060000001",
      toNumber: number,
      status: "completed",
      summary: marker,
      createdAt: now,
      recordingStatus: "none",
      overageRate: microEur(0),
      cost: microEur(0),
    });
    await q
      .insert(events)
      .values({ id: eventId, tenantId: tenant.id, type: "call.ended", body: "{}", createdAt: now });
    const [sent] = await q
      .insert(outbox)
      .values({
        tenantId: tenant.id,
        eventId,
        webhookId: webhook,
        status: "failed",
        attempts: 8,
        createdAt: now,
      })
      .returning({ id: outbox.id });
    await q.insert(deliveries).values({
      id: deliveryId,
      outboxId: sent?.id ?? null,
      tenantId: tenant.id,
      webhookId: webhook,
      eventId,
      type: "call.ended",
      attempt: 1,
      status: "failed",
      durationMs: 1,
      error: marker,
      createdAt: now,
    });
    const [row] = await q
      .insert(schedules)
      .values({
        tenantId: tenant.id,
        callUuid: `019aa1b2-1111-7000-8000-${tail}`,
        agentId: agent,
        toNumber: "+37060000002",
        fromNumber: number,
        scheduleAt: now + 3_600_000,
        status: "pending",
        immediate: false,
        createdAt: now,
      })
      .returning({ id: schedules.id });
    await q.insert(calls).values({
      callUuid: `019aa1b2-1111-7000-8000-${tail}`,
      tenantId: tenant.id,
      direction: "outbound",
      fromNumber: number,
      toNumber: "+37060000002",
      status: "queued",
      createdAt: now,
      recordingStatus: "none",
      overageRate: microEur(0),
      cost: microEur(0),
    });
    // Paid, so that its routes are available.
    await q.update(tenants).set({ crmBridge: true }).where(eq(tenants.id, tenant.id));
    const [remembered] = await q
      .insert(callMemories)
      .values({
        tenantId: tenant.id,
        numberE164: "+37060000009",
        callUuid,
        reason: marker,
        outcome: marker,
        attemptedAt: now,
      })
      .returning({ id: callMemories.id });
    const [told] = await q
      .insert(crmPosts)
      .values({
        tenantId: tenant.id,
        callUuid,
        body: "{}",
        status: "failed",
        lastError: marker,
        nextAttemptAt: now,
        createdAt: now,
        updatedAt: now,
      })
      .returning({ id: crmPosts.id });
    return {
      scheduleId: row?.id ?? 0,
      memory: remembered?.id ?? 0,
      message: told?.id ?? 0,
    };
  });
  return {
    ids: {
      contact,
      campaign,
      memory,
      message,
      agent,
      file,
      "phone number": phone,
      webhook,
      call: callUuid,
      rehearsal,
      recording: callUuid,
      "schedule entry": scheduleId,
    },
    keyId,
    deliveryId,
  };
}

/** Maximum number of repetitions of a telephone run: each result has a recording. */
const RESULTS = 500;

function keepRehearsal(dataDir: string, tenantId: number, run: Omit<RehearsalRun, "report">): void {
  const runs = rehearsalRuns(dataDir);
  const recording = "call.mp3";
  writeFileSync(join(runs.recordingsDir(tenantId, run.id), recording), "sound");
  const { agentName: name, agentId: id, scenarios, passed } = run;
  const results = Array.from({ length: RESULTS }, (_, at) => ({
    name,
    run: at + 1,
    agent: { name, id, version: 1 },
    passed: true,
    failures: [],
    ended_reason: "agent_hangup" as const,
    duration_ms: 1_000,
    recording,
    timeline: [],
    turns: [],
    tools: [],
    transfers: [],
    messages: [],
  }));
  runs.save(tenantId, { ...run, report: { scenarios, passed, runs: RESULTS, results } });
}

export const pathOf = (
  contract: Contract,
  id: number | string,
  deliveryId = `del_${"9".repeat(32)}`,
): string =>
  contract.path
    .replace(/\{(id|uuid)\}/, String(id))
    .replace("{delivery_id}", deliveryId)
    .replace("{number}", "1")
    .replace("{month}", "2026-01");

/**
 * Whether the path names a record of one tenant. A month does not: each tenant has its own
 * statements.
 */
export const namesRecord = ({ path }: Contract): boolean => /\{(id|uuid)\}/.test(path);

export const ownPath = (contract: Contract, fixtures: Fixtures): string => {
  const noun = contract.path.startsWith("/rehearsals/") ? "rehearsal" : (contract.noun ?? "");
  return pathOf(contract, fixtures.ids[noun] ?? 1, fixtures.deliveryId);
};

const NOBODY = "+37060000099";

/** Required parameters only. */
export function validQuery(contract: Contract, fixtures: Fixtures): Record<string, string> {
  if (contract.operationId === "revokeKey") return { id: String(fixtures.keyId) };
  if (contract.operationId === "getWebhookSnippet") return { lang: "python" };
  if (contract.operationId === "countErasure") return { number: NOBODY };
  return {};
}

let numbersMade = 0;

export function validBody(
  contract: Contract,
  fixtures: Fixtures,
): Record<string, unknown> | undefined {
  const bodies: Record<string, Record<string, unknown>> = {
    createAgent: { name: "A", prompt: "B", transcript_email: "a@b.example" },
    updateAgent: { transcript_email: "a@b.example" },
    updateAgentDraft: { transcript_email: "a@b.example" },
    updateAgentPublishing: { publishes_rehearsed: false },
    publishAgentDraft: { force: true },
    openAgentSplit: { version: 1, percent: 20 },
    closeAgentSplit: { keep: 1 },
    putAgentScenario: { yaml: "name: A\nscript: [{hang_up: true}]\n" },
    startRehearsal: { agent_id: fixtures.ids.agent, scenarios: "name: A\nscript: [{say: No}]\n" },
    createFile: { filename: "a.txt", content: "x" },
    importFile: { filename: "a.html", content_base64: btoa("<html><p>x</p></html>") },
    updateFile: {},
    createPhoneNumber: { number_e164: `+3705${String(1_000_000 + numbersMade++)}` },
    updatePhoneNumber: {},
    createCall: { to_number: "+37060000001", agent_id: fixtures.ids.agent },
    transferCall: { to: "+37060000002" },
    topUp: { amount_eur: 10 },
    openCheckout: { item: "retention", blocks: 1 },
    createKey: { label: "x" },
    updateContact: {},
    updateCallMemory: {},
    updateFeatureSettings: {},
    createContact: { number_e164: "+37060000008" },
    importContacts: { csv: "number,first_name\n+37060000007,Ona\n", dry_run: true },
    createCampaign: { name: "A", agent_id: fixtures.ids.agent, csv: "number\n+37060000001\n" },
    previewCampaign: { csv: "number\n+37060000001\n" },
    erasePerson: { number: NOBODY },
    testCrm: { number: "+37060000009" },
    actOnCampaign: { action: "start" },
    createWebhook: { url: "https://127.0.0.1:9/x", events: ["call.ended"] },
  };
  return bodies[contract.operationId] ?? (contract.method === "POST" ? {} : undefined);
}
