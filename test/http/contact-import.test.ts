/** The preview of a contact import. */
import { afterAll, expect, test } from "bun:test";
import { ask, pick, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = await startApiServer({ directory: tempDir() });
afterAll(() => server.stop());

test("a dry run shows the first twenty people of a file, and imports none", async () => {
  const tenant = await server.tenant();
  const rows = Array.from({ length: 25 }, (_, n) => `+370600000${String(n).padStart(2, "0")}`);
  const file = { csv: `number\n${rows.join("\n")}\n`, dry_run: true };
  const shown = await ask(server, tenant, "POST", "/contacts/import", file);
  const people = pick(shown, "preview") as { number_e164: string }[];
  expect(people.map(({ number_e164 }) => number_e164)).toEqual(rows.slice(0, 20));
  expect(pick(await ask(server, tenant, "GET", "/contacts"), "total")).toBe(0);
});

test("a future birthday is refused, of one contact and in a file", async () => {
  const tenant = await server.tenant();
  const birthday = "2199-05-01";
  const person = { number_e164: "+37060000001", birthday };
  const refused = await ask(server, tenant, "POST", "/contacts", person);
  expect([refused.status, pick(refused, "error")]).toEqual([400, "valid_birthday_required"]);
  const made = await ask(server, tenant, "POST", "/contacts", { ...person, birthday: null });
  const path = `/contacts/${(pick(made, "contact") as { id: number }).id}`;
  expect((await ask(server, tenant, "PATCH", path, { birthday })).status).toBe(400);
  const file = { csv: `number,birthday\n+37060000002,${birthday}\n`, dry_run: true };
  const shown = await ask(server, tenant, "POST", "/contacts/import", file);
  expect(pick(shown, "problems")).toMatchObject([{ line: 2, column: "birthday" }]);
});
