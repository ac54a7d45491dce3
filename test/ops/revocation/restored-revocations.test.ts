/**
 * A restore brings back no data revoked, erased or opted out after the backup: through the real server, a real
 * backup and the journal next to the database.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { doNotCallListOf } from "../../../src/app/caller-services.ts";
import { openRevocations } from "../../../src/app/revocations.ts";
import { systemClock as clock } from "../../../src/core/clock.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { erasePerson } from "../../../src/features/privacy/erase-person.ts";
import { restoreBackup } from "../../../src/ops/backup/restore.ts";
import { writeSnapshot } from "../../../src/ops/backup/snapshot.ts";
import { journalFileOf } from "../../../src/ops/revocation/journal.ts";
import { webhookSecretBinding } from "../../../src/platform/secrets/secret-binding.ts";
import { createVault } from "../../../src/platform/secrets/vault.ts";
import {
  calls,
  contacts,
  passkeys,
  recoveryCodes,
  tenants,
  users,
  webhooks,
} from "../../../src/store/schema/index.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { Browser, person, signedInBrowser } from "../../support/browser/dashboard-session.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pickId,
  pickText,
  startApiServer,
} from "../../support/http/api-server.ts";
import { PASSWORD, tokenOf } from "../../support/http/sign-in-world.ts";
import { insertCall } from "../../support/store/stored-rows.ts";
import { isRemote } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

const PERSON = "+37061234567";
const KEPT = "+37061111111";
const REFUSER = "+37062222222";
const LIFTER = "+37063333333";
const NEW_PASSWORD = "visai kitas sakinys cia";

/** A backup of the current state, as the appliance makes it. */
function backUp(directory: string): string {
  const file = join(directory, `backup-${crypto.randomUUID()}.db`);
  writeSnapshot(join(directory, "linevoice.db"), file);
  return file;
}

async function restored(server: ApiServer, directory: string, file: string): Promise<ApiServer> {
  await server.stop();
  await restoreBackup({
    file,
    dataDir: directory,
    databasePath: join(directory, "linevoice.db"),
    clock,
  });
  return await startApiServer({ directory });
}

const status = async (server: ApiServer, tenant: ApiTenant) =>
  (await ask(server, tenant, "GET", "/tenant")).status;

async function secretOf(server: ApiServer, id: number): Promise<string> {
  const row = await server.database.read.select().from(webhooks).where(eq(webhooks.id, id)).get();
  return server.vault.open(row?.secretSealed ?? "", webhookSecretBinding(id));
}

async function account(server: ApiServer, tenantId: number, email: string) {
  const made = await person(server, { tenantId, email });
  const { link } = await server.identity.setup.resetLink(email, false);
  await server.identity.account.resetPassword(tokenOf(link.url), PASSWORD);
  return made;
}

test.skipIf(isRemote)("keys, secrets, suspended companies: revoked ones stay revoked", async () => {
  const directory = tempDir();
  let server = await startApiServer({ directory });
  const [owner, other, gone] = [
    await server.tenant(),
    await server.tenant(),
    await server.tenant(),
  ];
  const made = await ask(server, owner, "POST", "/keys", { label: "leaked" });
  const leaked = { id: owner.id, key: pickText(made, "key.secret") };
  const hook = { url: "https://example.com/hook", events: ["call.ended"] };
  const rotated = await ask(server, owner, "POST", "/webhooks", hook);
  const rotatedId = pickId(rotated, "webhook.id");
  const deletedId = pickId(await ask(server, owner, "POST", "/webhooks", hook), "webhook.id");
  const keptId = pickId(await ask(server, other, "POST", "/webhooks", hook), "webhook.id");
  const keptSecret = await secretOf(server, keptId);
  const older = pickText(
    await ask(server, owner, "POST", "/webhook-secret/regenerate"),
    "webhook_secret",
  );
  const before = backUp(directory);

  await ask(server, owner, "DELETE", `/keys?id=${pickId(made, "key.id")}`);
  await ask(server, owner, "POST", `/webhooks/${rotatedId}/rotate-secret`);
  await ask(server, owner, "DELETE", `/webhooks/${deletedId}`);
  await ask(server, owner, "POST", "/webhook-secret/regenerate");
  await server.database.tx(async (queries) => {
    await queries.update(tenants).set({ suspended: true }).where(eq(tenants.id, gone.id));
    await server.database.revocations.note(queries, [
      { kind: "suspended", tenant: gone.id, on: true },
    ]);
  });
  server = await restored(server, directory, before);

  expect([await status(server, leaked), await status(server, owner)]).toEqual([401, 200]);
  expect([await status(server, other), await status(server, gone)]).toEqual([200, 401]);
  expect(await secretOf(server, rotatedId)).not.toBe(pickText(rotated, "signing_secret"));
  expect(await secretOf(server, keptId)).toBe(keptSecret);
  const off = await server.database.read
    .select()
    .from(webhooks)
    .where(eq(webhooks.id, deletedId))
    .get();
  expect([off?.enabled, off?.disabledReason]).toEqual([
    false,
    "It was deleted after the backup was made.",
  ]);
  const tenant = await server.database.read
    .select()
    .from(tenants)
    .where(eq(tenants.id, owner.id))
    .get();
  expect(tenant?.webhookSecretPrefix).not.toBe(older.slice(0, 8));
  await server.stop();
});

