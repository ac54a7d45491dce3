/** PIN checks: which callers are asked, how often, and the time limit. */
import { expect, test } from "bun:test";
import { verifyCaller } from "../../../src/call/live/verify-caller.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const CALLER = { tenantId: 1, callUuid: "c", number: "+37060000001", level: 1, trustedTrunk: true };

function world(keyed: (string | null)[], results: Record<string, string> = {}) {
  const clock = fakeClock();
  const sent: unknown[][] = [];
  let told: (event: { digits: string | null }) => void = () => {};
  const channel = {
    on(_name: string, listener: typeof told) {
      told = listener;
      return () => undefined;
    },
    send(...message: unknown[]) {
      sent.push(message);
      const digits = message[0] === "askPin" ? keyed.shift() : undefined;
      if (digits !== undefined) told({ digits });
    },
  };
  const pins = {
    mayTry: async () => true,
    check: async (_caller: object, digits: string) => results[digits] ?? "wrong",
  };
  type Arguments = Parameters<typeof verifyCaller>;
  const verify = (caller = {}, mayTry = true) =>
    verifyCaller(
      { clock, pins: { ...pins, mayTry: async () => mayTry } } as unknown as Arguments[0],
      { ...CALLER, ...caller } as Arguments[1],
      channel as unknown as Arguments[2],
    );
  return { clock, sent, verify };
}

test("only a caller known by number over a trusted trunk, with tries left, is asked", async () => {
  const { sent, verify } = world([]);
  expect(await verify({ level: 0 })).toBe(0);
  expect(await verify({ level: 2 })).toBe(2);
  expect(await verify({ trustedTrunk: false })).toBe(1);
  expect(await verify({}, false)).toBe(1);
  expect(sent).toEqual([]);
});

test("a wrong PIN is asked for again, a right one gives level 2, no input gives level 1", async () => {
  const right = world(["1111", "1234"], { 1234: "right" });
  expect(await right.verify()).toBe(2);
  expect(right.sent).toEqual([["askPin", false], ["askPin", true], ["pinDone"]]);
  expect(await world(["1111"], { 1111: "locked" }).verify()).toBe(1);
  expect(await world([null]).verify()).toBe(1);
});

test("a PIN entry times out after 90 seconds", async () => {
  const { clock, verify } = world([]);
  let level: number | null = null;
  void verify().then((reached) => {
    level = reached;
  });
  await Bun.sleep(0);
  await clock.advance(89_999);
  expect(level).toBeNull();
  await clock.advance(1);
  await Bun.sleep(0);
  expect(level as number | null).toBe(1);
});
