/** One rule names and converts the fields of every resource. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { changesOf, field, shownFields } from "../../src/core/schema.ts";
import { camelName, recordOf, wireOf } from "../../src/core/wire-names.ts";

test("a name on the wire has one name in a record", () => {
  const names = ["id", "number_e164", "first_message", "max_duration_sec", "billable_seconds"];
  expect(names.map(camelName)).toEqual([
    ...["id", "numberE164", "firstMessage", "maxDurationSeconds", "billableSeconds"],
  ]);
});

test("a missing field is missing in the record; null is kept", () => {
  expect<object>(recordOf({ agent_id: null, label: undefined, max_duration_sec: 60 })).toEqual({
    agentId: null,
    maxDurationSeconds: 60,
  });
});

test("an answer has the schema's fields in their order, times in ISO 8601, and nothing else", () => {
  const schema = z.strictObject({
    id: z.int(),
    engine: z.string(),
    created_at: z.string(),
    fired_at: z.string().nullable(),
  });
  const record = { firedAt: null, createdAt: 1000, id: 7, secretSealed: "never shown" };
  expect(JSON.stringify(wireOf(schema, record, { engine: "embedded" }))).toBe(
    '{"id":7,"engine":"embedded","created_at":"1970-01-01T00:00:01+00:00","fired_at":null}',
  );
});

const limit = field(z.int().min(30).max(3600), {
  description: "Longest call.",
  example: 900,
  must: "be an integer from 30 to 3600",
});

test("a change fills nothing in, an answer knows no bounds", () => {
  const shape = { limit: limit.default(600), email: z.email().nullable().default(null) };
  expect(z.strictObject(shape).parse({})).toEqual({ limit: 600, email: null });
  expect(z.strictObject(changesOf(shape)).parse({})).toEqual({});
  expect(z.strictObject(changesOf(shape)).safeParse({ limit: 5 }).success).toBe(false);
  const shown = z.strictObject(shownFields(shape));
  expect(shown.parse({ limit: 5, email: "old" })).toEqual({ limit: 5, email: "old" });
  expect(shown.shape.limit.meta()).toEqual({ description: "Longest call.", examples: [900] });
});
