/**
 * Loads the effective configuration: built-in defaults, then the file, then credentials (for secrets that the
 * file leaves out or empty), then the environment. Records the source of each value.
 *
 * Reports all mistakes together. No message contains a value, because it may be a misplaced secret.
 */

import { isUtf8 } from "node:buffer";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { z } from "zod";
import { nearest } from "../../core/did-you-mean.ts";
import { ConfigInvalid } from "./config-invalid.ts";
import { consistencyProblems } from "./consistency.ts";
import { credentialsFor } from "./credentials.ts";
import { type Environment, readEnvironment } from "./environment.ts";
import { allowedAt, knownKeys, namesAt } from "./known-keys.ts";
import { dropRemovedKeys } from "./removed-keys.ts";
import { type Config, configSchema } from "./schema.ts";
import { isTable, type Path, type RawTable, readToml, TomlProblem, type TomlText } from "./toml.ts";

export interface LoadOptions {
  /** The value of `--config`; without it the default places are used. */
  readonly path?: string;
  readonly env: Environment;
  readonly cwd: string;
  /** The system-wide file; only tests use another. */
  readonly systemPath?: string;
}

export interface LoadedConfig {
  readonly config: Config;
  /** The file that was read; null: only defaults are used. */
  readonly file: string | null;
  /** Absolute. */
  readonly dataDir: string;
  /** `default`, `file:line`, `environment variable X`, `systemd credential X` or `credential file X`, by dotted key. */
  readonly sources: ReadonlyMap<string, string>;
  /** Files with secrets, each with the name of one key that uses it. */
  readonly secretFiles: ReadonlyMap<string, string>;
  /** Keys without any effect, one sentence each. */
  readonly warnings: readonly string[];
}

const SYSTEM_PATH = "/etc/linevoice/linevoice.toml";
/** Turns off Zod's compilation of a schema at its first use, because this schema is used once. */
const READ_ONCE = { jitless: true } as const;
const FILE_BYTES_MAX = 1_048_576;
const SECRET_BYTES_MAX = 65_536;

/** Throws ConfigInvalid. Creates no file. */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const { cwd, env } = options;
  const file = fileOf(options);
  const toml = file === null ? null : tomlOf(file);
  const raw: RawTable = toml ? structuredClone(toml.values) : {};
  const warnings = dropRemovedKeys(raw, env);
  const sources = new Map(knownKeys.map(({ name }) => [name, "default"]));
  const problems: string[] = [];
  const label = (path: Path) => {
    const source = sources.get(knownNameOf(path) ?? "") ?? "default";
    if (/^(?:environment variable|systemd credential|credential file) /.test(source)) return source;
    return toml && file ? `${file}:${toml.lineOf(path)}` : "built-in defaults";
  };

  if (toml && file)
    for (const { path, name } of knownKeys)
      if (valueAt(raw, path) !== undefined) sources.set(name, `${file}:${toml.lineOf(path)}`);
  const credentials = credentialsFor(env, file);
  if (credentials.problem !== null) problems.push(credentials.problem);
  for (const { path, name, meta } of knownKeys) {
    if (!meta.secret || (valueAt(raw, path) ?? "") !== "") continue;
    const credential = credentials.of(path);
    if (credential === null) continue;
    put(raw, path, { file: credential.file });
    sources.set(name, credential.source);
  }
  const fromEnvironment = readEnvironment(env);
  problems.push(...fromEnvironment.problems);
  for (const { key, value } of fromEnvironment.overrides) {
    put(raw, key.path, value);
    sources.set(key.name, `environment variable ${key.variable}`);
  }
  const secretFiles = readSecrets(raw, { file, cwd, sources, label, problems });

  const result = configSchema.safeParse(raw, READ_ONCE);
  if (!result.success)
    problems.push(...result.error.issues.flatMap((issue) => explained(issue, label, raw)));
  else
    problems.push(
      ...consistencyProblems(result.data).map(({ path, message }) => `${label(path)}: ${message}`),
    );
  if (!result.success || problems.length > 0) throw new ConfigInvalid([...new Set(problems)]);
  const config = result.data;
  const dataDir = resolve(cwd, config.storage.data_dir);
  if (toml && keyIsBesideTheData(toml.values, sources, dataDir)) {
    sources.set("secrets.master_key", "default");
    const secrets = { master_key: null };
    return { config: { ...config, secrets }, file, dataDir, sources, secretFiles, warnings };
  }
  return { config, file, dataDir, sources, secretFiles, warnings };
}

/** Replaces `{ file = "…" }` by the file's content. Returns `secretFiles` of LoadedConfig. */
function readSecrets(
  raw: RawTable,
  from: {
    readonly file: string | null;
    readonly cwd: string;
    readonly sources: ReadonlyMap<string, string>;
    readonly label: (path: Path) => string;
    readonly problems: string[];
  },
): Map<string, string> {
  const { file, cwd, sources, label, problems } = from;
  const secretFiles = new Map<string, string>();
  for (const { path, name } of knownKeys.filter(({ meta }) => meta.secret)) {
    const value = valueAt(raw, path);
    if (isTable(value)) {
      const read = secretFrom(value, file ? dirname(file) : cwd);
      if (read.problem) problems.push(`${label(path)}: ${name}: ${read.problem}`);
      else if (read.file) secretFiles.set(read.file, name);
      put(raw, path, read.problem ? "" : read.text);
    } else if (value && file && sources.get(name)?.startsWith(`${file}:`))
      secretFiles.set(file, name);
  }
  return secretFiles;
}

/**
 * In 0.1.0 an empty `master_key` in the file hid the credential, and `<data>/master.key` encrypted the data.
 * If that file exists, it is still the key.
 */
