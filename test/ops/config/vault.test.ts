/** Encryption at rest and the master key. */
import { expect, test } from "bun:test";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../../src/core/random.ts";
import { loadConfig } from "../../../src/ops/config/load.ts";
import { masterKeyOf } from "../../../src/ops/config/master-key.ts";
import { createVault, SealBroken } from "../../../src/platform/secrets/vault.ts";
import { tempDir } from "../../support/temp-dir.ts";

const vault = createVault(new Uint8Array(32).fill(1));
const sealed = vault.seal("pässword", "trunks:7:password");

test("an encrypted text can be decrypted for its own row only", () => {
  expect(vault.open(sealed, "trunks:7:password")).toBe("pässword");
  expect(() => vault.open(sealed, "trunks:8:password")).toThrow(SealBroken);
  expect(() => vault.open(sealed, "trunks:8:password")).toThrow("trunks:8:password");
});

test("an altered, cut or foreign text cannot be decrypted", () => {
  const [version, nonce, body = ""] = sealed.split(".");
  const bytes = Buffer.from(body, "base64url");
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  const altered = [version, nonce, bytes.toString("base64url")].join(".");
  for (const text of [altered, sealed.slice(0, 20), "", "v2.a.b"])
    expect(() => vault.open(text, "trunks:7:password")).toThrow(SealBroken);
  const other = createVault(new Uint8Array(32).fill(2));
  expect(() => other.open(sealed, "trunks:7:password")).toThrow(SealBroken);
});

test("a key of another length is refused", () => {
  const [short, right] = [new Uint8Array(31), new Uint8Array(32)];
  expect(() => createVault(short)).toThrow(RangeError);
  expect(() => createVault(right, short)).toThrow(RangeError);
  expect(() => createVault(right, right, short)).toThrow(RangeError);
  expect(() => createVault(right).rekey(right, short)).toThrow(RangeError);
});

test("another root changes purpose keys but no permanent ones, until it is reverted", () => {
  const [first, second] = [new Uint8Array(32).fill(3), new Uint8Array(32).fill(4)];
  const own = createVault(first);
  const keys = () => [own.deriveKey("links"), own.lastingKey("links")];
  const links = own.deriveKey("links");
  const lasting = own.lastingKey("links");
  expect(lasting).toEqual(links);
  own.rekey(second);
  expect(keys()).toEqual([links, lasting]);
  const takeBack = own.rekey(first, second);
  expect(keys()).toEqual([createVault(second).deriveKey("links"), lasting]);
  const meanwhile = own.seal("text", "row");
  takeBack();
  expect(keys()).toEqual([links, lasting]);
  expect(own.isCurrent(meanwhile, "row")).toBe(false);
  expect(own.isCurrent(own.seal("text", "row"), "row")).toBe(true);
});

test("the master key is created once, private, and refused if it is damaged", () => {
  const cwd = tempDir();
  const env = { LINEVOICE_STORAGE__DATA_DIR: "d" };
  const loaded = loadConfig({ env, cwd, systemPath: join(cwd, "none") });
  const key = masterKeyOf(loaded, seededRandom(1));
  const file = join(cwd, "d", "master.key");
  expect(key.length).toBe(32);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(masterKeyOf(loaded, seededRandom(2))).toEqual(key);
  writeFileSync(file, "short\n");
  expect(() => masterKeyOf(loaded, seededRandom(3))).toThrow("32 bytes in base64");
});

test("no key is created next to a database encrypted with another one", () => {
  const cwd = tempDir();
  const env = { LINEVOICE_STORAGE__DATA_DIR: "." };
  const loaded = loadConfig({ env, cwd, systemPath: join(cwd, "none") });
  writeFileSync(join(cwd, "linevoice.db"), "rows");
  expect(() => masterKeyOf(loaded, seededRandom(1))).toThrow(
    `${join(cwd, "master.key")} is missing, but the database in the same directory is encrypted with it. Restore the file`,
  );
  expect(readdirSync(cwd)).toEqual(["linevoice.db"]);
});
