/** Key 9 to opt out: only if the agent has offered it and asks for no other keys. */
import { expect, test } from "bun:test";
import type { LlmEvent } from "../../../src/conversation/engine-port.ts";
import { asksForKeys, offersOptOut } from "../../../src/conversation/opt-out/opt-out.ts";
import { callConfig, scriptedCall } from "../../support/media/scripted-call.ts";

const text = (value: string): LlmEvent => ({ type: "text", text: value });

test("an offer of key 9 is distinguished in four languages from other uses of it", () => {
  for (const offer of [
    "Press 9 if you do not want to be called again.",
    "If you don’t want to be called again, press nine.",
    "No more calls? Press 9.",
    "To opt out, press 9 at any time.",
    "Jei nenorite daugiau skambučių, spauskite 9.",
    "Paspauskite devynis ir daugiau jums neskambinsime.",
    "Ja nevēlaties, lai jums zvana, nospiediet 9.",
    "Nospiediet deviņi, un mēs jums vairs nezvanīsim.",
    "Если не хотите, чтобы вам звонили, нажмите 9.",
    "Нажмите девять, и мы больше не будем вам звонить.",
  ])
    expect([offer, offersOptOut(offer), asksForKeys(offer)]).toEqual([offer, true, false]);
  for (const other of [
    "Rate us from 1 to 9, please: press 9 for excellent.",
    "Press 19 if you do not want to be called again.",
    "We will not call you again.",
    "Please key in your customer number.",
    "Įvertinkite mus nuo 1 iki 9.",
    "Novērtējiet mūs no 1 līdz 9.",
    "Оцените нас от 1 до 9.",
    "We are open until nine and do not call after that.",
  ])
    expect([other, offersOptOut(other)]).toEqual([other, false]);
});

const keysOf = (call: Awaited<ReturnType<typeof scriptedCall>>) =>
  call.messages.flatMap((message) =>
    message.type === "digit_received" ? [[message.digit, message.optsOut]] : [],
  );
const OFFER = "Hello. Press 9 if you do not want to be called again.";

test("without an offer, key 9 has no special meaning", async () => {
  const call = await scriptedCall();
  await call.answerAndGreet();
  call.audio.press("9");
  expect(keysOf(call)).toEqual([["9", false]]);
});

test("an offered 9 opts out, also while the offer is being spoken; other keys do not", async () => {
  const call = await scriptedCall({ config: callConfig({ firstMessage: OFFER }) });
  await call.session.prepare();
  call.session.answered();
  await call.silence(1_000);
  call.audio.press("8");
  await call.silence(3_000);
  call.audio.press("9");
  expect(keysOf(call)).toEqual([
    ["8", false],
    ["9", true],
  ]);
});

test("a nine within a number, a rating or a PIN does not opt out; afterwards the offer is valid again", async () => {
  const call = await scriptedCall({ config: callConfig({ firstMessage: OFFER }) });
  await call.session.prepare();
  call.session.answered();
  await call.silence(4_000);
  for (const key of "19#") call.audio.press(key);
  call.script.answers = () => [text("Thank you."), text("How do you rate us, from 1 to 9?")];
  await call.says("Go on.");
  await call.silence(5_000);
  call.script.answers = () => [text("Thank you very much.")];
  call.audio.press("9");
  await call.silence(5_000);
  call.session.askPin(false);
  call.audio.press("9");
  call.session.pinDone();
  await call.says("What now?");
  await call.silence(3_000);
  call.audio.press("9");
  expect(keysOf(call)).toEqual([
    ["1", false],
    ["9", false],
    ["#", false],
    ["9", false],
    ["9", true],
  ]);
});

test("key 9 pressed for a person after a transfer does not opt out", async () => {
  const call = await scriptedCall({ config: callConfig({ firstMessage: OFFER }) });
  await call.session.prepare();
  call.session.answered();
  await call.silence(4_000);
  call.session.transferBegin();
  await call.silence(1_000);
  call.audio.press("9");
  expect(keysOf(call)).toEqual([["9", false]]);
});
