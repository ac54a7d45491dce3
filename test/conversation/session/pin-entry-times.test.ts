/** How long each step of PIN entry may take, and how many digits a PIN has. */
import { expect, test } from "bun:test";
import { PinEntry } from "../../../src/conversation/session/pin-entry.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function world() {
  const clock = fakeClock();
  const told: unknown[] = [];
  const entry = new PinEntry({
    clock,
    audio: { muteCaller: (on: boolean) => void told.push(on ? "muted" : "heard") },
    say: () => true,
    stopPrompt: () => undefined,
    onActive: (on) => void told.push(on ? "active" : "over"),
    entered: (digits) => void told.push(digits),
  });
  /** Events after exactly `ms` milliseconds; one millisecond earlier there are none. */
  const after = async (ms: number) => {
    told.length = 0;
    await clock.advance(ms - 1);
    expect(told).toEqual([]);
    await clock.advance(1);
    return [...told];
  };
  return { entry, told, after };
}

test("the first key may take 25 s, each further key 10 s, the check 15 s, the last tone 0.6 s", async () => {
  const { entry, after } = world();
  entry.ask(false);
  expect(await after(25_000)).toEqual([null]);
  entry.ask(true);
  entry.digit("1");
  expect(await after(10_000)).toEqual([null]);
  expect(await after(15_000)).toEqual(["over"]);
  expect(entry.active).toBe(false);
  expect(await after(600)).toEqual(["heard"]);
});

test("a second question is part of the same entry", () => {
  const { entry, told } = world();
  entry.ask(false);
  entry.ask(true);
  expect(told.filter((word) => word === "active")).toHaveLength(1);
});

test("sixteen digits are accepted, * clears them, # alone has no effect", () => {
  const { entry, told } = world();
  entry.ask(false);
  for (const key of `9*${"12345678".repeat(2)}9#`) entry.digit(key);
  expect(told.at(-1)).toBe("1234567812345678");
  entry.ask(true);
  entry.digit("#");
  expect(told.at(-1)).toBeNull();
});