function keyIsBesideTheData(
  written: RawTable,
  sources: ReadonlyMap<string, string>,
  dataDir: string,
): boolean {
  const source = sources.get("secrets.master_key") ?? "";
  return (
    /^(?:systemd credential|credential file) /.test(source) &&
    valueAt(written, ["secrets", "master_key"]) === "" &&
    existsSync(join(dataDir, "master.key"))
  );
}

function fileOf({ path, cwd, systemPath = SYSTEM_PATH }: LoadOptions): string | null {
  if (path !== undefined) {
    const file = resolve(cwd, path);
    if (!existsSync(file)) throw new ConfigInvalid([`${file}:1: there is no such file`]);
    return file;
  }
  const local = join(cwd, "config", "linevoice.toml");
  return [systemPath, local].find((candidate) => existsSync(candidate)) ?? null;
}

/**
 * `[server]` of an invalid configuration, up to the first TOML mistake: the address of a server that may be
 * running. null: unknown.
 */
export function serverOfInvalid(options: LoadOptions): Config["server"] | null {
  try {
    const file = fileOf(options);
    const raw: RawTable = file === null ? {} : tablesBeforeMistake(readFileSync(file, "utf8"));
    for (const { key, value } of readEnvironment(options.env).overrides) put(raw, key.path, value);
    return configSchema.shape.server.parse(raw.server, READ_ONCE);
  } catch {
    return null; // the configuration error has the reason
  }
}

function tablesBeforeMistake(source: string): RawTable {
  try {
    return readToml(source).values;
  } catch (error) {
    if (!(error instanceof TomlProblem)) throw error;
    const before = source.split("\n", error.line - 1);
    return before.length === 0 ? {} : tablesBeforeMistake(before.join("\n"));
  }
}

function tomlOf(file: string): TomlText {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > FILE_BYTES_MAX)
      throw new ConfigInvalid([
        `${file}:1: a configuration can have at most ${FILE_BYTES_MAX} bytes`,
      ]);
    const source = new TextDecoder().decode(bytes);
    if (!isUtf8(bytes)) {
      const line = source.slice(0, source.indexOf("\ufffd")).split("\n").length;
      throw new ConfigInvalid([`${file}:${line}: not UTF-8. Save the file in that encoding.`]);
    }
    return readToml(source);
  } catch (error) {
    if (error instanceof TomlProblem)
      throw new ConfigInvalid([`${file}:${error.line}: not valid TOML: ${error.message}`]);
    if (error instanceof ConfigInvalid) throw error;
    const asRoot = codeOf(error) === "EACCES" ? " Run this command as root (sudo)." : "";
    throw new ConfigInvalid([`${file}:1: cannot be read (${codeOf(error)}).${asRoot}`]);
  }
}

const codeOf = (error: unknown) =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown error";

function secretFrom(
  table: RawTable,
  base: string,
): { readonly text: string; readonly file?: string; readonly problem?: string } {
  const { file, ...others } = table;
  if (typeof file !== "string" || file === "" || Object.keys(others).length > 0)
    return { text: "", problem: 'allowed: a text or { file = "…" }' };
  try {
    const path = resolve(base, file);
    const text = readFileSync(path, "utf8").trim();
    if (text === "") return { text, problem: `the file ${file} is empty` };
    if (text.length > SECRET_BYTES_MAX)
      return { text: "", problem: `the file ${file} is too large` };
    return { text, file: path };
  } catch (error) {
    const code = codeOf(error);
    const remedy =
      code === "EACCES"
        ? `. Run this command as root (sudo). For the service: chgrp linevoice ${file}; chmod 0640 ${file}`
        : "";
    return { text: "", problem: `the file ${file} cannot be read (${code})${remedy}` };
  }
}

function valueAt(raw: RawTable, path: Path): unknown {
  let value: unknown = raw;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

/** Ignores values that are not tables; the schema reports them. */
function put(raw: RawTable, path: readonly string[], value: unknown): void {
  let table = raw;
  for (const step of path.slice(0, -1)) {
    table[step] ??= {};
    const next = table[step];
    if (!isTable(next)) return;
    table = next;
  }
  table[path.at(-1) ?? ""] = value;
}

const knownNameOf = (path: Path) =>
  knownKeys.find((key) => key.path.every((step, index) => path[index] === step))?.name;

/** `[sip] codecs` */
export function keyText(path: Path): string {
  const names = path.filter((step) => typeof step === "string");
  if (names.length < 2) return names.join("");
  return `[${names.slice(0, -1).join(".")}] ${names.at(-1)}`;
}

function explained(
  issue: z.core.$ZodIssue,
  label: (path: Path) => string,
  raw: RawTable,
): string[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => {
      const names = namesAt(issue.path);
      const near = nearest(key, names);
      const elsewhere = knownKeys.filter(({ path }) => path.at(-1) === key);
      const sections = elsewhere.map(({ path }) => `[${path.slice(0, -1).join(".")}]`);
      const belongs = sections.length > 0 ? ` It belongs to ${sections.join(" or ")}.` : "";
      const hint = near ? ` Did you mean "${near}"?` : belongs;
      const where = issue.path.length > 0 ? `${keyText([...issue.path, key])}` : `[${key}]`;
      return `${label([...issue.path, key])}: ${where}: no such key.${hint} Allowed: ${names.join(", ")}.`;
    });
  const value = valueAt(raw, issue.path);
  const what = value === undefined ? "missing" : reasonOf(issue);
  const allowed = allowedAt(issue.path) ?? "a table";
  return [`${label(issue.path)}: ${keyText(issue.path)}: ${what}. Allowed: ${allowed}.`];
}

function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return "wrong type";
  if (issue.code === "too_small" || issue.code === "too_big") return "out of bounds";
  return "not allowed";
}
