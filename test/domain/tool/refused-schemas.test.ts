/** Schemas that language models refuse are named, with their place and what to do, when a tool is saved. */
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json.ts";
import { schemaProblem } from "../../../src/domain/tool/tool-rules.ts";

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
])("an array without items %s is named with its path and what to add", (_, schema, named) => {
  const problem = schemaProblem(schema);
  expect(problem).toStartWith(named);
  expect(problem).toContain('"items": {"type":"string"}');
});

test.each(["oneOf", "anyOf", "allOf", "not"])("%s at the top is named", (word) => {
  const value = word === "not" ? {} : [{ required: ["day"] }];
  const problem = schemaProblem({ type: "object", properties: { day: {} }, [word]: value });
  expect(problem).toStartWith(`"${word}" may not stand at the top`);
  expect(problem).toContain("put it into a property");
});

test("what language models take is taken", () => {
  const taken: JsonObject[] = [
    { type: "array", items: { type: "string" } },
    { type: "array", items: {} },
    { anyOf: [{ type: "string" }, { type: "null" }] },
    { oneOf: [{ const: "monday" }, { const: "friday" }] },
  ];
  for (const days of taken) expect(schemaProblem(withDays(days))).toBeNull();
});

test("of the reader's own words about a schema at most 160 characters are told", () => {
  const far = `#/definitions/${"x".repeat(300)}`;
  const schema = {
    type: "object",
    properties: { day: { $ref: far } },
    definitions: { [far.slice("#/definitions/".length)]: { type: "string" } },
  };
  const told = `Reference not found: ${far}`.slice(0, 160);
  expect(schemaProblem(schema)).toBe(`this is not a JSON Schema that can be read (${told})`);
});
