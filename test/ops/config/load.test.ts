/** The configuration file: every mistake is reported with its line; secrets are never printed. */
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigInvalid } from "../../../src/ops/config/config-invalid.ts";
import { knownKeys } from "../../../src/ops/config/known-keys.ts";
import { type LoadOptions, loadConfig } from "../../../src/ops/config/load.ts";
import { openSecrets } from "../../../src/ops/config/open-secrets.ts";
import { showConfig } from "../../../src/ops/config/show.ts";
import { readToml } from "../../../src/ops/config/toml.ts";
import { tempDir } from "../../support/temp-dir.ts";

const directory = tempDir();
const nowhere = join(directory, "nowhere");
let files = 0;

function write(text: string): string {
  const path = join(directory, `${files++}.toml`);
  writeFileSync(path, text);
  return path;
}

const load = (text: string, env: LoadOptions["env"] = {}) =>
  loadConfig({ path: write(text), env, cwd: directory });

function problemsOf(text: string, env: LoadOptions["env"] = {}): readonly string[] {
  try {
    load(text, env);
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.problems;
    throw error;
  }
  return [];
}

test("without a file everything has its documented default", () => {
  const { config, file } = loadConfig({ env: {}, cwd: nowhere, systemPath: nowhere });
  expect(file).toBeNull();
  expect(config.server.listen).toBe("127.0.0.1:8080");
  expect(config.sip.codecs).toEqual(["G722", "PCMA", "PCMU"]);
  expect(config.limits.body_bytes).toBe(2_097_152);
});

test("an empty disclosure is silent in that language, as the file says, and does not change the others", () => {
  const { config } = load('[conversation.disclosure]\nen = ""\n');
  expect(config.conversation.disclosure.en).toBe("");
  expect(config.conversation.disclosure.lt).not.toBe("");
  const tooLong = (length: number) =>
    problemsOf(`[conversation.disclosure]\nen = "${"a".repeat(length)}"\n`).length;
  expect([tooLong(499), tooLong(500), tooLong(501)]).toEqual([0, 0, 1]);
});

test("the documented file has every key, each with its built-in default", async () => {
  const path = join(import.meta.dir, "../../../config/linevoice.toml");
  const { values } = readToml(await Bun.file(path).text());
  for (const { path: steps, name } of knownKeys) {
    let value: unknown = values;
    for (const step of steps) value = (value as Record<string, unknown> | undefined)?.[step];
    expect({ name, present: value !== undefined }).toEqual({ name, present: true });
  }
  const documented = loadConfig({ path, env: {}, cwd: nowhere });
  const builtIn = loadConfig({ env: {}, cwd: nowhere, systemPath: nowhere });
  expect(documented.config).toEqual(builtIn.config);
});

test("every mistake is reported with file, line, the allowed values and the nearest key", () => {
  const problems = problemsOf(
    '[server]\nlisen = "x"\n\n[limits]\nbody_bytes = 1\n[sip]\ntrace = "yes"\n[[plans]]\nslug = "a"\nnam = "b"\n',
  );
  const about = (words: string) => problems.find((problem) => problem.includes(words)) ?? "";
  expect(about("lisen")).toMatch(/\.toml:2: .*Did you mean "listen"\?/);
  expect(about("body_bytes")).toMatch(/\.toml:5: .*out of bounds.*from 1024 to 104857600/);
  expect(about("trace")).toMatch(/\.toml:7: .*wrong type.*true or false/);
  expect(about(" nam:")).toMatch(/\.toml:10: .*Did you mean "name"\?/);
  expect(problems.length).toBe(5);
});

test("invalid TOML is reported with its line", () => {
  expect(problemsOf('[server]\nlisten = "a\n')[0]).toMatch(/\.toml:2: not valid TOML/);
});

test.each([
  ["a key without a value", '[server]\nlisten = \n\nmetrics_listen = ""\n', 2],
  ["a key without a value at the end", "[server]\nlisten = # none\n\n", 2],
  ["a table's name without its end", '[server\nlisten = ""\n', 1],
  ["a word alone", "[server]\nlisten\n", 2],
  ["a list that is not closed", '[sip]\ncodecs = ["G722",\n"PCMA"\n\n[rtp]\n', 3],
  ["a character that begins nothing", '[server]\n@listen = ""\n', 2],
])("invalid TOML is reported with the line of the mistake: %s", (_what, toml, line) => {
  expect(problemsOf(toml)[0]).toContain(`.toml:${line}: not valid TOML`);
});

test("a byte order mark is skipped; text other than UTF-8 is reported with its line", () => {
  expect(load('\ufeff[log]\nlevel = "warn"\n').config.log.level).toBe("warn");
  const path = write("");
  const latin1 = Buffer.from('[conversation.disclosure]\nen = "A café"\n', "latin1");
  writeFileSync(path, latin1);
  const loading = () => loadConfig({ path, env: {}, cwd: directory });
  expect(loading).toThrow(`${path}:2: not UTF-8`);
});

