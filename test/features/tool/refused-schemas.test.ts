/** Schemas that language models reject are refused on saving, with their path and the fix. */
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json.ts";
import { schemaProblem } from "../../../src/features/tool/tool-rules.ts";

const withDays = (days: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { visit: { type: "object", properties: { days } } },
  ...more,
});

test.each([
  ["in a property", withDays({ type: "array" }), "visit.days is an array"],
  ["or null", withDays({ type: ["array", "null"] }), "visit.days is an array"],
  [
    "in an array",
    withDays({ type: "array", items: { type: "array" } }),
    "visit.days[] is an array",
  ],
  ["of places", withDays({ type: "array", items: [{ type: "string" }] }), "visit.days is an array"],
  [
    "in a variant",
    withDays({ anyOf: [{ type: "string" }, { type: "array" }] }),
    "visit.days.anyOf[1] is an array",
  ],
  [
    "in a definition",
    withDays({ $ref: "#/$defs/list" }, { $defs: { list: { type: "array" } } }),
    "$defs.list is an array",
  ],
  [
    "of further properties",
    withDays({ type: "object", additionalProperties: { type: "array" } }),
    "visit.days.* is an array",
  ],
])("an array without items %s is reported with its path and the fix", (_, schema, named) => {
  const problem = schemaProblem(schema);
  expect(problem).toStartWith(named);
  expect(problem).toContain('"items": {"type":"string"}');
});

test.each(["oneOf", "anyOf", "allOf", "not"])("%s at the top is reported", (word) => {
  const value = word === "not" ? {} : [{ required: ["day"] }];
  const problem = schemaProblem({ type: "object", properties: { day: {} }, [word]: value });
  expect(problem).toStartWith(`"${word}" is not allowed at the top`);
  expect(problem).toContain("move it into a property");
});

test("schemas that language models accept are accepted", () => {
  const taken: JsonObject[] = [
    { type: "array", items: { type: "string" } },
    { type: "array", items: {} },
    { anyOf: [{ type: "string" }, { type: "null" }] },
    { oneOf: [{ const: "monday" }, { const: "friday" }] },
  ];
  for (const days of taken) expect(schemaProblem(withDays(days))).toBeNull();
});

test("at most 160 characters of the schema reader's message are shown", () => {
  const far = `#/definitions/${"x".repeat(300)}`;
  const schema = {
    type: "object",
    properties: { day: { $ref: far } },
    definitions: { [far.slice("#/definitions/".length)]: { type: "string" } },
  };
  const told = `Reference not found: ${far}`.slice(0, 160);
  expect(schemaProblem(schema)).toBe(`this is not a JSON Schema that can be read (${told})`);
});
