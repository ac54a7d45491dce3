/** Sealing at rest and the master key. */
import { expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../../src/config/load.ts";
import { masterKeyOf } from "../../../src/config/master-key.ts";
import { createVault, SealBroken } from "../../../src/config/vault.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { tempDir } from "../../support/temp-dir.ts";

const vault = createVault(new Uint8Array(32).fill(1));
const sealed = vault.seal("pässword", "trunks:7:password");

test("a sealed text opens with its own row only", () => {
  expect(vault.open(sealed, "trunks:7:password")).toBe("pässword");
  expect(() => vault.open(sealed, "trunks:8:password")).toThrow(SealBroken);
  expect(() => vault.open(sealed, "trunks:8:password")).toThrow("trunks:8:password");
});

test("an altered, cut or foreign text does not open", () => {
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
  expect(() => createVault(new Uint8Array(16))).toThrow(RangeError);
});

test("the master key is made once, private, and refused when it is damaged", () => {
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
