/** Limits of a tool's JSON Schema on saving: each limit below, at and above. */
import { describe, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "../../../src/core/json.ts";
import { patternProblem } from "../../../src/features/tool/schema-bounds.ts";
import { schemaProblem } from "../../../src/features/tool/tool-rules.ts";

const withProperties = (properties: JsonObject): JsonObject => ({ type: "object", properties });

test("an unreadable schema is refused with the schema reader's message", () => {
  const schema = { ...withProperties({}), unevaluatedProperties: false };
  expect(schemaProblem(schema)).toBe(
    "this is not a JSON Schema that can be read (unevaluatedProperties is not supported)",
  );
});

/** `count` objects in all: the schema, its `properties`, and strings. */
const ofNodes = (count: number) =>
  withProperties(
    Object.fromEntries(Array.from({ length: count - 2 }, (_, n) => [`p${n}`, { type: "string" }])),
  );

function ofDepth(depth: number): JsonObject {
  let inner: JsonObject = { type: "string" };
  for (let at = 3; at < depth; at++) inner = { type: "array", items: inner };
  return withProperties({ a: inner });
}

/** A chain of definitions in which each step uses the next one twice. */
function ofChain(steps: number): JsonObject {
  const definitions: Record<string, JsonValue> = { [`a${steps}`]: { type: "string" } };
  for (let at = 0; at < steps; at++) {
    const next = { $ref: `#/$defs/a${at + 1}` };
    definitions[`a${at}`] = { anyOf: [next, next] };
  }
  return { ...withProperties({ x: { $ref: "#/$defs/a0" } }), $defs: definitions };
}

/** `count` objects after each use of a definition of ten is expanded. */
const ofExpanded = (count: number): JsonObject => ({
  ...withProperties(
    Object.fromEntries([
      ...Array.from({ length: 90 }, (_, n) => [`p${n}`, { $ref: "#/$defs/ten" }]),
      ...Array.from({ length: count - 902 }, (_, n) => [`q${n}`, { type: "string" }]),
    ]),
  ),
  $defs: { ten: { anyOf: Array.from({ length: 9 }, () => ({ type: "string" })) } },
});

const ofBytes = (bytes: number): JsonObject => {
  const empty = { type: "object", description: "" };
  return { ...empty, description: "x".repeat(bytes - JSON.stringify(empty).length) };
};

describe("a schema is accepted up to its limit and refused above it", () => {
  test.each([
    ["16384 bytes", ofBytes, 16_384],
    ["300 objects", ofNodes, 300],
    ["deeper than 12", ofDepth, 12],
    ["1000 objects", ofExpanded, 1_000],
  ] as const)("%s", (what, make, most) => {
    expect(schemaProblem(make(most - 1))).toBeNull();
    expect(schemaProblem(make(most))).toBeNull();
    expect(schemaProblem(make(most + 1))).toContain(what);
  });

  test("a chain of $ref and anyOf that doubles with each step", () => {
    expect(schemaProblem(ofChain(8))).toBeNull();
    expect(schemaProblem(ofChain(9))).toContain("$ref");
    for (const steps of [24, 60]) expect(schemaProblem(ofChain(steps))).toContain("$ref");
  });

  test("a $ref that forms a cycle, directly or indirectly", () => {
    const tree = { type: "object", properties: { child: { $ref: "#/$defs/tree" } } };
    const back = { ...withProperties({ x: { $ref: "#/$defs/tree" } }), $defs: { tree } };
    expect(schemaProblem(back)).toContain("back to itself");
    const [a, b] = [{ $ref: "#/$defs/b" }, { $ref: "#/$defs/a" }];
    expect(schemaProblem({ ...withProperties({ a }), $defs: { a, b } })).toContain("itself");
  });

  test.each(["#", "#/$defs/none", "https://example.com/schema.json", "#/properties/x"])(
    "$ref %s, which is not a definition",
    ($ref) => {
      expect(schemaProblem(withProperties({ x: { $ref } }))).toContain("#/$defs/NAME");
    },
  );

  test("a schema nested a hundred thousand deep is refused with an explanation", () => {
    const deep = JSON.parse(`${'{"a":['.repeat(100_000)}1${"]}".repeat(100_000)}`) as JsonValue;
    expect(schemaProblem({ type: "object", const: deep })).toContain("deeper");
  });
});

describe("a pattern", () => {
  test.each([
    "^\\+?[1-9]\\d{6,14}$",
    "^(\\d{1,3}\\.){3}\\d{1,3}$",
    "^(\\+\\d{1,3})?\\d{6,14}$",
    "^(mon|tue|wed)(,(mon|tue|wed))*$",
    "^(?:[01]\\d|2[0-3]):[0-5]\\d$",
    "^[\\w.-]+@[\\w.-]+$",
    "(?<n>ab)+",
    "(ax|bx)+",
    "^[(+*]+\\(\\)$",
    "(a+)?",
    "x".repeat(200),
    "(ab){1000}",
    "^(a+)+$",
    "^(a|a)*$",
    "^(a|aa)+$",
    "(xa|xb)+",
    "(a*)*",
    "(.*)*",
    "(x+x+)+y",
    "((a?){30}b)",
    "(a|b|ab)*",
    "((a{1,9}){2}){2}",
  ])("%s may be saved", (pattern) => {
    expect(patternProblem(pattern)).toBeNull();
  });

  test.each([
    "(a)\\1",
    "(?=a)a",
    "(?<!a)b",
    "a{2,1}",
    "(",
    "x".repeat(201),
    "(ab){1001}",
    "((a{1000}){1000}){1000}",
  ])("%s may not be saved", (pattern) => {
    expect(patternProblem(pattern)).not.toBeNull();
  });

  test("is checked everywhere in a schema", () => {
    const bad = "^(?=a)a$";
    const places: readonly JsonObject[] = [
      { x: { type: "string", pattern: bad } },
      { x: { type: "array", items: { type: "string", pattern: bad } } },
      { x: { anyOf: [{ type: "string", pattern: bad }] } },
      { default: { type: "string", pattern: bad } },
      { x: { type: "object", patternProperties: { [bad]: { type: "string" } } } },
    ];
    for (const properties of places)
      expect(schemaProblem(withProperties(properties))).toContain("pattern");
    const $defs = { a: { type: "string", pattern: bad } };
    expect(schemaProblem({ ...withProperties({ x: { $ref: "#/$defs/a" } }), $defs })).toContain(
      "pattern",
    );
  });
});

describe("a part with a wrong JSON Schema type is reported", () => {
  const day = (schema: JsonValue) => withProperties({ day: schema });
  test.each([
    [{ type: "date" }, day, "the type of day must be one of"],
    [{ type: ["string", "null"] }, day, null],
    [{ enum: [] }, day, '"enum" of day must be a list of values'],
    [{ enum: "monday" }, day, '"enum" of day must be a list of values'],
    [{ enum: ["monday"] }, day, null],
    [{ type: "object", required: "from" }, day, '"required" of day must be a list of names'],
    [{ type: "object", required: [1] }, day, '"required" of day must be a list of names'],
    [{ type: "object", required: ["from"] }, day, null],
    [{ type: "object", properties: ["from"] }, day, '"properties" of day must be an object'],
    [{ type: "object", properties: { from: "text" } }, day, "day.from must be a schema"],
    [{ type: "object", properties: { from: true } }, day, null],
    [{ type: "array", items: { enum: [] } }, day, '"enum" of day[] must be a list of values'],
    [
      { enum: [] },
      (schema: JsonObject) => ({ type: "object", ...schema }),
      '"enum" is not allowed at the top',
    ],
  ] as const)("%j", (schema, make, problem) => {
    const said = schemaProblem(make(structuredClone(schema) as unknown as JsonObject));
    if (problem === null) expect(said).toBeNull();
    else expect(said).toStartWith(problem);
  });
});