test.skipIf(isRemote)(
  "people: a removed person, an old password and a lost authenticator are refused",
  async () => {
    const directory = tempDir();
    let server = await startApiServer({ directory });
    const { id: tenantId } = await server.tenant();
    const boss = await signedInBrowser(server, { tenantId, email: "boss@example.com" });
    const removed = await account(server, tenantId, "removed@example.com");
    const lowered = await account(server, tenantId, "lowered@example.com");
    const changed = await account(server, tenantId, "changed@example.com");
    const same = await account(server, tenantId, "same@example.com");
    const lost = await account(server, tenantId, "lost@example.com");
    await server.database.tx(async (queries) => {
      const totpSealed = server.vault.seal("JBSWY3DPEHPK3PXP", `users:${lost.id}:totp`);
      await queries.update(users).set({ totpSealed }).where(eq(users.id, lost.id));
      await queries.insert(recoveryCodes).values({ userId: lost.id, codeHash: "h", usedAt: null });
      const passkey = { publicKey: "k", counter: 0, transports: [], name: "p", createdAt: 1 };
      await queries.insert(passkeys).values([
        { ...passkey, userId: lost.id, credentialId: "lost-phone" },
        { ...passkey, userId: same.id, credentialId: "kept-phone" },
      ]);
    });
    const [lostKey] = await server.identity.passkeys.list(lost.id);
    const before = backUp(directory);

    expect((await boss.ask("DELETE", `/team/${removed.id}`)).status).toBe(200);
    expect((await boss.ask("PATCH", `/team/${lowered.id}`, { role: "viewer" })).status).toBe(200);
    const { link } = await server.identity.setup.resetLink(changed.email, false);
    await server.identity.account.resetPassword(tokenOf(link.url), NEW_PASSWORD);
    await server.identity.setup.resetLink(lost.email, true);
    await server.identity.passkeys.remove(lost.id, lostKey?.id ?? 0);
    server = await restored(server, directory, before);

    const signIn = async (email: string, password: string) => {
      const browser = new Browser(server.base);
      return (await browser.ask("POST", "/sign-in", { email, password })).status;
    };
    expect(await signIn(changed.email, PASSWORD)).toBe(401);
    expect(await signIn(same.email, PASSWORD)).toBe(200);
    const { team, passkeys: keys } = server.identity;
    expect(await team.membershipsOf(removed.id)).toEqual([]);
    expect((await team.membershipsOf(lowered.id))[0]?.role).toBe("viewer");
    expect((await team.membershipsOf(same.id))[0]?.role).not.toBe("viewer");
    const stored = await server.database.read
      .select()
      .from(users)
      .where(eq(users.id, lost.id))
      .get();
    expect([stored?.totpSealed, (await keys.list(lost.id)).length]).toEqual([null, 0]);
    expect(await keys.list(same.id)).toHaveLength(1);
    await server.stop();
  },
);