test("a value that breaks two rules is reported once", () => {
  expect(problemsOf("[limits]\nbody_bytes = 99999999999999999999\n").length).toBe(1);
});

test("limits are inclusive: at them is allowed, beyond them is not", () => {
  for (const [value, count] of [
    [1023, 1],
    [1024, 0],
    [104_857_600, 0],
    [104_857_601, 1],
  ])
    expect(problemsOf(`[limits]\nbody_bytes = ${value}\n`).length).toBe(count ?? -1);
});

const NUMBERS = knownKeys
  .filter(({ meta }) => meta.kind === "number")
  .map(({ path, name, meta }) => {
    const [, kind, low, high] =
      /^(a (?:whole )?number)\D*?(-?[\d.]+)\D+?([\d.]+)/.exec(meta.allowed) ?? [];
    return { path, name, isWhole: kind === "a whole number", low: Number(low), high: Number(high) };
  });

test.each(NUMBERS)(
  "$name: its limits are allowed; values beyond them and invalid numbers are reported",
  ({ path, isWhole, low, high }) => {
    expect(low).toBeLessThan(high);
    const [key, section] = [path.at(-1), path.slice(0, -1).join(".")];
    const told = (value: string) =>
      problemsOf(`[${section}]\n${key} = ${value}\n`).filter((problem) =>
        /: (?:out of bounds|wrong type|not allowed)\. Allowed: /.test(problem),
      );
    const step = isWhole ? 1 : 0.001;
    for (const value of [low, high]) expect(told(String(value))).toEqual([]);
    const no = [low - step, high + step, "nan", "inf", `"${high}"`];
    for (const value of isWhole ? [...no, low + 0.5] : no)
      expect([value, told(String(value))]).toEqual([
        value,
        [expect.stringContaining(`.toml:2: [${section}] ${key}: `)],
      ]);
  },
);

test("a price below the smallest unit is refused: it would be 0", () => {
  const plan = (price: number) => `
[[plans]]
slug = "x"
name = "X"
overage_eur_per_min = ${price}
`;
  for (const price of [0, 0.000001, 0.15]) expect(problemsOf(plan(price))).toEqual([]);
  expect(problemsOf(plan(1e-7))).toEqual([
    expect.stringContaining(
      "overage_eur_per_min: not allowed. Allowed: a number from 0 to 1000; above 0 at least 0.000001",
    ),
  ]);
});

test("a Stripe price of a plan is in whole cents", () => {
  const plan = (price: number) => `
[[plans]]
slug = "start"
name = "Start"
price_eur_per_month = ${price}
`;
  const stripe =
    '[payments]\nprovider = "stripe"\nstripe = { secret_key = "sk", webhook_secret = "wh" }\n';
  expect(problemsOf(`${stripe}${plan(9.999)}`)).toEqual([
    expect.stringContaining("price_eur_per_month: plan start: Stripe takes whole cents, not 9.999"),
  ]);
  for (const price of [0, 0.01, 9.99, 1.1, 29, 1_000_000])
    expect(problemsOf(`${stripe}${plan(price)}`)).toEqual([]);
  expect(problemsOf(plan(9.999))).toEqual([]);
});

test("the environment overrides the file and is reported as the source", () => {
  const loaded = load('[server]\nlisten = "127.0.0.1:1"\n[log]\nlevel = "warn"\n', {
    LINEVOICE_SERVER__LISTEN: "127.0.0.2:2",
    LINEVOICE_SIP__CODECS: "PCMA, PCMU",
    LINEVOICE_SIP__TRACE: "true",
  });
  expect(loaded.config.server.listen).toBe("127.0.0.2:2");
  expect(loaded.config.sip.codecs).toEqual(["PCMA", "PCMU"]);
  expect(loaded.config.sip.trace).toBe(true);
  expect(loaded.sources.get("server.listen")).toBe("environment variable LINEVOICE_SERVER__LISTEN");
  expect(loaded.sources.get("log.level")).toMatch(/\.toml:4$/);
  expect(loaded.sources.get("log.format")).toBe("default");
});

test("an unknown variable is refused with the nearest, an invalid value with the allowed ones", () => {
  const problems = problemsOf("", {
    LINEVOICE_SERVER__LISTN: "x",
    LINEVOICE_RTP__TIMEOUT_SEC: "x",
  });
  expect(problems[0]).toContain("Did you mean LINEVOICE_SERVER__LISTEN?");
  expect(problems[1]).toMatch(/LINEVOICE_RTP__TIMEOUT_SEC: .*from 2 to 300/);
});

