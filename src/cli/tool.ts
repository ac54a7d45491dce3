/** `linevoice tool create|list|delete`. The secret never stands on the command line. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { JsonObject } from "../core/json.ts";
import type { CallerLevel } from "../domain/contact/ports.ts";
import { configFor, operate } from "./operator.ts";
import {
  type Command,
  idFrom,
  parse,
  required,
  type Terminal,
  table,
  WrongUsage,
} from "./usage.ts";

const OPTIONS = {
  tenant: { type: "string" },
  name: { type: "string" },
  description: { type: "string" },
  url: { type: "string" },
  header: { type: "string" },
  "secret-file": { type: "string" },
  "secret-stdin": { type: "boolean", default: false },
  agent: { type: "string" },
  schema: { type: "string" },
  disabled: { type: "boolean", default: false },
  "caller-level": { type: "string", default: "0" },
} as const;

type Values = ReturnType<typeof parse<typeof OPTIONS>>["values"];

export const toolCommand: Command = {
  usage: [
    "tool create --tenant ID --name find_booking --description D --url https://… --header X-Tool-Secret",
    "          (--secret-file F | --secret-stdin) --schema FILE [--agent ID] [--disabled]",
    "          [--caller-level 0|1|2]",
    "tool list --tenant ID [--json]",
    "tool delete --tenant ID TOOL",
  ],
  notes: [
    "FILE holds the JSON Schema of the arguments: an object.",
    "Caller level: 0 anybody, 1 a known number, 2 a known number and its PIN.",
  ],
  async run(args, terminal) {
    const { values, words } = parse(args, OPTIONS, 2);
    if (words[0] === "delete") return await remove(values, words[1], terminal);
    if (words[1] !== undefined) throw new WrongUsage(`"${words[1]}" is one word too many.`);
    if (words[0] === "create") return await create(values, terminal);
    if (words[0] === "list") return await list(values, terminal);
    throw new WrongUsage("Say what to do: create, list or delete.");
  },
};

async function create(values: Values, terminal: Terminal): Promise<number> {
  const input = {
    tenant: idFrom(values.tenant, "--tenant"),
    name: required(values.name, "--name"),
    description: required(values.description, "--description"),
    url: required(values.url, "--url"),
    secret_header: required(values.header, "--header"),
    agent_id: values.agent === undefined ? null : idFrom(values.agent, "--agent"),
    parameters: schemaOf(required(values.schema, "--schema"), terminal),
    secret: await secretOf(values, terminal),
    enabled: !values.disabled,
    caller_level: levelOf(values["caller-level"]),
  };
  const tool = await operate(configFor(values.config, terminal), "tool.create", input);
  terminal.out(JSON.stringify(tool));
  return 0;
}

async function list(values: Values, terminal: Terminal): Promise<number> {
  const input = { tenant: idFrom(values.tenant, "--tenant") };
  const tools = await operate(configFor(values.config, terminal), "tool.list", input);
  if (values.json) {
    terminal.out(JSON.stringify(tools));
    return 0;
  }
  const rows = tools.map((tool) => [
    String(tool.id),
    tool.name,
    tool.agent_id === null ? "every agent" : `agent ${tool.agent_id}`,
    tool.enabled ? "on" : "off",
    tool.url,
  ]);
  for (const line of table([["ID", "NAME", "FOR", "", "URL"], ...rows])) terminal.out(line);
  return 0;
}

async function remove(values: Values, id: string | undefined, terminal: Terminal): Promise<number> {
  const input = { tenant: idFrom(values.tenant, "--tenant"), id: idFrom(id, "TOOL") };
  const deleted = await operate(configFor(values.config, terminal), "tool.delete", input);
  terminal.out(JSON.stringify(deleted));
  return 0;
}

function levelOf(text: string): CallerLevel {
  if (text === "0") return 0;
  if (text === "1") return 1;
  if (text === "2") return 2;
  throw new WrongUsage("--caller-level must be 0, 1 or 2.");
}

function schemaOf(file: string, { cwd }: Terminal): JsonObject {
  const text = readFileSync(resolve(cwd, file), "utf8");
  try {
    const schema: unknown = JSON.parse(text);
    if (typeof schema === "object" && schema !== null && !Array.isArray(schema))
      return schema as JsonObject;
  } catch {
    // Said below, in words that help.
  }
  throw new WrongUsage(`${file} holds no JSON object.`);
}

async function secretOf(values: Values, { cwd }: Terminal): Promise<string> {
  const file = values["secret-file"];
  if ((file === undefined) === !values["secret-stdin"])
    throw new WrongUsage("Give either --secret-file F or --secret-stdin.");
  const text =
    file === undefined ? await Bun.stdin.text() : readFileSync(resolve(cwd, file), "utf8");
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "" || /[\r\n\0]/.test(secret))
    throw new WrongUsage("The secret is one line that is not empty.");
  return secret;
}
