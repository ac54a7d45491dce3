/**
 * `key rotate-master` as an operator runs it: with a running server, without one, and interrupted.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openVault } from "../../src/app/vault.ts";
import { systemClock } from "../../src/core/clock.ts";
import { systemRandom } from "../../src/core/random.ts";
import { trunkPasswordBinding } from "../../src/features/trunk/trunk-store.ts";
import { createRecordingLinks, RECORDING_LINK_PURPOSE } from "../../src/http/recording-links.ts";
import { calls, trunks } from "../../src/store/schema/index.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { listeningOn, runCli, serveCli } from "../support/appliance/cli.ts";
import { insertCall } from "../support/store/stored-rows.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(90_000);

const cwd = tempDir();
const NOBODY = 65_534;
const HOST = "127.0.8.85";
const key = join(cwd, "data/master.key");
const env = listeningOn(HOST);
const linevoice = (args: string, stdin = "") => runCli(cwd, args, { env, stdin });
const serve = () => serveCli(cwd, env);

const keyText = () => readFileSync(key, "utf8").trim();
/** Decrypts the trunk's password with the key in the file; throws if it cannot. */
async function trunkPassword(): Promise<string> {
  const database = openDatabase(join(cwd, "data/linevoice.db"), Date.now());
  const [trunk] = await database.read.select().from(trunks);
  const vault = await openVault(database, Buffer.from(keyText(), "base64"), systemRandom);
  await database.close();
  return vault.open(trunk?.passwordSealed ?? "", trunkPasswordBinding(trunk?.id ?? 0));
}

test("the key is rotated without a server, and the new key decrypts all values", async () => {
  await linevoice("tenant create --name Clinic --email a@example.com");
  const set = await linevoice(
    "trunk set --tenant 1 --server 127.0.8.86 --username u --password-stdin --caller-id +37052000001",
    "canary password",
  );
  expect(set.status).toBe(0);
  const before = keyText();
  const done = await linevoice("key rotate-master --json");
  expect(done).toMatchObject({ status: 0 });
  const untouched = { purposes: false, people_without_recovery_codes: 0 };
  expect(JSON.parse(done.out)).toEqual({ sealed: 3, ...untouched, key_file: key });
  expect(keyText()).not.toBe(before);
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect(existsSync(`${key}.next`)).toBe(false);
  expect(await trunkPassword()).toBe("canary password");
});

test("the key is rotated while the server runs, and the server starts again with it", async () => {
  const server = await serve();
  const before = keyText();
  expect(await linevoice("key rotate-master")).toMatchObject({ status: 0 });
  expect(keyText()).not.toBe(before);
  expect((await linevoice("trunk list --json")).out).toContain("127.0.8.86");
  await server.stop();
  const again = await serve();
  expect(await again.stop()).toBe(0);
});

test("after an interruption before the re-encryption, the same command completes the rotation", async () => {
  writeFileSync(`${key}.next`, `${Buffer.alloc(32, 5).toString("base64")}\n`, { mode: 0o600 });
  expect(await linevoice("key rotate-master")).toMatchObject({ status: 0 });
  expect(keyText()).toBe(Buffer.alloc(32, 5).toString("base64"));
  expect(await trunkPassword()).toBe("canary password");
});

test("after an interruption following the re-encryption, the server names the command that completes the rotation", async () => {
  copyFileSync(key, `${key}.next`);
  writeFileSync(key, `${Buffer.alloc(32, 6).toString("base64")}\n`);
  const refused = await linevoice("serve");
  expect(refused.status).toBe(1);
  expect(refused.err).toContain("linevoice key rotate-master");
  expect(await linevoice("key rotate-master")).toMatchObject({ status: 0 });
  expect(keyText()).toBe(Buffer.alloc(32, 5).toString("base64"));
  expect(await trunkPassword()).toBe("canary password");
});

/** A signed link to a recording of call 1, as the appliance would create it now. */
async function link(base: string): Promise<string> {
  const database = openDatabase(join(cwd, "data/linevoice.db"), Date.now());
  const vault = await openVault(database, Buffer.from(keyText(), "base64"), systemRandom);
  const linkKey = () => vault.deriveKey(RECORDING_LINK_PURPOSE);
  const { url } = createRecordingLinks(linkKey, () => base, systemClock).urlFor(CALL);
  await database.close();
  return url;
}
const opens = async (url: string) => (await fetch(url)).status;

const CALL = "019aa1b2-0000-7000-8000-00000000aaaa";
async function recordedCall(): Promise<void> {
  const database = openDatabase(join(cwd, "data/linevoice.db"), Date.now());
  await insertCall(database, 1, CALL);
  const ready = { status: "completed", recordingStatus: "ready", recordingFile: "c.mp3" } as const;
  await database.tx((queries) => queries.update(calls).set({ ...ready, createdAt: Date.now() }));
  await database.close();
  mkdirSync(join(cwd, "data/recordings"), { recursive: true });
  writeFileSync(join(cwd, "data/recordings/c.mp3"), "0123456789");
}

