/**
 * An agent as files for git. `agent.yaml`: its fields and tools. `files/`: its knowledge.
 * `rehearsals/`: its scenarios. `origin.json`: the source of the pull. The same version always
 * produces the same bytes. Secrets are not exported.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { conflict } from "../core/errors.ts";
import { type AgentFile, agentFileOf } from "../features/rehearsal/agent-file.ts";
import { readScenario, readYaml } from "../features/rehearsal/read-scenario.ts";
import { isScenarioFile } from "../features/rehearsal/suite.ts";

const Origin = z.strictObject({
  tenant: z.int(),
  agent: z.int(),
  version: z.int(),
  /** Hash of the pulled or pushed scenarios. */
  rehearsals: z.string().optional(),
});
type Origin = z.output<typeof Origin>;

const AGENT = "agent.yaml";
const ORIGIN = "origin.json";
const FILES = "files";
const REHEARSALS = "rehearsals";

const hasControl = (name: string) => [...name].some((character) => character < " ");

/** Throws conflict for a name that points outside the folder. */
function safeName(name: string): string {
  if (name === "" || /^\.{1,2}$|[/\\]/.test(name) || hasControl(name))
    throw conflict(`"${name}" cannot be the name of a file in ${FILES}/.`);
  return name;
}

/** Throws conflict for a symbolic link, because it may point anywhere. */
function regular(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw conflict(`${path} is not a regular file.`);
  return path;
}

function realFolder(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw conflict(`${path} is not a separate folder.`);
  return path;
}

/** Returns whether the folder's scenarios come from an earlier pull and may be replaced. */
export function writeAgentFolder(
  dir: string,
  origin: Origin,
  fields: Readonly<Record<string, unknown>>,
  files: readonly (readonly [string, string])[],
): boolean {
  mkdirSync(dir, { recursive: true });
  const before = checkTarget(dir, origin);
  const folder = realFolder(join(dir, FILES));
  const names = files.map(([name]) => safeName(name));
  const alike = names.find(
    (name, at) => names.findIndex((other) => other.toLowerCase() === name.toLowerCase()) !== at,
  );
  if (alike !== undefined)
    throw conflict(`Two files of the agent are named "${alike}". Rename one, then pull again.`);
  const paths = [join(dir, AGENT), join(dir, ORIGIN), ...names.map((name) => join(folder, name))];
  for (const path of paths) regular(path);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder))
    if (!names.includes(name)) rmSync(regular(join(folder, name)));
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  const knowledge = names.map((name) => `${FILES}/${name}`);
  writeFileSync(join(dir, AGENT), yamlOf({ ...fields, knowledge }));
  writeOrigin(dir, origin);
  return before?.rehearsals !== undefined;
}

/**
 * A scenario keeps its existing file of the same name. `replaces`: delete the other scenario files.
 */
export function writeScenarios(
  dir: string,
  scenarios: readonly { readonly name: string; readonly yaml: string }[],
  replaces: boolean,
): void {
  const folder = realFolder(join(dir, REHEARSALS));
  const found = scenarioFilesIn(folder);
  const fileOf = new Map(found.map(({ file, text }) => [nameIn(file, text), file]));
  const taken = new Set([...fileOf.values(), AGENT].map((file) => file.toLowerCase()));
  if (scenarios.length > 0) mkdirSync(folder, { recursive: true });
  for (const { name, yaml } of scenarios) {
    const file = fileOf.get(name) ?? freeName(name, taken);
    taken.add(file.toLowerCase());
    writeFileSync(regular(join(folder, file)), yaml);
  }
  if (!replaces) return;
  for (const [name, file] of fileOf)
    if (!scenarios.some((scenario) => scenario.name === name)) rmSync(join(folder, file));
}

/** Throws conflict for a symbolic link. */
export const readScenarios = (dir: string): string[] =>
  scenarioFilesIn(realFolder(join(dir, REHEARSALS))).map(({ text }) => text);