test.skipIf(isRemote)("persons: erasures and opt-outs stay, of that tenant only", async () => {
  const directory = tempDir();
  let server = await startApiServer({ directory });
  const [one, two] = [await server.tenant(), await server.tenant()];
  for (const { id } of [one, two])
    for (const [toNumber, status] of [
      [PERSON, "completed"],
      [PERSON, "in_progress"],
      [KEPT, "completed"],
    ] as const) {
      const callUuid = crypto.randomUUID();
      await insertCall(server.database, id, callUuid);
      const changes = { toNumber, status, summary: `about ${toNumber}` };
      await server.database.tx((queries) =>
        queries.update(calls).set(changes).where(eq(calls.callUuid, callUuid)),
      );
    }
  const add = (number_e164: string, do_not_call: boolean) =>
    ask(server, one, "POST", "/contacts", { number_e164, first_name: "Jonas", do_not_call });
  await add(PERSON, false);
  const refuser = pickId(await add(REFUSER, false), "contact.id");
  const lifter = pickId(await add(LIFTER, true), "contact.id");
  // The backup says that a call is live, as it was then.
  const before = backUp(directory);
  await server.database.tx((queries) => queries.update(calls).set({ status: "completed" }));
  const { vault, database } = server;
  const doNotCallList = doNotCallListOf(vault, database);
  await erasePerson(
    { database, doNotCallList, recordingsDir: directory, outboxDir: directory, clock },
    ...([one.id, PERSON, false] as const),
  );
  await ask(server, one, "PATCH", `/contacts/${refuser}`, { do_not_call: true });
  await ask(server, one, "DELETE", `/contacts/${refuser}`);
  await ask(server, one, "PATCH", `/contacts/${lifter}`, { do_not_call: false });
  server = await restored(server, directory, before);

  const numbers = async (tenantId: number) =>
    (await server.database.read.select().from(calls).where(eq(calls.tenantId, tenantId)))
      .map(({ toNumber, summary }) => [toNumber, summary])
      .sort();
  expect(await numbers(one.id)).toEqual([
    [KEPT, `about ${KEPT}`],
    ["", null],
    ["", null],
  ]);
  expect((await numbers(two.id)).filter(([number]) => number === PERSON)).toHaveLength(2);
  const known = await server.database.read.select().from(contacts);
  expect(known.map(({ numberE164, doNotCall }) => [numberE164, doNotCall]).sort()).toEqual([
    [REFUSER, false],
    [LIFTER, false],
  ]);
  const refuses = (tenantId: number, number: string) =>
    doNotCallListOf(server.vault, server.database).has(server.database.read, tenantId, number);
  expect([await refuses(one.id, REFUSER), await refuses(two.id, REFUSER)]).toEqual([true, false]);
  expect(await refuses(one.id, LIFTER)).toBe(false);
  const journal = readFileSync(journalFileOf(directory), "utf8");
  for (const number of [PERSON, REFUSER, LIFTER]) expect(journal).not.toContain(number.slice(1));
  await server.stop();
});

test.skipIf(isRemote)("revocations from before the backup are not applied again", async () => {
  const directory = tempDir();
  let server = await startApiServer({ directory });
  const tenant = await server.tenant();
  const { vault, database } = server;
  const files = { recordingsDir: directory, outboxDir: directory };
  await erasePerson(
    { database, doNotCallList: doNotCallListOf(vault, database), ...files, clock },
    ...([tenant.id, PERSON, false] as const),
  );
  // The person signed up again themselves.
  await ask(server, tenant, "POST", "/contacts", { number_e164: PERSON, first_name: "Jonas" });
  server = await restored(server, directory, backUp(directory));
  expect(await server.database.read.select().from(contacts)).toHaveLength(1);
  await server.stop();
});

async function stopped(directory: string) {
  const server = await startApiServer({ directory });
  const tenant = await server.tenant();
  const made = await ask(server, tenant, "POST", "/keys", { label: "k" });
  await server.stop();
  return {
    keyId: pickId(made, "key.id"),
    tenant: { id: tenant.id, key: pickText(made, "key.secret") },
  };
}

test.skipIf(isRemote).each([
  ["after the journal", 401],
  ["before the journal", 200],
] as const)("killed %s, before the database: the next start answers %i", async (step, answered) => {
  const directory = tempDir();
  const { keyId, tenant } = await stopped(directory);
  const script = join(import.meta.dir, "../../support/store/killed-revocation.ts");
  const child = Bun.spawn([process.execPath, script, directory, String(keyId), step], {
    stderr: "inherit",
  });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  const server = await startApiServer({ directory });
  expect(await status(server, tenant)).toBe(answered);
  await server.stop();
});

/** Reads the journal of this directory as a start does. */
async function pastIn(directory: string) {
  const database = openDatabase(join(directory, "linevoice.db"), clock.now());
  const revocations = await openRevocations({
    dataDir: directory,
    database,
    clock,
    random,
    shared: false,
    vault: createVault(new Uint8Array(32).fill(7)),
    paths: { recordings: directory, outbox: directory },
  });
  revocations.close();
  await database.close();
  return revocations;
}

test.skipIf(isRemote)(
  "on another machine the journal is missing, and is applied once it is copied",
  async () => {
    const first = tempDir();
    const { keyId, tenant } = await stopped(first);
    const backup = backUp(first);
    const server = await startApiServer({ directory: first });
    await ask(server, tenant, "DELETE", `/keys?id=${keyId}`);
    await server.stop();

    const elsewhere = (withJournal: boolean) => {
      const directory = join(tempDir(), "data");
      mkdirSync(directory);
      copyFileSync(backup, join(directory, "linevoice.db"));
      if (withJournal) copyFileSync(journalFileOf(first), journalFileOf(directory));
      return directory;
    };
    expect(await pastIn(elsewhere(false))).toMatchObject({ past: "missing", replayed: {} });
    expect(await pastIn(elsewhere(true))).toMatchObject({ past: "known", replayed: { key: 1 } });
    const here = elsewhere(true);
    await pastIn(here);
    expect(await pastIn(here)).toMatchObject({ past: "known", replayed: {} });
    rmSync(journalFileOf(here));
    expect(existsSync(journalFileOf(here))).toBe(false);
    expect((await pastIn(here)).past).toBe("missing");
  },
);
