import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json.ts";
import { argumentProblem } from "../../../src/features/tool/run-tool-arguments.ts";

const schema: JsonObject = {
  type: "object",
  properties: {
    day: { type: "string", enum: ["monday", "tuesday"] },
    hour: { type: "integer", minimum: 8, maximum: 17 },
    notes: { type: "array", items: { type: "string" }, maxItems: 2 },
    patient: {
      type: "object",
      properties: { name: { type: "string", minLength: 1 } },
      required: ["name"],
    },
  },
  required: ["day"],
  additionalProperties: false,
};

describe("a tool's arguments", () => {
  const fitting: readonly JsonObject[] = [
    { day: "monday" },
    { day: "tuesday", hour: 8, notes: ["a", "b"], patient: { name: "Ona", extra: 1 } },
  ];
  test.each([...fitting])("%j are valid", (values) => {
    expect(argumentProblem(schema, values)).toBeNull();
  });

  const unfitting: readonly (readonly [JsonObject, string])[] = [
    [{}, "day"],
    [{ day: "sunday" }, "day"],
    [{ day: "monday", hour: 7 }, "hour"],
    [{ day: "monday", hour: 9.5 }, "hour"],
    [{ day: "monday", hour: "9" }, "hour"],
    [{ day: "monday", notes: ["a", "b", "c"] }, "notes"],
    [{ day: "monday", notes: [1] }, "notes.0"],
    [{ day: "monday", patient: {} }, "patient.name"],
    [{ day: "monday", surprise: true }, "surprise"],
  ];
  test.each([...unfitting])("%j are invalid, and the answer names %s", (values, where) => {
    expect(argumentProblem(schema, values)).toContain(where);
  });

  test("an empty schema accepts anything; an unreadable one is reported", () => {
    expect(argumentProblem({ type: "object" }, { anything: 1 })).toBeNull();
    expect(argumentProblem({ type: "no such type" }, {})).toContain("cannot be read");
  });
});

test("at most five problems are reported", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const values = Object.fromEntries(names.map((name) => [name, 1]));
  const problem = argumentProblem({ type: "object", properties }, values) ?? "";
  expect(problem.match(/\b[a-g]: /g)).toEqual(["a: ", "b: ", "c: ", "d: ", "e: "]);
});
