/** Numbers and countries that count as new within an hour and a day: to the millisecond, with transfers. */
import { expect, test } from "bun:test";
import { createDialingBurst } from "../../../src/call/admission/dialing-burst.ts";
import type { E164 } from "../../../src/core/e164.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const OWN = "+37060000000" as E164;
const LT = (n: number) => `+3706000${1000 + n}` as E164;
const LV = "+37120000001" as E164;
const EE = "+37250000001" as E164;
const full = { code: "plan_limit_reached", field: "to" };

function world(limits = { newNumbersPerHour: 2, newCountriesPerDay: 1 }) {
  const clock = fakeClock();
  const abroad: { country: string; firstAt: number }[] = [];
  const asked: number[] = [];
  const stops: object[] = [];
  const dialled = () => ({
    countriesAbroad: async () => abroad,
    async knewNumber(_tenantId: number, _number: string, sinceMs: number) {
      asked.push(clock.now() - sinceMs);
      return false;
    },
    newNumbers: async () => [],
  });
  const burst = createDialingBurst({
    clock,
    stores: { dialled },
    limits: () => limits,
    onStop: (stop) => stops.push(stop),
  } as Parameters<typeof createDialingBurst>[0]);
  type Queries = Parameters<typeof burst.ask>[0];
  const check = async (number: E164) => (await burst.ask({} as Queries, 1, number, "to"))(OWN);
  return { clock, abroad, asked, stops, burst, check };
}

test("numbers of the last hour count, also of transfers, the same one once", async () => {
  const { clock, asked, stops, burst, check } = world();
  burst.transferred(1, LT(1), null);
  burst.transferred(1, LT(1), null);
  await check(LT(2));
  expect(asked).toEqual([HOUR]);
  burst.transferred(1, LT(2), null);
  await check(LT(2));
  await expect(check(LT(3))).rejects.toMatchObject(full);
  expect(stops).toEqual([{ tenantId: 1, kind: "new_numbers", limit: 2 }]);
  await clock.advance(HOUR);
  await expect(check(LT(3))).rejects.toMatchObject(full);
  await clock.advance(1);
  await check(LT(3));
});

test("a country first called within a day counts, the own country does not", async () => {
  const { clock, abroad, stops, check } = world({ newNumbersPerHour: 9, newCountriesPerDay: 1 });
  expect(await check(LT(1))).toBeNull();
  expect(await check(LV)).toBe("LV");
  abroad.push({ country: "LV", firstAt: clock.now() });
  expect(await check(LV)).toBe("LV");
  await expect(check(EE)).rejects.toMatchObject(full);
  expect(stops).toEqual([{ tenantId: 1, kind: "new_countries", limit: 1 }]);
  await clock.advance(DAY);
  await expect(check(EE)).rejects.toMatchObject(full);
  await clock.advance(1);
  expect(await check(EE)).toBe("EE");
});

test("countries called before stay allowed, whatever the limit", async () => {
  const { clock, abroad, check } = world({ newNumbersPerHour: 9, newCountriesPerDay: 0 });
  abroad.push({ country: "LV", firstAt: clock.now() - DAY - 1 });
  expect(await check(LV)).toBe("LV");
  await expect(check(EE)).rejects.toMatchObject(full);
});

test("a transfer to a new country counts for a day, one to a known country does not", async () => {
  const { clock, abroad, burst, check } = world({ newNumbersPerHour: 9, newCountriesPerDay: 1 });
  burst.transferred(1, LT(1), null);
  abroad.push({ country: "PL", firstAt: clock.now() - DAY - 1 });
  burst.transferred(1, "+48221234567" as E164, "PL");
  expect(await check(EE)).toBe("EE");
  burst.transferred(1, LV, "LV");
  expect(await check(LV)).toBe("LV");
  await expect(check(EE)).rejects.toMatchObject(full);
  await clock.advance(DAY);
  await expect(check(EE)).rejects.toMatchObject(full);
  await clock.advance(1);
  expect(await check(EE)).toBe("EE");
});

test("a thousand targets of transfers are remembered", async () => {
  const limits = { newNumbersPerHour: 1_000, newCountriesPerDay: 9 };
  const { burst, check } = world(limits);
  for (let n = 0; n < 1_001; n++) burst.transferred(1, LT(n), null);
  await expect(check("+37069999999" as E164)).rejects.toMatchObject(full);
  const more = world({ ...limits, newNumbersPerHour: 1_001 });
  for (let n = 0; n < 1_002; n++) more.burst.transferred(1, LT(n), null);
  await more.check("+37069999999" as E164);
});

test("a refused call names its field", async () => {
  const { burst } = world({ newNumbersPerHour: 0, newCountriesPerDay: 1 });
  const check = await burst.ask({} as Parameters<typeof burst.ask>[0], 1, LT(1));
  expect(() => check(OWN)).toThrow(expect.objectContaining({ ...full, field: "to_number" }));
});
