/** A contact's PIN over the API: it is set, stored as a hash, replaced and deleted, and never shown. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { contacts } from "../../src/store/schema/index.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pick,
  pickId,
  startApiServer,
} from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

let server: ApiServer;
let tenant: ApiTenant;
let people = 0;

beforeAll(async () => {
  server = await startApiServer({ directory: tempDir() });
  tenant = await server.tenant();
});
afterAll(() => server.stop());

async function create(fields: object): Promise<number> {
  const body = { number_e164: `+3706000${1000 + people++}`, ...fields };
  return pickId(await ask(server, tenant, "POST", "/contacts", body), "contact.id");
}

/** Whether a PIN is shown as set; and whether this PIN is accepted. */
async function stateOf(id: number, pin: string) {
  const shown = await ask(server, tenant, "GET", `/contacts/${id}`);
  const [row] = await server.database.read.select().from(contacts).where(eq(contacts.id, id));
  expect(JSON.stringify([shown, row])).not.toContain(pin);
  const hash = row?.pinHash ?? null;
  return [
    pick(shown, "contact.has_pin"),
    hash === null ? null : await Bun.password.verify(pin, hash),
  ];
}

const change = async (id: number, body: object) =>
  (await ask(server, tenant, "PATCH", `/contacts/${id}`, body)).status;

test("a contact has none unless one is given", async () => {
  expect(await stateOf(await create({}), "47110815")).toEqual([false, null]);
  expect(await stateOf(await create({ pin: null }), "47110815")).toEqual([false, null]);
  expect(await stateOf(await create({ pin: "47110815" }), "47110815")).toEqual([true, true]);
});

test("a change of another field keeps it, another PIN replaces it, null deletes it", async () => {
  const id = await create({ pin: "47110815" });
  expect(await change(id, { first_name: "Ona" })).toBe(200);
  expect(await stateOf(id, "47110815")).toEqual([true, true]);
  expect(await change(id, { pin: "08154711" })).toBe(200);
  expect(await stateOf(id, "47110815")).toEqual([true, false]);
  expect(await stateOf(id, "08154711")).toEqual([true, true]);
  expect(await change(id, { pin: null })).toBe(200);
  expect(await stateOf(id, "08154711")).toEqual([false, null]);
});
