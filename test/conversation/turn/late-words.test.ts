/** A recogniser that is slow (so that "one moment" is spoken) or lost: the caller keeps the turn. */
import { expect, test } from "bun:test";
import { phrasesFor } from "../../../src/conversation/speech/phrases.ts";
import { scriptedCall } from "../../support/media/scripted-call.ts";

const AFTER_MS = [1_400, 1_800, 2_200, 2_600, 3_000, 3_400, 3_800];
test.each([
  ...AFTER_MS.map((ms) => [ms, "", ""] as const),
  ...AFTER_MS.map((ms) => [ms, "Friday.", "Friday."] as const),
])("after %p ms %p is answered, though a filler is playing", async (takesMs, recognised, asked) => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.sttTakesMs = takesMs;
  await call.says(recognised, 700);
  await call.silence(5_000);
  expect(call.inputs).toMatchObject([{ type: "utterance", text: asked }]);
  expect(call.spoken.at(-1)).toBe("All right.");
  expect(call.illegalEvents).toEqual([]);
});

const SAY_AGAIN = phrasesFor("en").sayAgain;

test("a caller whose words were lost with the recogniser is asked to repeat them", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.sttTakesMs = 2_000;
  await call.says("When are you open?");
  expect(call.session.turn.name).toBe("thinking");
  call.session.speechRestored();
  await call.silence(4_000);
  expect(call.turns().at(-1)?.text).toContain(SAY_AGAIN);
  expect([call.inputs, call.illegalEvents]).toEqual([[], []]);
});

test("a caller is not asked to repeat words without a loss", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.session.speechRestored();
  await call.silence(1_000);
  call.script.llmTakesMs = 2_000;
  await call.says("When are you open?");
  await call.silence(200);
  expect(call.session.turn.name).toBe("thinking");
  call.session.speechRestored();
  await call.silence(4_000);
  const said = call.turns().flatMap(({ speaker, text }) => (speaker === "agent" ? [text] : []));
  expect(said.join(" ")).not.toContain(SAY_AGAIN);
  expect(said.at(-1)).toContain("All right.");
});

test("a caller already speaking again when the recogniser returns is asked after they have finished", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.script.sttTakesMs = 2_000;
  await call.says("When are you open?");
  await call.speech(400);
  expect(call.session.turn.name).toBe("caller_speaking");
  call.session.speechRestored();
  await call.speech(200);
  expect([call.session.turn.name, call.audio.queuedMs]).toEqual(["caller_speaking", 0]);
  await call.silence(4_000);
  expect(call.turns().at(-1)?.text).toBe(SAY_AGAIN);
  expect([call.inputs, call.illegalEvents]).toEqual([[], []]);
});
