import { expect, test } from "bun:test";
import { e164 } from "../../../src/core/e164.ts";
import { countryOf, e164Candidates } from "../../../src/number/national-form.ts";

test.each([
  ["+37052123456", "+37052123456"],
  ["37052123456", "+37052123456"],
  ["0037052123456", "+37052123456"],
  ["052123456", "+37052123456"],
  ["0 5 212 3456", "+37052123456"],
  ["sip:+37052123456@provider.test", "+37052123456"],
  ["tel:+370-5-212-3456", "+37052123456"],
])("%s is the Lithuanian number it means", (written, number) => {
  expect(e164Candidates(written, "LT")).toContain(e164(number));
});

test.each(["", "anonymous", "sip:reception@provider.test", "12", "+0123456789"])(
  "%p is no number",
  (written) => {
    expect(e164Candidates(written, "LT")).toEqual([]);
  },
);

test("the country of a caller id is known", () => {
  expect(countryOf(e164("+37052123456"))).toBe("LT");
  expect(countryOf(e164("+37126123456"))).toBe("LV");
});
