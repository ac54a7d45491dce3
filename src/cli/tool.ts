/** `linevoice tool create|list|delete`. The secret is never given on the command line. */
import { isObject, type JsonObject } from "../core/json.ts";
import { asks, commandOf, secretFrom, secretOptions } from "./actions.ts";
import { fileArgument } from "./file-argument.ts";
import { required, type Terminal, table, WrongUsage } from "./usage.ts";

export const toolCommand = commandOf(
  "tool",
  {
    create: asks("tool.create", {
      usage: [
        "tool create --tenant ID --name find_booking --description D --url https://… --header X-Tool-Secret",
        "          (--secret-file F | --secret-stdin) --schema FILE [--agent ID] [--disabled]",
        "          [--caller-level 0|1|2]",
      ],
      fields: ["tenant", "name", "description", "caller_level"],
      as: { header: "secret_header", agent: "agent_id" },
      others: {
        ...secretOptions("secret"),
        url: { type: "string" },
        schema: { type: "string" },
        disabled: { type: "boolean" },
      },
      async input(values, terminal) {
        const { "secret-file": file, "secret-stdin": stdin } = values;
        const url = required(values.url, "--url");
        const parameters = schemaOf(required(values.schema, "--schema"), terminal);
        const secret = await secretFrom("secret", file, stdin, terminal);
        if (secret === null) throw new WrongUsage("Add --secret-file F or --secret-stdin.");
        return { url, parameters, secret, enabled: !values.disabled };
      },
    }),
    list: asks("tool.list", {
      usage: ["tool list --tenant ID [--json]"],
      fields: ["tenant"],
      lines: (tools) =>
        table([
          ["ID", "NAME", "FOR", "", "URL"],
          ...tools.map(({ id, name, agent_id: agent, enabled, problem, url }) => [
            String(id),
            name,
            agent === null ? "every agent" : `agent ${agent}`,
            problem !== null ? "needs attention" : enabled ? "on" : "off",
            url,
          ]),
        ]),
    }),
    delete: asks("tool.delete", {
      usage: ["tool delete --tenant ID TOOL"],
      fields: ["tenant"],
      word: ["TOOL", "id"],
    }),
  },
  [
    "FILE contains the JSON Schema of the arguments, an object.",
    "Caller level: 0: anybody. 1: a known number. 2: a known number and its PIN.",
  ],
);

function schemaOf(file: string, terminal: Terminal): JsonObject {
  const text = fileArgument(file, terminal).toString();
  try {
    const schema = JSON.parse(text);
    if (isObject(schema)) return schema;
  } catch {
    // The message below explains the error.
  }
  throw new WrongUsage(`${file} does not contain a JSON object.`);
}
