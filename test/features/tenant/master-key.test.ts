/** The master key of a store: checked at the start, changed while in use. */

import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { doNotCallListOf } from "../../../src/app/caller-services.ts";
import { openRevocations } from "../../../src/app/revocations.ts";
import { openVault, rotateMasterKey } from "../../../src/app/vault.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { Database } from "../../../src/core/database.ts";
import { AppError } from "../../../src/core/errors.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { userFingerprintOf } from "../../../src/features/identity/fingerprint.ts";
import { totpBinding } from "../../../src/features/identity/second-factor.ts";
import { userStore } from "../../../src/features/identity/user-store.ts";
import { createTenant } from "../../../src/features/tenant/create-tenant.ts";
import { tenantAdminStore } from "../../../src/features/tenant/tenant-admin-store.ts";
import { trunkPasswordBinding, trunkStore } from "../../../src/features/trunk/trunk-store.ts";
import { createRecordingLinks, RECORDING_LINK_PURPOSE } from "../../../src/http/recording-links.ts";
import { writeSnapshot } from "../../../src/ops/backup/snapshot.ts";
import { journalFileOf } from "../../../src/ops/revocation/journal.ts";
import { tenantSecretBinding } from "../../../src/platform/secrets/secret-binding.ts";
import type { Vault } from "../../../src/platform/secrets/vault.ts";
import { SEALED_COLUMNS } from "../../../src/store/encrypted-columns.ts";
import { startPlan } from "../../support/plans.ts";
import { isRemote, openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const NOW = Date.UTC(2026, 10, 21, 9);
const keyOf = (fill: number) => new Uint8Array(32).fill(fill);

const open = () => openTestDatabase(join(tempDir(), "linevoice.db"), NOW);

test("a rotation covers every encrypted column", async () => {
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

test("a master key other than the data's is refused, and the attempt changes nothing", async () => {
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

test("two nodes that start at once on a new store agree on its root", async () => {
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
    { database, records: tenantAdminStore, vault, clock: systemClock, random: systemRandom },
    { name: "Clinic", email: "a@example.com", plan: startPlan.slug, timeZone: "Europe/Vilnius" },
  );

test("after a rotation only the new key decrypts everything; purpose keys stay", async () => {
  const database = await open();
  const vault = await openVault(database, keyOf(1), systemRandom);
  const tenantId = await sealedTenant(database, vault);
  const trunk = await database.tx((queries) =>
    trunkStore(queries).put(
      tenantId,
      {
        server: "sip.example.com",
        port: 5060,
        transport: "udp",
        username: "u",
        realm: null,
        outboundProxy: null,
        callerId: "+37052000001",
        register: true,
        createdAt: NOW,
        updatedAt: NOW,
      },
      (id) => vault.seal("trunk password", trunkPasswordBinding(id)),
    ),
  );
  const links = vault.deriveKey("links");
  const rotate = () => rotateMasterKey(database, vault, keyOf(2), null);
  expect(await rotate()).toEqual({ sealed: 3, endedCodesOf: 0 });
  expect(await rotate()).toEqual({ sealed: 0, endedCodesOf: 0 });

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

const PERSON = "+37061234567";
const USER = {
  passwordHash: null,
  name: "",
  locale: "en" as const,
  operator: false,
  createdAt: NOW,
};

const linksOf = (vault: Vault) =>
  createRecordingLinks(
    () => vault.deriveKey(RECORDING_LINK_PURPOSE),
    () => "https://voice.example",
    systemClock,
  );

/** Checks a link as the server does. */
function isOpened(vault: Vault, url: string): boolean {
  const query = new URL(url).searchParams;
  const [expires, signature] = [Number(query.get("expires")), query.get("signature") ?? ""];
  return linksOf(vault).verify("call", expires, signature);
}

test("a replaced purpose root ends old links; revocations and all nodes use the new one", async () => {
  const file = join(tempDir(), "linevoice.db");
  const database = await openTestDatabase(file, NOW);
  const other = await openTestDatabase(file, NOW);
  const vault = await openVault(database, keyOf(1), systemRandom);
  const tenantId = await sealedTenant(database, vault);
  const old = linksOf(vault).urlFor("call").url;
  const refused = (by: Vault, number: string) =>
    doNotCallListOf(by, database).has(database.read, tenantId, number);
  await database.tx((q) => doNotCallListOf(vault, database).add(q, tenantId, PERSON, NOW));
  const lasting = vault.lastingKey("fingerprints");

  for (const [key, root] of [
    [2, 8],
    [3, 9],
  ] as const) {
    await rotateMasterKey(database, vault, keyOf(key), keyOf(root));
    // Another node, restarted with the new key.
    const fresh = await openVault(other, keyOf(key), systemRandom);
    const made = linksOf(vault).urlFor("call").url;
    for (const each of [vault, fresh]) {
      expect([isOpened(each, old), isOpened(each, made)]).toEqual([false, true]);
      expect(each.lastingKey("fingerprints")).toEqual(lasting);
      expect([await refused(each, PERSON), await refused(each, "+37061111111")]).toEqual([
        true,
        false,
      ]);
    }
    expect(fresh.deriveKey("links")).toEqual(vault.deriveKey("links"));
  }
  await expect(openVault(other, keyOf(1), systemRandom)).rejects.toThrow();
  await other.close();
  await database.close();
});

test("recovery codes end with the purpose root: the number of affected people is reported", async () => {
  const database = await open();
  const vault = await openVault(database, keyOf(1), systemRandom);
  await database.tx(async (queries) => {
    const store = userStore(queries);
    const [ona, jonas, rasa] = [
      await store.insert({ ...USER, email: "ona@example.com" }),
      await store.insert({ ...USER, email: "jonas@example.com" }),
      await store.insert({ ...USER, email: "rasa@example.com" }),
    ];
    await store.replaceRecoveryCodes(ona, ["a", "b"]);
    await store.replaceRecoveryCodes(jonas, ["c"]);
    await store.replaceRecoveryCodes(rasa, ["d"]);
    await store.spendRecoveryCode(rasa, "d", NOW);
  });
  expect((await rotateMasterKey(database, vault, keyOf(2), null)).endedCodesOf).toBe(0);
  expect((await rotateMasterKey(database, vault, keyOf(3), keyOf(9))).endedCodesOf).toBe(2);
  const [left] = await database.read.all<{ n: number }>(sql`SELECT count(*) n FROM recovery_codes`);
  expect(left?.n).toBe(0);
  await database.close();
});

test("one value that cannot be decrypted stops the rotation: no root, code or key is changed", async () => {
  const database = await open();
  const vault = await openVault(database, keyOf(1), systemRandom);
  await sealedTenant(database, vault);
  const links = vault.deriveKey("links");
  const stored = () =>
    database.read.all(sql`SELECT name, sealed FROM appliance_secrets ORDER BY name`);
  const before = await stored();
  await database.tx((q) => q.run(sql`UPDATE tenants SET webhook_secret_sealed = 'v1.a.b'`));
  await expect(rotateMasterKey(database, vault, keyOf(2), keyOf(9))).rejects.toThrow();
  expect(await stored()).toEqual(before);
  expect(vault.deriveKey("links")).toEqual(links);
  const again = await openVault(database, keyOf(1), systemRandom);
  expect(again.open(vault.seal("later", "row"), "row")).toBe("later");
  await database.close();
});

test("a failed commit keeps the old key and the old root in use", async () => {
  const database = await open();
  const vault = await openVault(database, keyOf(1), systemRandom);
  const links = vault.deriveKey("links");
  const failing: Database = {
    ...database,
    tx: (body) =>
      database.tx(async (queries) => {
        await body(queries);
        throw new Error("disk full");
      }),
  };
  await expect(rotateMasterKey(failing, vault, keyOf(2), keyOf(9))).rejects.toThrow("disk full");
  expect(vault.deriveKey("links")).toEqual(links);
  const again = await openVault(database, keyOf(1), systemRandom);
  expect(again.open(vault.seal("later", "row"), "row")).toBe("later");
  expect(again.deriveKey("links")).toEqual(links);
  await database.close();
});

test("values encrypted before or together with the rotation's commit are decrypted with the new key", async () => {
  const database = await open();
  const vault = await openVault(database, keyOf(1), systemRandom);
  const [first, second] = [
    await sealedTenant(database, vault),
    await sealedTenant(database, vault),
  ];
  const put = (id: number, sealed: () => string) =>
    database.tx((q) =>
      q.run(sql`UPDATE tenants SET webhook_secret_sealed = ${sealed()} WHERE id = ${id}`),
    );
  const early = vault.seal("sealed before", tenantSecretBinding(first));
  const [, codeKey] = await Promise.all([
    rotateMasterKey(database, vault, keyOf(2), keyOf(9)),
    database.tx(async () => vault.deriveKey("codes")),
    put(first, () => early),
    put(second, () => vault.seal("sealed within", tenantSecretBinding(second))),
  ]);
  const fresh = await openVault(database, keyOf(2), systemRandom);
  expect(fresh.deriveKey("codes")).toEqual(codeKey);
  const rows = await database.read.all<{ id: number; sealed: string }>(
    sql`SELECT id, webhook_secret_sealed AS sealed FROM tenants ORDER BY id`,
  );
  expect(rows.map(({ id, sealed }) => fresh.open(sealed, tenantSecretBinding(id)))).toEqual([
    "sealed before",
    "sealed within",
  ]);
  await database.close();
});

/** Starts with the journal next to this copy of the database. */
async function restoredIn(copy: string, journal: string, masterKey: Uint8Array) {
  const dataDir = join(tempDir(), "data");
  mkdirSync(dataDir);
  copyFileSync(copy, join(dataDir, "linevoice.db"));
  copyFileSync(journal, journalFileOf(dataDir));
  const database = await openTestDatabase(join(dataDir, "linevoice.db"), NOW);
  const vault = await openVault(database, masterKey, systemRandom);
  const { past, replayed, close } = await revocationsIn(dataDir, database, vault);
  const has = await doNotCallListOf(vault, database).has(database.read, 1, PERSON);
  const authenticators = await database.read.all(
    sql`SELECT id FROM users WHERE totp_sealed IS NOT NULL`,
  );
  close();
  await database.close();
  return { past, replayed, has, authenticators };
}

const revocationsIn = (dataDir: string, database: Database, vault: Vault) =>
  openRevocations({
    dataDir,
    database,
    vault,
    clock: systemClock,
    random: systemRandom,
    shared: false,
    paths: { recordings: dataDir, outbox: dataDir },
  });

test.skipIf(isRemote)(
  "the journal is still replayed after it, into backups from before and after it",
  async () => {
    const dataDir = tempDir();
    const file = join(dataDir, "linevoice.db");
    const database = await openTestDatabase(file, NOW);
    const vault = await openVault(database, keyOf(1), systemRandom);
    const revocations = await revocationsIn(dataDir, database, vault);
    const tenantId = await sealedTenant(database, vault);
    await database.tx(async (queries) => {
      const store = userStore(queries);
      const id = await store.insert({ ...USER, email: "ona@example.com" });
      await store.update(id, { totpSealed: vault.seal("JBSWY3DPEHPK3PXP", totpBinding(id)) });
    });
    const [before, after] = [join(dataDir, "before.db"), join(dataDir, "after.db")];
    writeSnapshot(file, before);
    await rotateMasterKey(database, vault, keyOf(2), keyOf(9));
    writeSnapshot(file, after);

    await database.tx(async (queries) => {
      await doNotCallListOf(vault, database).add(queries, tenantId, PERSON, NOW);
      const user = userFingerprintOf(vault)("ona@example.com");
      await database.revocations.note(queries, [{ kind: "second_factor", user }]);
    });
    revocations.close();
    await database.close();
    const expected = {
      past: "known",
      replayed: { second_factor: 1, refusal: 1 },
      has: true,
      authenticators: [],
    };
    const journal = journalFileOf(dataDir);
    expect(await restoredIn(after, journal, keyOf(2))).toMatchObject(expected);
    expect(await restoredIn(before, journal, keyOf(1))).toMatchObject(expected);
  },
);

test.skipIf(isRemote).each([
  ["before the commit", 1, 10, true],
  ["after the commit", 2, 0, false],
] as const)(
  "killed %s: key %i decrypts all of it, %i recovery codes are left",
  async (step, key, codes, isOld) => {
    const file = join(tempDir(), "linevoice.db");
    const database = await openTestDatabase(file, NOW);
    const vault = await openVault(database, keyOf(1), systemRandom);
    await sealedTenant(database, vault);
    await database.tx(async (queries) => {
      const store = userStore(queries);
      const id = await store.insert({ ...USER, email: "ona@example.com" });
      await store.replaceRecoveryCodes(id, [..."abcdefghij"]);
    });
    const old = linksOf(vault).urlFor("call").url;
    await database.close();
    const script = join(import.meta.dir, "../../support/store/killed-rotation.ts");
    const child = Bun.spawn([process.execPath, script, file, step], { stderr: "inherit" });
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");

    const after = await openTestDatabase(file, NOW);
    await expect(openVault(after, keyOf(3 - key), systemRandom)).rejects.toThrow();
    const again = await openVault(after, keyOf(key), systemRandom);
    expect(isOpened(again, old)).toBe(isOld);
    expect(again.lastingKey("fingerprints")).toEqual(vault.lastingKey("fingerprints"));
    const [left] = await after.read.all<{ codes: number; sealed: string; id: number }>(
      sql`SELECT (SELECT count(*) FROM recovery_codes) AS codes, webhook_secret_sealed AS sealed, id FROM tenants`,
    );
    expect(left?.codes).toBe(codes);
    expect(again.open(left?.sealed ?? "", tenantSecretBinding(left?.id ?? 0))).toHaveLength(64);
    await after.close();
  },
);
