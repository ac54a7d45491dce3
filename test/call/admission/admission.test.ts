/** Limits on calls: each way of starting a call, below, at and above each limit, without a store. */
import { expect, test } from "bun:test";
import { Admission, LinesBusy } from "../../../src/call/admission/admission.ts";
import { AppError } from "../../../src/core/errors.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { wideDialing } from "../../support/plans.ts";

type Options = ConstructorParameters<typeof Admission>[0];
type Fire = Parameters<Admission["fire"]>;
type Way = "request now" | "request later" | "fire" | "transfer" | "inbound";

const WAYS = ["request now", "request later", "fire", "transfer", "inbound"] as const;
const TO = "+37061234567" as Fire[3];
const TENANT = {
  id: 1,
  plan: "start",
  suspended: false,
  allowedPrefixes: null,
  shortNumbers: null,
  dailySpendMax: 100,
  callsPerMinuteMax: 3,
};
const TRUNK = { callerId: "+37052000001", channels: null };

/** Current counts: calls of the tenant and of the machine, money, and calls of this minute. */
interface Now extends Partial<Pick<Options, "roomRejection" | "tooManyTalk" | "heardCallsMax">> {
  readonly tenant?: object;
  readonly trunk?: object;
  readonly live?: number;
  readonly spent?: number;
  readonly machine?: number;
  readonly fired?: number;
  readonly waiting?: number;
  readonly hasFunds?: boolean;
  /** Numbers called for the first time within an hour. Default: all numbers were called before. */
  readonly newNumbersPerHour?: number;
}

function world(now: Now = {}) {
  const { live = 0, spent = 0, machine = 0, fired = 0, waiting = 0, hasFunds = true } = now;
  const clock = fakeClock();
  const asked: unknown[][] = [];
  const { newNumbersPerHour } = now;
  const burst = { newNumbersPerHour: newNumbersPerHour ?? 0, newCountriesPerDay: 9 };
  const admission = new Admission({
    clock,
    stores: {
      calls: () => ({
        load: async (_: number, sinceMs: number) => {
          asked.push(["load", sinceMs]);
          return { live, spent };
        },
      }),
      schedules: () => ({
        firedBetween: async (...what: unknown[]) => {
          asked.push(["fired", ...what]);
          return fired;
        },
        immediateSince: async () => waiting,
      }),
      dialled: () => ({
        countriesAbroad: async () => [],
        knewNumber: async () => newNumbersPerHour === undefined,
        newNumbers: async () => [],
      }),
    },
    billing: {
      planNamed: () => ({ slug: "start", maxConcurrentCalls: 4 }),
      requireFunds: async () => {
        if (!hasFunds)
          throw new AppError({ code: "insufficient_balance", publicMessage: "No money." });
      },
    },
    concurrentCallsMax: 10,
    liveCalls: () => machine,
    dialing: () => ({ ...wideDialing, burst }),
    roomRejection: now.roomRejection,
    tooManyTalk: now.tooManyTalk,
    heardCallsMax: now.heardCallsMax,
  } as unknown as Options);
  const tenant = { ...TENANT, ...now.tenant } as unknown as Fire[1];
  const trunk = { ...TRUNK, ...now.trunk } as unknown as Fire[2];
  async function begin(way: Way, to = TO): Promise<void> {
    const queries = {} as Fire[0];
    if (way === "fire") await admission.fire(queries, tenant, trunk, to);
    else if (way === "transfer") await admission.transfer(queries, tenant, trunk, to);
    else if (way === "inbound") admission.inbound(tenant, await admission.loadOf(queries, tenant));
    else await admission.request(queries, tenant, trunk, to, way === "request now");
  }
  /** "" or the error code of the refusal, with "waits" if the call may be tried again. */
  const verdict = (way: Way) =>
    begin(way).then(
      () => "",
      (error) => {
        if (!(error instanceof AppError)) throw error;
        return error.retryable ? `waits: ${error.code}` : error.code;
      },
    );
  return { clock, admission, tenant, asked, begin, verdict };
}

/** Checks that exactly the ways in `ways` are refused with `code`. */
async function expectRefused(now: Now, code: string, ways: readonly Way[]): Promise<void> {
  for (const way of WAYS)
    expect([way, await world(now).verdict(way)]).toEqual([way, ways.includes(way) ? code : ""]);
}

const FULL = "waits: plan_limit_reached";
const BEGUN_NOW: readonly Way[] = ["request now", "fire", "inbound"];

test("a suspended tenant can neither make, take nor transfer calls", () =>
  expectRefused({ tenant: { suspended: true } }, "plan_limit_reached", WAYS));

