/** The master key over a store: proved at the start, changed while it is in use. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { openVault, rotateMasterKey } from "../../../src/app/vault.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { AppError } from "../../../src/core/errors.ts";
import { systemRandom } from "../../../src/core/random.ts";
import type { Database } from "../../../src/store/database.ts";
import { SEALED_COLUMNS } from "../../../src/store/sealed-store.ts";
import { trunkPasswordBinding, trunkStore } from "../../../src/store/trunk-store.ts";
import { createTenant } from "../../../src/tenant/create-tenant.ts";
import { tenantSecretBinding } from "../../../src/webhook/secret-binding.ts";
import { startPlan } from "../../support/plans.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { openTestDatabase } from "../../support/test-store.ts";

const NOW = Date.UTC(2026, 10, 21, 9);
const keyOf = (fill: number) => new Uint8Array(32).fill(fill);

const open = () => openTestDatabase(join(tempDir(), "linevoice.db"), NOW);

test("every column that is sealed is gone through by a rotation", async () => {
  const database = await open();
  const columns = await database.read.all<{ name: string; column: string }>(
    sql`SELECT m.name AS name, c.name AS "column" FROM sqlite_master m, pragma_table_info(m.name) c
        WHERE m.type = 'table' AND c.name LIKE '%sealed'`,
  );
  const known = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(columns.length).toBeGreaterThan(5);
  for (const { name, column } of columns) expect(known).toContain(`${name}.${column}`);
  await database.close();
});

test("another master key than the data's is refused, and nothing is changed by trying", async () => {
  const database = await open();
  const vault = await openVault(database, keyOf(1), systemRandom);
  const sealed = vault.seal("secret", "row");
  const wrong = await openVault(database, keyOf(2), systemRandom).catch((error) => error);
  expect(wrong).toBeInstanceOf(AppError);
  expect(wrong.publicMessage).toContain("master key is not the one");
  const again = await openVault(database, keyOf(1), systemRandom);
  expect(again.open(sealed, "row")).toBe("secret");
  await database.close();
});

test("two that start at once on a new store agree on its root", async () => {
  const database = await open();
  const [one, two] = await Promise.all([
    openVault(database, keyOf(1), systemRandom),
    openVault(database, keyOf(1), systemRandom),
  ]);
  expect(one.deriveKey("links")).toEqual(two.deriveKey("links"));
  await database.close();
});

const sealedTenant = (database: Database, vault: { seal(p: string, b: string): string }) =>
  createTenant(
    { database, vault, clock: systemClock, random: systemRandom },
    { name: "Clinic", email: "a@example.com", plan: startPlan.slug, timeZone: "Europe/Vilnius" },
  );

test("after a rotation everything opens with the new key alone; purpose keys stay", async () => {
  const database = await open();
  const vault = await openVault(database, keyOf(1), systemRandom);
  const tenantId = await sealedTenant(database, vault);
  const trunk = await database.tx((queries) =>
    trunkStore(queries).put(
      tenantId,
      {
        ...{ server: "sip.example.com", port: 5060, transport: "udp", username: "u", realm: null },
        ...{ outboundProxy: null, callerId: "+37052000001", register: true },
        ...{ createdAt: NOW, updatedAt: NOW },
      },
      (id) => vault.seal("trunk password", trunkPasswordBinding(id)),
    ),
  );
  const links = vault.deriveKey("links");
  expect(await rotateMasterKey(database, vault, keyOf(2))).toBe(3);
  expect(await rotateMasterKey(database, vault, keyOf(2))).toBe(0);

  const fresh = await openVault(database, keyOf(2), systemRandom);
  expect(fresh.deriveKey("links")).toEqual(links);
  const [row] = await database.read.all<{ password: string; webhook: string }>(
    sql`SELECT password_sealed AS password, webhook_secret_sealed AS webhook FROM trunks JOIN tenants ON tenants.id = tenant_id`,
  );
  expect(fresh.open(row?.password ?? "", trunkPasswordBinding(trunk.id))).toBe("trunk password");
  expect(fresh.open(row?.webhook ?? "", tenantSecretBinding(tenantId))).toHaveLength(64);
  await expect(openVault(database, keyOf(1), systemRandom)).rejects.toThrow();

  const underOld = await openVault(database, keyOf(2), systemRandom);
  expect(underOld.open(vault.seal("later", "row"), "row")).toBe("later");
  await database.close();
});
