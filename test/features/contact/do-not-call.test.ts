/** Do-not-call requests stay after the contact, the person or all data of the number is deleted. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { doNotCallListOf } from "../../../src/app/caller-services.ts";
import { quotaStore } from "../../../src/features/billing/quota-store.ts";
import { createQuotas } from "../../../src/features/billing/quotas.ts";
import { callerStore } from "../../../src/features/contact/caller-store.ts";
import { contactStore } from "../../../src/features/contact/contact-store.ts";
import { importContacts } from "../../../src/features/contact/contacts-csv.ts";
import { erasePerson } from "../../../src/features/privacy/erase-person.ts";
import { createVault } from "../../../src/platform/secrets/vault.ts";
import { contacts, doNotCallEntries } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  startApiServer,
} from "../../support/http/api-server.ts";
import { tempDir } from "../../support/temp-dir.ts";

const PERSON = "+37061234567";
const clock = fakeClock();
const directory = tempDir();
let server: ApiServer;
let tenant: ApiTenant;

beforeAll(async () => {
  server = await startApiServer({ directory, clock });
  tenant = await server.tenant();
});
afterAll(() => server.stop());
beforeEach(() =>
  server.database.tx(async (queries) => {
    await queries.delete(contacts);
    await queries.delete(doNotCallEntries);
  }),
);

interface Shown {
  readonly id: number;
  readonly do_not_call: boolean;
}
async function contact(method: string, path: string, body?: object): Promise<Shown> {
  const answered = await ask(server, tenant, method, `/contacts${path}`, body);
  expect(answered.status).toBe(200);
  return (answered.json as unknown as { contact: Shown }).contact;
}

/** Whether a call of this origin would be dialled. */
async function isDialled(origin: "api" | "campaign" | "birthday"): Promise<boolean> {
  const callUuid = crypto.randomUUID();
  await server.database.tx((queries) =>
    callerStore(queries).putPurpose(tenant.id, {
      callUuid,
      reason: "Check-ups",
      sensitive: false,
      origin,
      createdAt: clock.now(),
    }),
  );
  const call = { tenantId: tenant.id, callUuid, toNumber: PERSON };
  return server.database
    .tx((queries) => server.callerParts.callers.mayDial(queries, call))
    .then(
      () => true,
      () => false,
    );
}

const erase = () =>
  erasePerson(
    {
      database: server.database,
      clock,
      recordingsDir: directory,
      outboxDir: directory,
      doNotCallList: doNotCallListOf(server.vault, server.database),
    },
    tenant.id,
    PERSON,
    false,
  );

test("a campaign does not dial an erased person who asked not to be called", async () => {
  await contact("POST", "", { number_e164: PERSON, do_not_call: true, first_name: "Ona" });
  expect(await isDialled("campaign")).toBe(false);
  expect(await erase()).toMatchObject({ contacts: 1, do_not_call_kept: true });
  expect(await isDialled("campaign")).toBe(false);
  // The tenant itself is responsible for single API calls, so they are allowed.
  expect(await isDialled("api")).toBe(true);
  const [kept] = await server.database.read.select().from(doNotCallEntries);
  expect(JSON.stringify(kept)).not.toContain(PERSON.slice(-7));
});

test("an erased person who never opted out may be called again", async () => {
  await contact("POST", "", { number_e164: PERSON, consent: true });
  expect((await erase()).do_not_call_kept).toBeUndefined();
  expect(await isDialled("campaign")).toBe(true);
});

test("a contact created or imported again shows the opt-out; only an explicit change removes it", async () => {
  const first = await contact("POST", "", { number_e164: PERSON, do_not_call: true });
  await ask(server, tenant, "DELETE", `/contacts/${first.id}`);
  expect(await isDialled("campaign")).toBe(false);
  const csv = `number,first name,do not call\n${PERSON},Ona,no\n`;
  const imported = await ask(server, tenant, "POST", "/contacts/import", { csv });
  expect(imported.json).toMatchObject({ created: 1 });
  const second = await contact("POST", "", { number_e164: PERSON, do_not_call: false });
  expect(second.do_not_call).toBe(true);
  const listed = await ask(server, tenant, "GET", "/contacts");
  const shown = (listed.json as unknown as { contacts: Shown[] }).contacts;
  expect(shown.map(({ do_not_call }) => do_not_call)).toEqual([true, true]);
  for (const { id } of shown) await contact("PATCH", `/${id}`, { do_not_call: false });
  expect(await isDialled("campaign")).toBe(true);
});

