/** Audio between two people on a bridge: their own sample rates, and a short queue. */
import { expect, test } from "bun:test";
import { TransferBridge } from "../../../src/conversation/session/transfer-bridge.ts";
import { silentLog } from "../../../src/core/log.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { ScriptedAudio } from "../../support/media/scripted-call.ts";

async function answered(personRateHz: number) {
  const [caller, person] = [new ScriptedAudio(), new ScriptedAudio()];
  const clock = fakeClock();
  Object.assign(person, { sampleRateHz: personRateHz });
  const heard: Int16Array[] = [];
  const keys: string[] = [];
  person.play = (pcm) => heard.push(pcm) > 0;
  person.sendDigits = (digits) => void keys.push(digits);
  const bridge = new TransferBridge({
    caller,
    clock,
    log: silentLog,
    onTimeout: () => undefined,
    openAudio: async () => person,
  });
  await bridge.open();
  return { bridge, caller, person, heard, keys, clock };
}

async function bridged(personRateHz: number) {
  const both = await answered(personRateHz);
  both.bridge.callerDigit("1"); // not yet joined
  await both.bridge.join(null);
  return both;
}
const FRAME = new Int16Array(160).fill(1_000);

test("audio of the same rate is passed on unchanged, of another it is resampled", async () => {
  const same = await bridged(8_000);
  same.bridge.callerFrame(FRAME);
  expect(same.heard).toEqual([FRAME]);
  const other = await bridged(16_000);
  for (let frame = 0; frame < 10; frame++) other.bridge.callerFrame(FRAME);
  const samples = other.heard.reduce((sum, pcm) => sum + pcm.length, 0);
  expect(samples).toBeGreaterThan(2_800);
  expect(samples).toBeLessThanOrEqual(3_200);
});

test("at most 60 ms are queued for a person, and keys pass once both are joined", async () => {
  const { bridge, person, heard, keys } = await bridged(8_000);
  person.queuedMs = 60;
  bridge.callerFrame(FRAME);
  person.queuedMs = 61;
  bridge.callerFrame(FRAME);
  expect(heard).toHaveLength(1);
  bridge.callerDigit("2");
  expect(keys).toEqual(["2"]);
});

test("both are joined when the person has heard the complete announcement, and not before", async () => {
  const { bridge, caller, person, heard, clock } = await answered(8_000);
  async function* announcement() {
    yield FRAME;
  }
  person.queuedMs = 20;
  const joined = bridge.join(announcement());
  await clock.advance(1_000);
  expect(bridge.isBridged).toBe(false);
  bridge.callerFrame(FRAME);
  expect(heard.filter(({ length }) => length > 0)).toEqual([FRAME]); // the announcement alone
  expect(caller.queuedMs).toBeGreaterThan(0); // the ringing tone
  person.queuedMs = 0;
  await clock.advance(50);
  await joined;
  expect(bridge.isBridged).toBe(true);
  expect(caller.queuedMs).toBe(0);
});

test("an announcement that exceeds its time limit does not prevent the join", async () => {
  const { bridge, person, clock } = await answered(8_000);
  person.queuedMs = 20;
  const joined = bridge.join((async function* () {})());
  await clock.advance(29_999);
  expect(bridge.isBridged).toBe(false);
  await clock.advance(1);
  await joined;
  expect(bridge.isBridged).toBe(true);
});