const scenarioFilesIn = (folder: string) =>
  (existsSync(folder) ? readdirSync(folder).sort() : []).flatMap((file) => {
    const text = /\.ya?ml$/.test(file) ? textIn(join(folder, file)) : "";
    return isScenarioFile(file, text) ? [{ file, text }] : [];
  });

/** Name of the scenario; the file's name if it is not a scenario. */
function nameIn(file: string, text: string): string {
  try {
    return readScenario(file, text).name;
  } catch {
    return file;
  }
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  const words = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
  const stem = words.slice(0, 60) || "scenario";
  for (let number = 1; ; number++) {
    const file = `${stem}${number === 1 ? "" : `-${number}`}.yaml`;
    if (!taken.has(file)) return file;
  }
}

export function writeOrigin(dir: string, origin: Origin): void {
  writeFileSync(regular(join(dir, ORIGIN)), `${JSON.stringify(origin, null, 2)}\n`);
}

/** The earlier pull in this folder; null if none. */
function checkTarget(dir: string, { tenant, agent }: Origin): Origin | null {
  if (existsSync(join(dir, ORIGIN))) {
    const before = readOrigin(dir);
    if (before.tenant !== tenant || before.agent !== agent)
      throw conflict(`${dir} already contains agent ${before.agent} of tenant ${before.tenant}.`);
    return before;
  }
  if (existsSync(join(dir, AGENT)) || existsSync(join(dir, FILES)))
    throw conflict(`${dir} already contains other files. Choose another folder.`);
  return null;
}

export function readOrigin(dir: string): Origin {
  const path = regular(join(dir, ORIGIN));
  if (!existsSync(path))
    throw conflict(`${dir} does not contain a pulled agent: there is no ${ORIGIN}.`);
  try {
    return Origin.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw conflict(`${path} is not valid. Run \`agent pull\` again.`);
  }
}

/** Throws ScenarioInvalid with lines, conflict. */
export function readAgentFolder(
  dir: string,
  voices: readonly string[],
): { readonly agent: AgentFile; readonly files: ReadonlyMap<string, string> } {
  const path = regular(join(dir, AGENT));
  if (!existsSync(path)) throw conflict(`There is no ${path}.`);
  const agent = readYaml(path, readFileSync(path, "utf8"), agentFileOf(voices));
  const folder = realFolder(join(dir, FILES));
  const names = agent.knowledge.map((listed) => {
    if (!listed.startsWith(`${FILES}/`)) throw conflict(`${listed} must be in ${FILES}/.`);
    return safeName(listed.slice(FILES.length + 1));
  });
  const others = existsSync(folder) ? readdirSync(folder).filter((n) => !names.includes(n)) : [];
  if (others[0] !== undefined)
    throw conflict(
      `${FILES}/${others[0]} is not in \`knowledge\` of ${AGENT}. Add it there, or delete it.`,
    );
  return { agent, files: new Map(names.map((name) => [name, textIn(join(folder, name))])) };
}

function textIn(path: string): string {
  regular(path);
  if (!existsSync(path)) throw conflict(`There is no ${path}.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch {
    throw conflict(`${path} is not UTF-8.`);
  }
}

/** Writes multi-line texts as YAML blocks if parsing returns the same text. */
function yamlOf(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      const block = typeof value === "string" && value.includes("\n") ? blockOf(name, value) : null;
      return block ?? `${Bun.YAML.stringify({ [name]: value }, null, 2)}\n`;
    })
    .join("");
}

function blockOf(name: string, text: string): string | null {
  const lines = text.replace(/\n$/, "").split("\n");
  const head = `${name}: |${text.endsWith("\n") ? "+" : "-"}`;
  const block = `${[head, ...lines.map((line) => (line === "" ? "" : `  ${line}`))].join("\n")}\n`;
  try {
    const read = z.object({ [name]: z.string() }).parse(Bun.YAML.parse(`${block}end: 1\n`));
    return read[name] === text ? block : null;
  } catch {
    return null;
  }
}
