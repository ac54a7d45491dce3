/**
 * A tenant's features have effect only while they are on (specification 2, Tenant): without `cli_identity` a known
 * number identifies nobody, and without the paid `crm_bridge` no CRM is asked.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { callerStore } from "../../../src/features/contact/caller-store.ts";
import { contactStore } from "../../../src/features/contact/contact-store.ts";
import type { CallerTenant } from "../../../src/features/contact/ports.ts";
import { type ApiServer, type ApiTenant, startApiServer } from "../../support/http/api-server.ts";
import { tempDir } from "../../support/temp-dir.ts";

const HOST = "127.0.8.99";
const KNOWN = "+37061000101";
const agent = { language: "en", firstMessage: "Good afternoon." } as const;
const caller = { direction: "inbound", number: KNOWN, callUuid: "u" } as const;

let server: ApiServer;
let own: ApiTenant;
let asked = 0;
const crm = Bun.serve({
  hostname: HOST,
  port: 0,
  fetch: () => {
    asked++;
    return Response.json({ name: "Jonas" });
  },
});

const withFeatures = (on: Partial<CallerTenant>): CallerTenant => ({
  id: own.id,
  timeZone: "Europe/Vilnius",
  callbackMemory: false,
  namedGreeting: false,
  cliIdentity: false,
  crmBridge: false,
  ...on,
});

beforeAll(async () => {
  server = await startApiServer({ directory: tempDir() });
  own = await server.tenant();
  await server.database.tx(async (queries) => {
    await contactStore(queries).insert(own.id, {
      numberE164: KNOWN,
      firstName: "Jonas",
      lastName: "Petraitis",
      vocative: null,
      birthday: null,
      language: null,
      notes: "Owes 40 EUR",
      consent: false,
      doNotCall: false,
      pinHash: null,
      createdAt: 1,
      updatedAt: 1,
    });
    await callerStore(queries).putFeatureSettings(
      own.id,
      { crmUrl: `http://${HOST}:${crm.port}/` },
      1,
    );
  });
});
afterAll(async () => {
  await server.stop();
  await crm.stop(true);
});
beforeEach(() => {
  asked = 0;
});

const about = (tenant: CallerTenant) =>
  server.database.tx((queries) =>
    server.callerParts.callers.contextOf(queries, tenant, agent, caller),
  );

test("with cli_identity a number of exactly one contact identifies the caller", async () => {
  const { level, facts } = await about(withFeatures({ cliIdentity: true }));
  expect(level).toBe(1);
  expect(facts.join("\n")).toContain("caller.verified = true");
});

test.each([{}, { namedGreeting: true }, { callbackMemory: true }])(
  "without cli_identity (%j) the same caller is at level 0 and the contact's notes stay hidden",
  async (on) => {
    const { level, facts, data } = await about(withFeatures(on));
    expect(level).toBe(0);
    expect(JSON.stringify([facts, data])).not.toMatch(/verified = true|40 EUR/);
  },
);

test("the CRM is asked for a tenant that pays for the bridge, and for nobody else", async () => {
  const { callers } = server.callerParts;
  expect(await callers.lookUp(withFeatures({ cliIdentity: true }), caller)).toEqual([]);
  expect(asked).toBe(0);
  expect(await callers.lookUp(withFeatures({ crmBridge: true }), caller)).toEqual([
    { label: "crm_name", text: "Jonas" },
  ]);
  expect(asked).toBe(1);
});
