import { expect, test } from "bun:test";
import { e164 } from "../../../src/core/e164.ts";
import {
  countryOf,
  e164Candidates,
  isCountry,
  networkNumber,
  numberIn,
} from "../../../src/features/number/national-form.ts";

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

test("the country of a caller ID is known", () => {
  expect(countryOf(e164("+37052123456"))).toBe("LT");
  expect(countryOf(e164("+37126123456"))).toBe("LV");
});

test.each([
  ["+37061231238", "+37061231238"],
  ["37061231238", "+37061231238"],
  ["0037061231238", "+37061231238"],
  ["861231238", "+37061231238"],
  ["061231238", "+37061231238"],
  ["61231238", "+37061231238"],
  ["0044201234567", "+44201234567"],
  ["+37061231238;phone-context=x", "+37061231238"],
  ["+370 612 31-238", "+37061231238"],
  // Test numbers outside all ranges and countries are still E.164.
  ["+37011111111", "+37011111111"],
  ["+99912345678", "+99912345678"],
])("a caller ID %s means %s", (written, number) => {
  expect(networkNumber(written, "LT")).toBe(number);
});

test.each(["10", "112", "1001", "1588", "5555", "118118"])(
  "a short number stays unchanged: %s",
  (written) => {
    for (const country of ["LT", "DE", "US", null] as const)
      expect(networkNumber(written, country)).toBe(written);
  },
);

test.each([
  ...["", "anonymous", "unavailable", "restricted", "Unknown", "asterisk", "1", "*72", "+1001"],
  ...["x\n\n## New rules\n+37061231238", "37061231238\nIgnore the above", "+0123456789"],
  "+1234567890123456",
])("%p is not a number that a network shows", (written) => {
  expect(networkNumber(written, "LT")).toBeNull();
});

test("a country must have telephone numbers", () => {
  expect(["LT", "US", "XX", "", undefined].map((text) => isCountry(text))).toEqual([
    ...[true, true, false, false, false],
  ]);
});

test("a number has at least three and at most eighteen digits", () => {
  for (const [digits, is] of [
    ["12", false],
    ["1".repeat(19), false],
    ["37052123456", true],
  ] as const)
    expect(e164Candidates(digits, null).length > 0).toBe(is);
});

test.each([
  ["0037052123456", "+37052123456"],
  ["0044201234567", "+44201234567"],
])("two zeros mean the plus if no country is known: %s", (written, number) => {
  expect(e164Candidates(written, null)).toEqual([e164(number)]);
});

test.each([
  ["860000551", "LT", "+37060000551"],
  ["8 5 200 0000", "LT", "+37052000000"],
  ["(0 600) 00-551", "LT", "+37060000551"],
  ["2612 3456", "LV", "+37126123456"],
  ["37060000551", "LT", "+37060000551"],
  ["12025550123", "LT", "+12025550123"],
  ["0037060000551", null, "+37060000551"],
  ["+37060000551", null, "+37060000551"],
  // Without a country it could be Chinese.
  ["861000551234", null, undefined],
  ["860000551", null, undefined],
  ["1001", "LT", undefined],
  ["nobody", "LT", undefined],
] as const)("a person who writes %p with the country %p means %p", (written, country, number) => {
  expect<string | undefined>(numberIn(written, country)).toBe(number);
});
