/** Changes of docs/openapi.json that count as breaking. */
import { expect, test } from "bun:test";
import { breakingChanges } from "../../scripts/openapi-breaking.ts";

type Schema = Readonly<Record<string, unknown>>;

const field = { type: "string", maxLength: 20 };
const body = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: "object",
  properties,
  required,
});
const documentOf = (input: Schema, output: Schema, parameters: readonly Schema[] = []) => ({
  paths: {
    "/agents": {
      post: {
        parameters,
        requestBody: { content: { "application/json": { schema: input } } },
        responses: { 200: { content: { "application/json": { schema: output } } } },
      },
    },
  },
  components: { schemas: { Name: field } },
});
const none = body({});
const limit = { in: "query", name: "limit", schema: { type: "integer", maximum: 200 } };

const inputs = (before: Schema, after: Schema) =>
  breakingChanges(documentOf(before, none), documentOf(after, none));
const outputs = (before: Schema, after: Schema) =>
  breakingChanges(documentOf(none, before), documentOf(none, after));

test("additions and wider inputs break nothing", () => {
  expect(inputs(body({ name: field }, ["name"]), body({ name: field, note: field }))).toEqual([]);
  expect(inputs(body({ name: field }), body({ name: { type: ["string", "null"] } }))).toEqual([]);
  expect(inputs(body({ a: { type: "integer" } }), body({ a: { type: "number" } }))).toEqual([]);
  expect(outputs(body({ name: field }), body({ name: field, note: field }, ["name"]))).toEqual([]);
  expect(inputs(body({ kind: { enum: ["a"] } }), body({ kind: { enum: ["a", "b"] } }))).toEqual([]);
});

test("a removed path, operation, field or choice breaks", () => {
  const known = documentOf(none, none);
  expect(breakingChanges(known, { paths: {} })).toEqual(["POST /agents: is gone"]);
  expect(inputs(body({ name: field }), none)).toEqual(["POST /agents body.name: is gone"]);
  expect(outputs(body({ name: field }), none)).toEqual(["POST /agents 200.name: is gone"]);
  expect(inputs(body({ kind: { enum: ["a", "b"] } }), body({ kind: { enum: ["a"] } }))).toEqual([
    "POST /agents body.kind: b is gone",
  ]);
  expect(breakingChanges(documentOf(none, none, [limit]), known)).toEqual([
    "POST /agents: parameter query limit is gone",
  ]);
});

test("a newly required input breaks, and an answer that may be missing", () => {
  expect(inputs(body({ name: field }), body({ name: field }, ["name"]))).toEqual([
    "POST /agents body.name: is required now",
  ]);
  expect(outputs(body({ name: field }, ["name"]), body({ name: field }))).toEqual([
    "POST /agents 200.name: may be missing now",
  ]);
  expect(
    breakingChanges(documentOf(none, none), documentOf(none, none, [{ ...limit, required: true }])),
  ).toEqual(["POST /agents: parameter query limit is required now"]);
});

test("a narrower input breaks, and an answer of a new type, also behind a reference", () => {
  const shorter = { type: "string", maxLength: 10 };
  const wanted = ["POST /agents body.name: maxLength became 10"];
  expect(inputs(body({ name: field }), body({ name: shorter }))).toEqual(wanted);
  const reference = { $ref: "#/components/schemas/Name" };
  expect(inputs(body({ name: reference }), body({ name: shorter }))).toEqual(wanted);
  expect(inputs(body({ name: { type: "string" } }), body({ name: { enum: ["a"] } }))).toEqual([
    "POST /agents body.name: takes only some values now",
  ]);
  const nullable = { anyOf: [field, { type: "null" }] };
  expect(outputs(body({ name: field }), body({ name: nullable }))).toEqual([
    "POST /agents 200.name: may now be null, which it never was",
  ]);
  expect(inputs(body({ name: nullable }), body({ name: field }))).toEqual([
    "POST /agents body.name: no longer takes null",
  ]);
});
