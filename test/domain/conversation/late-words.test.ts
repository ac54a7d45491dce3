/** A recogniser that takes so long that "one moment" is said meanwhile: the caller's turn stays theirs. */
import { expect, test } from "bun:test";
import { scriptedCall } from "../../support/scripted-call.ts";

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