test("without --purposes earlier links stay valid, and the output says so; with it they become invalid", async () => {
  await recordedCall();
  const server = await serve();
  const { base } = server;
  const old = await link(base);
  const plain = await linevoice("key rotate-master");
  expect(plain.out).toContain("recovery codes stay valid");
  expect(plain.out).toContain("linevoice key rotate-master --purposes");
  expect(plain.out).toContain("Existing backups need the old key");
  expect(await opens(old)).toBe(200);

  const replaced = await linevoice("key rotate-master --purposes");
  expect(replaced).toMatchObject({ status: 0, err: "" });
  expect(replaced.out).toContain("No longer valid: existing recording links");
  expect(replaced.out).toContain("People without recovery codes now: 0.");
  expect(existsSync(`${key}.next-purposes`)).toBe(false);
  const made = await link(base);
  expect([await opens(old), await opens(made)]).toEqual([404, 200]);
  await server.stop();

  const offline = JSON.parse((await linevoice("key rotate-master --purposes --json")).out);
  expect(offline).toMatchObject({ purposes: true, people_without_recovery_codes: 0 });
  const again = await serve();
  const at = (url: string) => url.replace(base, again.base);
  const last = await link(base);
  expect([await opens(at(old)), await opens(at(made)), await opens(at(last))]).toEqual([
    404, 404, 200,
  ]);
  await again.stop();
});

test("after an interruption with --purposes, any repeated command also replaces the root", async () => {
  const old = await link("http://x");
  const next = `${key}.next-purposes`;
  writeFileSync(next, `${Buffer.alloc(32, 7).toString("base64")}\n`, { mode: 0o600 });
  const before = await linevoice("key rotate-master --json");
  expect(JSON.parse(before.out)).toMatchObject({ purposes: true });
  expect([keyText(), existsSync(next)]).toEqual([Buffer.alloc(32, 7).toString("base64"), false]);

  copyFileSync(key, next);
  writeFileSync(key, `${Buffer.alloc(32, 6).toString("base64")}\n`);
  expect(JSON.parse((await linevoice("key rotate-master --json")).out)).toMatchObject({
    purposes: true,
  });
  expect(keyText()).toBe(Buffer.alloc(32, 7).toString("base64"));
  expect(await trunkPassword()).toBe("canary password");
  const signature = (url: string) => url.split("signature=")[1];
  expect(signature(await link("http://x"))).not.toBe(signature(old));
});

test("a rotation that started without --purposes continues with it under the same new key", async () => {
  writeFileSync(`${key}.next`, `${Buffer.alloc(32, 8).toString("base64")}\n`, { mode: 0o600 });
  const done = await linevoice("key rotate-master --purposes --json");
  expect(JSON.parse(done.out)).toMatchObject({ purposes: true });
  expect(keyText()).toBe(Buffer.alloc(32, 8).toString("base64"));
  expect([existsSync(`${key}.next`), existsSync(`${key}.next-purposes`)]).toEqual([false, false]);
});

test("a wrong key stops the start and changes nothing", async () => {
  renameSync(key, `${key}.safe`);
  writeFileSync(key, `${Buffer.alloc(32, 9).toString("base64")}\n`);
  const refused = await linevoice("serve");
  expect(refused.status).toBe(1);
  expect(refused.err).toContain("master key is not the one");
  expect((await linevoice("key rotate-master")).status).toBe(1);
  renameSync(`${key}.safe`, key);
  writeFileSync(`${key}.next`, "");
  expect((await linevoice("key rotate-master")).err).toContain("is not a master key");
});

test("a key from the environment is not changed; the output shows the remedy", async () => {
  const given = { LINEVOICE_SECRETS__MASTER_KEY: Buffer.alloc(32, 3).toString("base64") };
  const refused = await runCli(tempDir(), "key rotate-master", { env: { ...env, ...given } });
  expect(refused.err).toContain("LINEVOICE_SECRETS__MASTER_KEY");
  expect(refused.status).toBe(1);
});

test.skipIf(process.getuid?.() !== 0)(
  "a key that root rotates in the data directory keeps its owner, who could not start otherwise",
  async () => {
    const home = tempDir();
    chmodSync(home, 0o755);
    const data = join(home, "data");
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, NOBODY, NOBODY);
    const done = await runCli(home, "key rotate-master", { env });
    expect(done).toMatchObject({ status: 0, err: "" });
    const { uid, mode } = statSync(join(data, "master.key"));
    expect([uid, mode & 0o777]).toEqual([NOBODY, 0o600]);
  },
);
