/**
 * An agent as files for git: `agent.yaml` with its fields and tools, `files/` with what it knows, `origin.json`
 * with where it was pulled from. The same version always makes the same bytes; secrets are not among them.
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
import { AppError } from "../core/errors.ts";
import { type AgentFile, agentFileOf } from "../domain/rehearsal/agent-file.ts";
import { readYaml } from "../domain/rehearsal/read-scenario.ts";

const Origin = z.strictObject({ tenant: z.int(), agent: z.int(), version: z.int() });
type Origin = z.output<typeof Origin>;

const AGENT = "agent.yaml";
const ORIGIN = "origin.json";
const FILES = "files";

const refused = (publicMessage: string) => new AppError({ code: "conflict", publicMessage });

const hasControl = (name: string) => [...name].some((character) => character < " ");

/** Throws conflict for a name that would leave the folder. */
function safeName(name: string): string {
  if (name === "" || /^\.{1,2}$|[/\\]/.test(name) || hasControl(name))
    throw refused(`"${name}" cannot be the name of a file in ${FILES}/.`);
  return name;
}

/** Throws conflict for a link: it may lead anywhere. */
function regular(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw refused(`${path} is no regular file.`);
  return path;
}

function realFolder(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw refused(`${path} is no folder of its own.`);
  return path;
}

export function writeAgentFolder(
  dir: string,
  origin: Origin,
  fields: Readonly<Record<string, unknown>>,
  files: readonly (readonly [string, string])[],
): void {
  mkdirSync(dir, { recursive: true });
  checkTarget(dir, origin);
  const folder = realFolder(join(dir, FILES));
  const names = files.map(([name]) => safeName(name));
  const alike = names.find(
    (name, at) => names.findIndex((other) => other.toLowerCase() === name.toLowerCase()) !== at,
  );
  if (alike !== undefined)
    throw refused(`Two files of the agent are named "${alike}". Rename one, then pull again.`);
  const paths = [join(dir, AGENT), join(dir, ORIGIN), ...names.map((name) => join(folder, name))];
  for (const path of paths) regular(path);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder))
    if (!names.includes(name)) rmSync(regular(join(folder, name)));
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  const knowledge = names.map((name) => `${FILES}/${name}`);
  writeFileSync(join(dir, AGENT), yamlOf({ ...fields, knowledge }));
  writeOrigin(dir, origin);
}

export function writeOrigin(dir: string, origin: Origin): void {
  writeFileSync(regular(join(dir, ORIGIN)), `${JSON.stringify(origin, null, 2)}\n`);
}

function checkTarget(dir: string, { tenant, agent }: Origin): void {
  if (existsSync(join(dir, ORIGIN))) {
    const before = readOrigin(dir);
    if (before.tenant !== tenant || before.agent !== agent)
      throw refused(`${dir} holds agent ${before.agent} of tenant ${before.tenant}.`);
  } else if (existsSync(join(dir, AGENT)) || existsSync(join(dir, FILES)))
    throw refused(`${dir} holds something else already. Choose another folder.`);
}

export function readOrigin(dir: string): Origin {
  const path = regular(join(dir, ORIGIN));
  if (!existsSync(path)) throw refused(`${dir} holds no pulled agent: there is no ${ORIGIN}.`);
  try {
    return Origin.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw refused(`${path} is not as \`agent pull\` wrote it.`);
  }
}

/** Throws ScenarioInvalid with lines, conflict. */
export function readAgentFolder(
  dir: string,
  voices: readonly string[],
): { readonly agent: AgentFile; readonly files: ReadonlyMap<string, string> } {
  const path = regular(join(dir, AGENT));
  if (!existsSync(path)) throw refused(`There is no ${path}.`);
  const agent = readYaml(path, readFileSync(path, "utf8"), agentFileOf(voices));
  const folder = realFolder(join(dir, FILES));
  const names = agent.knowledge.map((listed) => {
    if (!listed.startsWith(`${FILES}/`)) throw refused(`${listed} must be in ${FILES}/.`);
    return safeName(listed.slice(FILES.length + 1));
  });
  const others = existsSync(folder) ? readdirSync(folder).filter((n) => !names.includes(n)) : [];
  if (others[0] !== undefined)
    throw refused(`${FILES}/${others[0]} is not in \`knowledge\` of ${AGENT}. List or delete it.`);
  return { agent, files: new Map(names.map((name) => [name, textIn(join(folder, name))])) };
}

function textIn(path: string): string {
  regular(path);
  if (!existsSync(path)) throw refused(`There is no ${path}.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch {
    throw refused(`${path} is not UTF-8.`);
  }
}

/** Texts of several lines stand as they are read, where YAML gives them back unchanged. */
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
