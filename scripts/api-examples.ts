/**
 * The page of the API reference: every operation of docs/openapi.json with a request in curl,
 * TypeScript, Python and PHP. The values are the schema's examples; test/http runs the
 * requests.
 */
import document from "../docs/openapi.json" with { type: "json" };

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly examples?: readonly Json[];
  readonly items?: Schema;
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly example?: Json;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

/** One request, with values in place of the parameters. */
export interface Example {
  readonly id: string;
  readonly method: string;
  /** Path template of the document. */
  readonly path: string;
  /** Path with values and query, without the mount. */
  readonly target: string;
  readonly body: Json | undefined;
  readonly operation: Operation;
  readonly schema: Schema | undefined;
}

const schemas = document.components.schemas as unknown as Readonly<Record<string, Schema>>;
/** Resolves references; of alternatives, returns the first. */
function resolved(schema: Schema): Schema {
  const found = schema.$ref ? (schemas[schema.$ref.split("/").pop() ?? ""] ?? {}) : schema;
  return found.oneOf?.[0] ? resolved(found.oneOf[0]) : found;
}

function exampleValue(schema: Schema): Json {
  const { examples, properties, required = [], items, anyOf, ...rest } = resolved(schema);
  const known = examples?.[0] ?? rest.default ?? rest.enum?.[0];
  if (known !== undefined) return known;
  if (anyOf?.[0]) return exampleValue(anyOf[0]);
  if (items) return [exampleValue(items)];
  const fields = Object.entries(properties ?? {}).filter(([name]) => required.includes(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleValue(field)]));
}

/** The required fields; for an object without any, its first field. */
function bodyOf(schema: Schema): Json {
  const { properties = {}, required = [] } = resolved(schema);
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  return Object.fromEntries(names.map((name) => [name, exampleValue(properties[name] ?? {})]));
}

function exampleOf(path: string, method: string, operation: Operation): Example {
  const parameters = operation.parameters ?? [];
  const valueFor = (name: string) => {
    const parameter = parameters.find((each) => each.name === name);
    return encodeURIComponent(String(parameter?.example ?? exampleValue(parameter?.schema ?? {})));
  };
  const query = parameters.filter((each) => each.in === "query" && each.required);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => valueFor(name));
  const search = query.map(({ name }) => `${name}=${valueFor(name)}`).join("&");
  const schema = operation.requestBody?.content["application/json"]?.schema;
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    operation,
    target: search === "" ? filled : `${filled}?${search}`,
    body: schema && bodyOf(schema),
    schema: schema && resolved(schema),
  };
}

export const EXAMPLES: readonly Example[] = Object.entries(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => /^(?:get|post|patch|put|delete)$/.test(method))
      .map(([method, operation]) => exampleOf(path, method, operation as unknown as Operation)),
);

const descriptionOf = (schema: Schema): string =>
  schema.description ?? resolved(schema).description ?? schema.anyOf?.[0]?.description ?? "";

const TOKEN = "Authorization: Bearer";