test("a person imported without an opt-out may be called; one imported with it may not", async () => {
  const imported = (refuses: string) =>
    ask(server, tenant, "POST", "/contacts/import", {
      csv: `number,first name,do not call\n${PERSON},Ona,${refuses}\n`,
    });
  expect((await imported("no")).json).toMatchObject({ created: 1 });
  expect(await isDialled("campaign")).toBe(true);
  expect(await server.database.read.select().from(doNotCallEntries)).toEqual([]);
  expect((await imported("yes")).json).toMatchObject({ updated: 1 });
  expect(await isDialled("campaign")).toBe(false);
});

test("an import logs new opt-outs for a restored backup, and no others", async () => {
  const noted: string[] = [];
  const options = {
    database: server.database,
    records: contactStore,
    clock,
    quotas: createQuotas(server.billing, quotaStore),
    doNotCallList: {
      ...doNotCallListOf(server.vault, server.database),
      note: async (_: unknown, __: number, numbers: readonly string[]) =>
        void noted.push(...numbers),
    },
  };
  const imported = (refuses: string) =>
    importContacts(options, tenant.id, {
      csv: `number,first name,do not call\n${PERSON},Ona,${refuses}\n`,
      country: null,
      dryRun: false,
      skipBad: false,
    });
  await imported("no");
  expect(noted).toEqual([]);
  await imported("yes");
  expect(noted).toEqual([PERSON]);
  await imported("yes");
  expect(noted).toEqual([PERSON]);
});

test("importing a file again does not remove opt-outs made since", async () => {
  const csv = `number,first name\n${PERSON},Ona\n`;
  await ask(server, tenant, "POST", "/contacts/import", { csv });
  await server.database.tx((queries) =>
    contactStore(queries).setDoNotCall(tenant.id, PERSON, clock.now()),
  );
  const again = await ask(server, tenant, "POST", "/contacts/import", { csv });
  expect(again.json).toMatchObject({ created: 0, updated: 0, unchanged: 1 });
  expect(await isDialled("campaign")).toBe(false);
});

test("a form with an unchanged opt-out removes none", async () => {
  const first = await contact("POST", "", { number_e164: PERSON, do_not_call: true });
  const other = await contact("POST", "", { number_e164: PERSON, first_name: "Jonas" });
  await ask(server, tenant, "DELETE", `/contacts/${first.id}`);
  await contact("PATCH", `/${other.id}`, { do_not_call: false, notes: "neighbour" });
  expect(await isDialled("campaign")).toBe(false);
});

test("an unknown person who opts out in a campaign's call is not called again", async () => {
  const callUuid = crypto.randomUUID();
  await server.database.tx((queries) =>
    callerStore(queries).putPurpose(tenant.id, {
      callUuid,
      reason: "Check-ups",
      sensitive: false,
      origin: "campaign" as const,
      createdAt: clock.now(),
    }),
  );
  const call = { tenantId: tenant.id, callUuid, number: PERSON };
  expect(await server.callerParts.callers.handleOptOut(call)).toBe(true);
  expect(await isDialled("campaign")).toBe(false);
});

test("an opt-out is found after a change of the master key, and never with another appliance's key", async () => {
  const [old, next] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const root = new Uint8Array(32).fill(3);
  const vault = createVault(old, root);
  const replaced = new Uint8Array(32).fill(4);
  const { database } = server;
  await database.tx((queries) =>
    doNotCallListOf(vault, database).add(queries, tenant.id, PERSON, 1),
  );
  vault.rekey(next, replaced);
  expect(await doNotCallListOf(vault, database).has(database.read, tenant.id, PERSON)).toBe(true);
  expect(
    await doNotCallListOf(createVault(next, replaced, root), database).has(
      database.read,
      tenant.id,
      PERSON,
    ),
  ).toBe(true);
  expect(
    await doNotCallListOf(createVault(old), database).has(database.read, tenant.id, PERSON),
  ).toBe(false);
});
