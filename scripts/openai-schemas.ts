/**
 * Writes test/fixtures/openai-requests.json: OpenAI's published schemas of the requests that we
 * send. Tests validate the adapters' requests against them.
 *
 *   bun scripts/openai-schemas.ts OPENAPI.json COMMIT
 *
 * OPENAPI.json is `openapi.json` of github.com/openai/openai-openapi at that commit. Descriptions
 * are removed, so that only the parts for a validator remain.
 */
import { fileURLToPath } from "node:url";

const REQUESTS = {
  chat: "CreateChatCompletionRequest",
  responses: "CreateResponse",
  speech: "CreateSpeechRequest",
  transcription: "CreateTranscriptionRequest",
  realtime: "RealtimeClientEvent",
};
const FOR_PEOPLE = new Set(["description", "example", "examples", "title", "externalDocs"]);
const REFERENCE = "#/components/schemas/";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const [path, commit] = process.argv.slice(2);
if (path === undefined || commit === undefined)
  throw new Error("bun scripts/openai-schemas.ts OPENAPI.json COMMIT");
const document = await Bun.file(path).json();
const published: Record<string, Json> = document.components.schemas;

/**
 * Removes descriptions. Keys under `properties` are field names, so they are kept even if they look
 * like one.
 */
function bare(value: Json, isNames = false): Json {
  if (Array.isArray(value)) return value.map((each) => bare(each));
  if (typeof value === "string") return value.replace(REFERENCE, "#/$defs/");
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key]) => isNames || !(FOR_PEOPLE.has(key) || key.startsWith("x-")),
  );
  return Object.fromEntries(
    kept.map(([key, each]) => [key, bare(each, !isNames && key === "properties")]),
  );
}

const schemas = new Map<string, Json>();
function take(name: string): void {
  if (schemas.has(name)) return;
  const schema = bare(published[name] ?? null);
  schemas.set(name, schema);
  for (const [, further] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g))
    if (further !== undefined) take(further);
}
for (const name of Object.values(REQUESTS)) take(name);

const lines = [...schemas]
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([name, schema]) => ` ${JSON.stringify(name)}: ${JSON.stringify(schema)}`);
const head = {
  source: "https://github.com/openai/openai-openapi",
  commit,
  licence: "MIT, Copyright (c) OpenAI (https://openai.com)",
  requests: REQUESTS,
};
await Bun.write(
  fileURLToPath(new URL("../test/fixtures/openai-requests.json", import.meta.url)),
  `${JSON.stringify(head, null, 1).slice(0, -2)},\n"$defs": {\n${lines.join(",\n")}\n}}\n`,
);
