/** The caller's side of a rehearsal by telephone: when it recognises an answer, and how long it waits. */
import { expect, test } from "bun:test";
import type { Clock } from "../../src/core/clock.ts";
import type { PhoneCall } from "../../src/demo/phone/phone-call.ts";
import { PhoneLine } from "../../src/demo/rehearsal/phone-line.ts";

/** A line on a fake clock; the agent made its last sound at `soundAt`. */
function world() {
  const at = { now: 0, sound: Number.NEGATIVE_INFINITY, tool: false };
  const turns: { text: string; startMs: number }[] = [];
  const call = {
    hasEnded: false,
    get quietMs() {
      return at.now - at.sound;
    },
    say: async () => {
      at.now += 1_000;
    },
    press: async () => {},
  } as unknown as PhoneCall;
  const clock = { monotonic: () => at.now } as Clock;
  const line = new PhoneLine({ call, clock, toolRuns: () => at.tool, agentTurns: () => turns });
  const agentSays = (text: string, startMs: number, endMs: number) => {
    turns.push({ text, startMs });
    at.sound = endMs;
  };
  const waitsAt = (ms: number) => {
    at.now = ms;
    return line.agentWaits;
  };
  return { at, line, agentSays, waitsAt };
}

test("one moment, please is no answer: the caller waits until the turn is over", async () => {
  const { at, line, agentSays, waitsAt } = world();
  agentSays("Hello.", 0, 900);
  expect([waitsAt(1_900), waitsAt(2_000)]).toEqual([false, true]);
  await line.say("When are you open?");
  // A filler is heard; the turn it begins is not reported yet.
  at.sound = 5_000;
  expect(waitsAt(12_000)).toBe(false);
  agentSays("One moment, please. From nine to five.", 4_000, 14_000);
  expect([waitsAt(14_500), waitsAt(15_200)]).toEqual([false, true]);
});

test("who hears nothing for nine seconds speaks again; what a listener says changes nothing", async () => {
  const { at, line, agentSays, waitsAt } = world();
  agentSays("Hello.", 0, 900);
  at.now = 2_000;
  await line.say("mhm", "listener");
  expect(waitsAt(3_100)).toBe(true);
  await line.press("1");
  expect([waitsAt(12_000), waitsAt(12_200)]).toEqual([false, true]);
});

test("while a tool is asked the agent has not finished", async () => {
  const { at, agentSays, waitsAt } = world();
  agentSays("Hello.", 0, 900);
  at.tool = true;
  expect(waitsAt(20_000)).toBe(false);
  at.tool = false;
  expect(waitsAt(20_100)).toBe(true);
});
