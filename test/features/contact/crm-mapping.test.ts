/** Fields read from a CRM's answer. */
import { expect, test } from "bun:test";
import { crmAnswerFrom } from "../../../src/features/contact/crm/mapping.ts";

test("the first 500 characters of a long value are used", () => {
  const answer = crmAnswerFrom(JSON.stringify({ person: { full_name: "x".repeat(501) } }), {
    name: "person.full_name",
  });
  expect(answer).toEqual({ name: "x".repeat(500) });
});