/** A literal in Python or PHP. */
function literal(value: Json, language: "python" | "php"): string {
  const [yes, no, nothing] =
    language === "python" ? ["True", "False", "None"] : ["true", "false", "null"];
  if (value === null) return nothing;
  if (typeof value === "boolean") return value ? yes : no;
  if (typeof value !== "object")
    return typeof value === "string" && language === "php"
      ? `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
      : JSON.stringify(value);
  const inner = Array.isArray(value)
    ? value.map((each: Json) => literal(each, language))
    : Object.entries(value).map(
        ([key, each]) =>
          `"${key}"${language === "python" ? ":" : " =>"} ${literal(each as Json, language)}`,
      );
  const [open, close] = language === "php" || Array.isArray(value) ? "[]" : "{}";
  return open + inner.join(", ") + close;
}

/** The same request in each language. Address and key come from the environment. */
export const LANGUAGES = {
  curl: ({ method, target, body }: Example) =>
    [
      `curl -sS${method === "GET" ? "" : ` -X ${method}`} "$LINEVOICE_URL${target}" \\`,
      `  -H "${TOKEN} $LINEVOICE_KEY"${body === undefined ? "" : " \\"}`,
      ...(body === undefined
        ? []
        : [
            `  -H "Content-Type: application/json" \\`,
            `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
          ]),
    ].join("\n"),
  typescript: ({ method, target, body }: Example) =>
    [
      `const response = await fetch(process.env.LINEVOICE_URL + ${JSON.stringify(target)}, {`,
      ...(method === "GET" ? [] : [`  method: "${method}",`]),
      "  headers: {",
      `    authorization: "Bearer " + process.env.LINEVOICE_KEY,`,
      ...(body === undefined ? [] : [`    "content-type": "application/json",`]),
      "  },",
      ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body)}),`]),
      "});",
      "console.log(response.status, await response.text());",
    ].join("\n"),
  python: ({ method, target, body }: Example) =>
    [
      "import json, os, urllib.error, urllib.request",
      "",
      "request = urllib.request.Request(",
      `    os.environ["LINEVOICE_URL"] + ${JSON.stringify(target)},`,
      `    method="${method}",`,
      `    headers={"Authorization": "Bearer " + os.environ["LINEVOICE_KEY"]${
        body === undefined ? "" : `, "Content-Type": "application/json"`
      }},`,
      ...(body === undefined ? [] : [`    data=json.dumps(${literal(body, "python")}).encode(),`]),
      ")",
      "try:",
      "    response = urllib.request.urlopen(request)",
      "except urllib.error.HTTPError as error:",
      "    response = error",
      "print(response.status, response.read().decode())",
    ].join("\n"),
  php: ({ method, target, body }: Example) =>
    [
      "<?php",
      `$context = stream_context_create(["http" => [`,
      `    "method" => "${method}",`,
      `    "header" => ["${TOKEN} " . getenv("LINEVOICE_KEY")${
        body === undefined ? "" : `, "Content-Type: application/json"`
      }],`,
      ...(body === undefined ? [] : [`    "content" => json_encode(${literal(body, "php")}),`]),
      `    "ignore_errors" => true,`,
      "]]);",
      `$text = file_get_contents(getenv("LINEVOICE_URL") . ${JSON.stringify(target)}, false, $context);`,
      `echo explode(" ", $http_response_header[0])[1], " ", $text, "\\n";`,
    ].join("\n"),
} as const;

const FENCES = { curl: "sh", typescript: "ts", python: "python", php: "php" } as const;
const TITLES = { curl: "curl", typescript: "TypeScript", python: "Python", php: "PHP" } as const;

const inCell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function fields(title: string, rows: readonly (readonly [string, boolean, string])[]): string {
  if (rows.length === 0) return "";
  const lines = rows.map(
    ([name, required, text]) => `| \`${name}\` | ${required ? "yes" : ""} | ${inCell(text)} |`,
  );
  return `| ${title} | required | meaning |\n|---|---|---|\n${lines.join("\n")}\n`;
}

function section(example: Example): string {
  const { method, path, operation, schema } = example;
  const parameters = (operation.parameters ?? []).filter(({ name }) => name !== undefined);
  const codes = (Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[]).map(
    (language) =>
      `<details${language === "curl" ? " open" : ""}><summary>${TITLES[language]}</summary>\n\n` +
      `\`\`\`${FENCES[language]} example\n${LANGUAGES[language](example)}\n\`\`\`\n\n</details>`,
  );
  return [
    `### ${operation.summary}`,
    `\`${method} ${path}\``,
    operation.description ?? "",
    fields(
      "parameter",
      parameters.map((each) => [each.name, each.required === true, each.description ?? ""]),
    ),
    fields(
      "field",
      Object.entries(schema?.properties ?? {}).map(([name, field]) => [
        name,
        schema?.required?.includes(name) === true,
        descriptionOf(field),
      ]),
    ),
    ...codes,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The page in Markdown. */
export function apiReference(): string {
  const tags = [...new Set(EXAMPLES.map(({ operation }) => operation.tags[0] ?? ""))];
  const parts = tags.map(
    (tag) =>
      `## ${tag}\n\n${EXAMPLES.filter(({ operation }) => operation.tags[0] === tag)
        .map(section)
        .join("\n\n")}`,
  );
  return `# API reference

Every operation of the REST API with a request in four languages. Set the address of your server and an API key first:

\`\`\`sh example
export LINEVOICE_URL=https://voice.example.com/api/v1
export LINEVOICE_KEY=lv_live_…
\`\`\`

Bounds, defaults, answers and errors of every field stand in the [OpenAPI document](/openapi.json), and you can send requests from
[the viewer](/docs/viewer).

${parts.join("\n\n")}
`;
}