test("the error about a key in the wrong section names the right one", () => {
  const problemOf = (text: string) => problemsOf(text)[0] ?? "";
  expect(problemOf('data_dir = "/srv"')).toContain("It belongs to [storage].");
  expect(problemOf('[server]\ndata_dir = "/srv"')).toContain("It belongs to [storage].");
  expect(problemOf('[sip]\nmodel = "x"')).toMatch(/It belongs to \[engine\.\w+\]( or \[|\.)/);
  expect(problemOf("[server]\nnowhere = 1")).toMatch(/no such key\. Allowed:/);
});

test("secrets come from a file, the environment or a credential, and are never shown", () => {
  writeFileSync(join(directory, "token"), "canary-file\n");
  const credentials = join(directory, "credentials");
  mkdirSync(credentials);
  writeFileSync(join(credentials, "mail.smtp.password"), "canary-credential");
  const loaded = load('[storage]\nauth_token = { file = "token" }\n', {
    LINEVOICE_ENGINE__OPENAI__API_KEY: "canary-variable",
    CREDENTIALS_DIRECTORY: credentials,
  });
  expect(loaded.config.storage.auth_token).toBe("canary-file");
  expect(loaded.config.mail.smtp.password).toBe("canary-credential");
  expect(loaded.config.engine.openai.api_key).toBe("canary-variable");
  expect(JSON.stringify(showConfig(loaded))).not.toContain("canary");
});

test("an empty secret in the file counts as unset: the credential is used", () => {
  const credentials = join(directory, "beside-an-empty-one");
  mkdirSync(credentials);
  const key = Buffer.alloc(32, 7).toString("base64");
  writeFileSync(join(credentials, "secrets.master_key"), `${key}\n`);
  writeFileSync(join(credentials, "mail.smtp.password"), "canary-credential");
  const data = join(directory, "data");
  const file = `[storage]\ndata_dir = "${data}"\n[secrets]\nmaster_key = ""\n[mail.smtp]\npassword = ""\n`;
  const read = () => load(file, { CREDENTIALS_DIRECTORY: credentials });
  expect(read().config.mail.smtp.password).toBe("canary-credential");
  expect(read().config.secrets.master_key).toBe(key);
  expect(read().sources.get("secrets.master_key")).toBe("systemd credential secrets.master_key");
  // Data encrypted with the key next to it, while the credential was not read, stays readable.
  mkdirSync(data);
  writeFileSync(join(data, "master.key"), `${Buffer.alloc(32, 8).toString("base64")}\n`);
  expect(read().config.secrets.master_key).toBeNull();
  expect(read().sources.get("secrets.master_key")).toBe("default");
});

test("an invalid secret is not repeated in the message", () => {
  const problems = problemsOf('[secrets]\nmaster_key = "canary-not-a-key"\n');
  expect(problems[0]).toMatch(/\.toml:2: .*32 bytes in base64/);
  expect(problems.join()).not.toContain("canary");
});

test("a secret readable by every user of the machine is reported with its file and the command", () => {
  const place = tempDir();
  chmodSync(place, 0o755);
  const closed = join(place, "closed");
  mkdirSync(closed, { mode: 0o700 });
  const keyFile = join(place, "openai.key");
  const file = join(place, "linevoice.toml");
  const warned = (text: string, mode: number, env: LoadOptions["env"] = {}, at = file) => {
    writeFileSync(at, text);
    chmodSync(at, mode);
    return openSecrets(loadConfig({ path: at, env, cwd: place }));
  };
  const written = '[mail.smtp]\npassword = "hunter2"\n';
  expect(warned(written, 0o644)).toEqual({
    finding: `Every user of this machine can read ${file}, which holds [mail.smtp] password.`,
    remedy: `chmod o= ${file}`,
  });
  for (const mode of [0o640, 0o600]) expect(warned(written, mode)).toBeNull();
  expect(warned("[mail.smtp]\n", 0o644)).toBeNull();
  expect(warned("[mail.smtp]\n", 0o644, { LINEVOICE_MAIL__SMTP__PASSWORD: "x" })).toBeNull();
  expect(warned(written, 0o644, {}, join(closed, "linevoice.toml"))).toBeNull();
  writeFileSync(keyFile, "sk-1", { mode: 0o644 });
  const named = `[engine.openai]\napi_key = { file = "openai.key" }\n`;
  expect(warned(named, 0o644)?.remedy).toBe(`chmod o= ${keyFile}`);
  expect(warned(`${named}${written}`, 0o644)?.remedy).toBe(`chmod o= ${keyFile} ${file}`);
  chmodSync(keyFile, 0o640);
  expect(warned(named, 0o644)).toBeNull();
});