test("a machine without room refuses new calls, but transfers of its live calls continue", () =>
  expectRefused({ roomRejection: () => "no room" }, "waits: unavailable", [
    ...BEGUN_NOW,
    "request later",
  ]));

test("the daily cap refuses every way at the cap, and none below it", async () => {
  for (const spent of [100, 101]) await expectRefused({ spent }, FULL, WAYS);
  await expectRefused({ spent: 99 }, FULL, []);
});

test("the limits of the plan, the machine and the recogniser apply to concurrent calls", async () => {
  await expectRefused({ live: 3, machine: 9, heardCallsMax: 10 }, FULL, []);
  for (const live of [4, 5]) await expectRefused({ live }, FULL, BEGUN_NOW);
  for (const machine of [10, 11]) await expectRefused({ machine }, FULL, BEGUN_NOW);
  for (const machine of [5, 6]) await expectRefused({ machine, heardCallsMax: 5 }, FULL, BEGUN_NOW);
  await expectRefused({ machine: 4, heardCallsMax: 5 }, FULL, []);
  await expectRefused({ tooManyTalk: () => true }, FULL, BEGUN_NOW);
  await expect(world({ tooManyTalk: () => true }).begin("inbound")).rejects.toBeInstanceOf(
    LinesBusy,
  );
});

test("calls admitted at the same moment count before they are live", async () => {
  const load = { live: 0, spent: 0 } as Parameters<Admission["inbound"]>[1];
  const { admission, tenant } = world({ machine: 7 });
  admission.inbound(tenant, load, 2);
  expect(() => admission.inbound(tenant, load, 3)).toThrow(
    "has reached its maximum number of calls",
  );
  const heard = world({ machine: 3, heardCallsMax: 5 });
  heard.admission.inbound(heard.tenant, load, 1);
  expect(() => heard.admission.inbound(heard.tenant, load, 2)).toThrow(
    "accepts 5 concurrent calls",
  );
});

test("the trunk's channels limit the calls that we start", async () => {
  for (const live of [2, 3])
    await expectRefused({ live, trunk: { channels: 2 } }, FULL, ["request now", "fire"]);
  await expectRefused({ live: 1, trunk: { channels: 2 } }, FULL, []);
});

test("calls per minute count dialled calls, and waiting ones if a call is requested for now", async () => {
  const limited = "waits: rate_limited";
  await expectRefused({ fired: 2 }, limited, []);
  for (const fired of [3, 4])
    await expectRefused({ fired }, limited, ["request now", "fire", "transfer"]);
  await expectRefused({ fired: 1, waiting: 1 }, limited, []);
  await expectRefused({ fired: 1, waiting: 2 }, limited, ["request now", "transfer"]);
});

test("each accepted transfer counts as a call for a minute, a refused one does not", async () => {
  const { clock, verdict } = world();
  for (let count = 0; count < 3; count++) expect(await verdict("transfer")).toBe("");
  for (const way of ["transfer", "fire", "request now"] as const)
    expect(await verdict(way)).toBe("waits: rate_limited");
  await clock.advance(59_999);
  expect(await verdict("transfer")).toBe("waits: rate_limited");
  await clock.advance(1);
  expect(await verdict("transfer")).toBe("");
});

test("numbers called for the first time are counted, also for transfers", async () => {
  const dials: readonly Way[] = ["request now", "fire", "transfer"];
  await expectRefused({ newNumbersPerHour: 0 }, "plan_limit_reached", dials);
  await expectRefused({ newNumbersPerHour: 1 }, "plan_limit_reached", []);
  const { begin, verdict } = world({ newNumbersPerHour: 1 });
  await begin("transfer", "+37061234568" as typeof TO);
  for (const way of dials) expect(await verdict(way)).toBe("plan_limit_reached");
});

test("spending is summed over a day, calls over a minute plus a minute for a clock that is ahead", async () => {
  const { clock, asked, begin } = world();
  await begin("fire");
  expect(asked.sort()).toEqual([
    ["fired", 1, clock.now() - 60_000, clock.now() + 60_000],
    ["load", clock.now() - 86_400_000],
  ]);
});

test("a request without money is refused; the due call holds its money itself", () =>
  expectRefused({ hasFunds: false }, "insufficient_balance", ["request now", "request later"]));

test("every way that dials follows the dialling rules", () =>
  expectRefused({ trunk: { callerId: null } }, "destination_not_allowed", [
    "request now",
    "request later",
    "fire",
    "transfer",
  ]));
