/** What is taken of a CRM's answer. */
import { expect, test } from "bun:test";
import { crmAnswerFrom } from "../../../src/domain/contact/crm/mapping.ts";

test("of a long value the first 500 characters are taken", () => {
  const answer = crmAnswerFrom(JSON.stringify({ person: { full_name: "x".repeat(501) } }), {
    name: "person.full_name",
  });
  expect(answer).toEqual({ name: "x".repeat(500) });
});
