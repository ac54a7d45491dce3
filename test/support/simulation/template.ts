/** Initial state of every simulation: a plan, and a database with a tenant that can call. */

import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { microEur } from "../../../src/core/money.ts";
import type { Plan } from "../../../src/features/billing/ports.ts";
import { trunkStore } from "../../../src/features/trunk/trunk-store.ts";
import { phoneNumbers, tenants } from "../../../src/store/schema/index.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { quotas } from "../plans.ts";
import { insertAgent, insertTenant, insertWebhook } from "../store/stored-rows.ts";

export const START = Date.parse("2026-11-21T04:05:06Z");
export const OWN = "+37052000001";

export const plan: Plan = {
  slug: "start",
  name: "Start",
  includedMinutes: 2,
  pricePerMonth: microEur(0),
  overagePerMinute: microEur(150_000),
  maxConcurrentCalls: 3,
  maxAgents: 5,
  maxNumbers: 5,
  maxFiles: 5,
  maxWebhooks: 5,
  quotas,
};

/** A directory where syncs to disk cost nothing, because each seed needs a new database file. */
export const scratch = () =>
  mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "linevoice-sim-"));

/** A migrated database with a tenant that can call; copied for each seed. */
export async function template(path: string): Promise<void> {
  const database = openDatabase(path, START);
  const tenantId = await insertTenant(database, { createdAt: START });
  const agentId = await insertAgent(database, tenantId, {
    transcriptEmail: "owner@example.com",
    transcriptEmailEnabled: true,
  });
  await insertWebhook(database, tenantId, {
    url: "https://hook.example/a",
    events: ["call.started", "call.answered", "call.ended", "call.failed", "recording.ready"],
  });
  await database.tx(async (queries) => {
    await queries.insert(phoneNumbers).values({
      tenantId,
      numberE164: OWN,
      label: null,
      agentId,
      inboundEnabled: true,
      createdAt: START,
    });
    await queries.update(tenants).set({ callsPerMinuteMax: 1000 });
    await trunkStore(queries).put(
      tenantId,
      {
        server: "sip.example",
        port: 5060,
        transport: "udp",
        username: "u",
        realm: null,
        outboundProxy: null,
        callerId: OWN,
        register: true,
        createdAt: 0,
        updatedAt: 0,
      },
      () => "sealed",
    );
  });
  await database.close();
}
