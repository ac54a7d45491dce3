/** The search text of contacts always matches the contacts, also after changes by another node. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { contactSearch } from "../../../src/features/contact/contact-search-store.ts";
import { contacts } from "../../../src/store/schema/index.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

test("a contact is found by name and number as stored by another node, by its own tenant only", async () => {
  const path = join(tempDir(), "linevoice.db");
  const database = await openTestDatabase(path, 0);
  const other = await openTestDatabase(path, 0);
  const [own, stranger] = [await insertTenant(database), await insertTenant(database)];
  const search = contactSearch(database.read);
  const add = async (tenantId: number, numberE164: string, firstName: string, lastName: string) => {
    const row = { tenantId, numberE164, firstName, lastName, createdAt: 0, updatedAt: 0 };
    const [made] = await other.tx((queries) =>
      queries.insert(contacts).values(row).returning({ id: contacts.id }),
    );
    return made?.id ?? 0;
  };
  const zirafa = await add(own, "+37061000009", "Žirafa", "Petraitienė");
  const ona = await add(own, "+37061000010", "Ona\nRasa", "Banytė");
  await add(stranger, "+37061000009", "Žirafa", "Petraitienė");

  expect(await search.find(own, "ŽIRAFA petraitienė")).toEqual([zirafa]);
  expect(await search.find(own, "zirafa")).toEqual([zirafa]);
  expect(await search.find(own, "a")).toEqual([ona, zirafa]);
  expect(await search.find(own, "ona rasa")).toEqual([ona]);
  expect(await search.find(own, "+3706100001")).toEqual([ona]);
  expect(await search.find(own, "10000")).toEqual([ona, zirafa]);
  expect(await search.named(own, "10000")).toEqual([]);
  // Neither ids nor the separators in the search text are part of a contact.
  for (const nothing of [`${zirafa}:`, ":", "\n", "\t", "%", "petraitiene +370"])
    expect(await search.find(own, nothing)).toEqual([]);

  await other.tx((queries) =>
    queries.update(contacts).set({ lastName: "Abe" }).where(eq(contacts.id, zirafa)),
  );
  expect(await search.find(own, "petrait")).toEqual([]);
  expect(await search.find(own, "1000")).toEqual([zirafa, ona]);
  await other.tx((queries) => queries.delete(contacts).where(eq(contacts.id, zirafa)));
  expect(await search.find(own, "zirafa")).toEqual([]);
  expect(await search.find(own, "61000009")).toEqual([]);
  expect(await search.find(stranger, "61000009")).toHaveLength(1);
  await other.close();
  await database.close();
});

test("ids are not searched: digits are found in numbers and names only", async () => {
  const database = await openTestDatabase(join(tempDir(), "linevoice.db"), 0);
  const tenantId = await insertTenant(database);
  const named = (id: number, numberE164: string) => ({
    id,
    tenantId,
    numberE164,
    firstName: "Jonas",
    lastName: "",
    createdAt: 0,
    updatedAt: 0,
  });
  const rows = [named(77, "+37061000001"), named(78, "+37061000077"), named(177, "+37061000002")];
  await database.tx((queries) => queries.insert(contacts).values(rows));
  const search = contactSearch(database.read);
  expect(await search.find(tenantId, "77")).toEqual([78]);
  expect(await search.find(tenantId, "1")).toEqual([77, 78, 177]);
  await database.close();
});
