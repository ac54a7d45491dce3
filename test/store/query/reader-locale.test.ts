/** The language of a tenant's mails. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { identityStores } from "../../../src/features/identity/identity-stores.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const database = await openTestDatabase(join(tempDir(), "readers.db"), 0);

const readerOf = async (tenantId: number, webhookId: number) => {
  const health = webhookStores.health(database.read);
  const contact = await health.contact(tenantId, { webhookId, legacyUrl: null });
  return contact && { locale: contact.locale, timeZone: contact.timeZone };
};

test("the user with the tenant's address decides, otherwise its first owner, otherwise it is English", async () => {
  const tenantId = await insertTenant(database, { email: "Office@clinic.example" });
  const webhookId = await insertWebhook(database, tenantId, { url: "https://hook.example/in" });
  const timeZone = "Europe/Vilnius";
  expect(await readerOf(tenantId, webhookId)).toEqual({ locale: "en", timeZone });

  const add = (email: string, locale: "lt" | "lv" | "ru", role: "owner" | "member" | null) =>
    database.tx(async (queries) => {
      const { users, team } = identityStores(queries);
      const rest = { name: "", passwordHash: null, operator: false, createdAt: 0 };
      const id = await users.insert({ email, locale, ...rest });
      if (role) await team.put(tenantId, id, role, 0);
    });
  await add("member@clinic.example", "ru", "member");
  await add("owner@clinic.example", "lv", "owner");
  expect((await readerOf(tenantId, webhookId))?.locale).toBe("lv");
  await add("office@clinic.example", "lt", null);
  expect((await readerOf(tenantId, webhookId))?.locale).toBe("lt");
});
