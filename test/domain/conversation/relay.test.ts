/** What two people on a bridge hear of each other: their own rates, and nothing that waits too long. */
import { expect, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { TransferBridge } from "../../../src/domain/conversation/transfer-bridge.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { ScriptedAudio } from "../../support/scripted-call.ts";

async function bridged(personRateHz: number) {
  const [caller, person] = [new ScriptedAudio(), new ScriptedAudio()];
  Object.assign(person, { sampleRateHz: personRateHz });
  const heard: Int16Array[] = [];
  const keys: string[] = [];
  person.play = (pcm) => heard.push(pcm) > 0;
  person.sendDigits = (digits) => void keys.push(digits);
  const bridge = new TransferBridge({
    ...{ caller, clock: fakeClock(), log: silentLog, onTimeout: () => undefined },
    openAudio: async () => person,
  });
  await bridge.open();
  bridge.callerDigit("1"); // not yet joined
  await bridge.join(null);
  return { bridge, person, heard, keys };
}
const FRAME = new Int16Array(160).fill(1_000);

test("audio of the same rate is passed on as it is, of another it is resampled", async () => {
  const same = await bridged(8_000);
  same.bridge.callerFrame(FRAME);
  expect(same.heard).toEqual([FRAME]);
  const other = await bridged(16_000);
  for (let frame = 0; frame < 10; frame++) other.bridge.callerFrame(FRAME);
  const samples = other.heard.reduce((sum, pcm) => sum + pcm.length, 0);
  expect(samples).toBeGreaterThan(2_800);
  expect(samples).toBeLessThanOrEqual(3_200);
});

test("no more than 60 ms wait for a person, and keys pass once both are joined", async () => {
  const { bridge, person, heard, keys } = await bridged(8_000);
  person.queuedMs = 60;
  bridge.callerFrame(FRAME);
  person.queuedMs = 61;
  bridge.callerFrame(FRAME);
  expect(heard).toHaveLength(1);
  bridge.callerDigit("2");
  expect(keys).toEqual(["2"]);
});
