import { expect, test } from "bun:test";
import { eurToMicro, microEur, microToEur, priceOfSeconds } from "../../src/core/money.ts";

test("a rate a minute charges by the second, rounded half up once", () => {
  const rate = eurToMicro(0.12);
  expect(priceOfSeconds(0, rate)).toBe(microEur(0));
  expect(priceOfSeconds(1, rate)).toBe(microEur(2000));
  expect(priceOfSeconds(15, rate)).toBe(microEur(30_000));
  expect(priceOfSeconds(1, microEur(29))).toBe(microEur(0));
  expect(priceOfSeconds(1, microEur(30))).toBe(microEur(1));
  expect(priceOfSeconds(1, microEur(31))).toBe(microEur(1));
});

test("euro and micro-euro convert without drift", () => {
  for (const eur of [0, 0.01, 0.1, 0.29, 10, 999.99, 1000])
    expect(microToEur(eurToMicro(eur))).toBe(eur);
});

test("a fraction of a micro-euro is refused", () => {
  expect(() => microEur(0.5)).toThrow(RangeError);
  expect(() => microEur(Number.MAX_SAFE_INTEGER + 1)).toThrow(RangeError);
});
