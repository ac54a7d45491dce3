/** A message is taken in four languages, even if nothing is understood. */
import { expect, test } from "bun:test";
import type { LlmEvent, LlmInput } from "../../../src/conversation/engine-port.ts";
import { MESSAGE_PHRASES } from "../../../src/engine/fallback/message-phrases.ts";
import { MessageTaker } from "../../../src/engine/fallback/message-taker.ts";
import { AGENT_LANGUAGES } from "../../../src/features/agent/agent.ts";

const said = (text: string): LlmInput => ({ type: "utterance", text, confidence: 0.9 });
const texts = (events: Iterable<LlmEvent>) =>
  [...events].flatMap((event) => (event.type === "text" ? [event.text] : []));

test.each(AGENT_LANGUAGES)(
  "apology, name, number, message, thanks and the end (%s)",
  (language) => {
    const phrases = MESSAGE_PHRASES[language];
    const taker = new MessageTaker(language, "+37061234567");
    expect(texts(taker.respond(said("When are you open?")))).toEqual([
      phrases.apology,
      phrases.askName,
    ]);
    expect(texts(taker.respond(said("Jonas")))).toEqual([phrases.askNumber]);
    expect(texts(taker.respond({ type: "digits", digits: "860000001#" }))).toEqual([
      phrases.askMessage,
    ]);
    const last = [...taker.respond(said("Please call me tomorrow"))];
    expect(texts(last)).toEqual([phrases.thanks]);
    expect(last.map(({ type }) => type)).toContain("end_call");
    const message = last.find((event) => event.type === "message");
    expect(message).toEqual({ type: "message", text: taker.text });
    for (const part of ["Jonas", "860000001#", "Please call me tomorrow"])
      expect(taker.text).toContain(part);
  },
);

test("unrecognised parts refer to the recording, and the caller ID replaces the number", () => {
  const taker = new MessageTaker("en", "+37061234567");
  for (const _ of ["", "", "", ""]) [...taker.respond(said(""))];
  expect(taker.text).toBe(
    "Name: spoken, see the recording. Call back: +37061234567. Message: spoken, see the recording",
  );
});

test("a silent caller is asked the same question again", () => {
  const taker = new MessageTaker("en", "");
  [...taker.respond(said("Hello"))];
  expect(texts(taker.respond({ type: "silence", count: 1 }))).toEqual([MESSAGE_PHRASES.en.askName]);
});

test.each([
  ["nothing", 0],
  ["half", 0.5],
  ["all", 1],
])("after an apology heard up to %s, the caller's words do not become a name", (_, share) => {
  const { apology, askName, askNumber } = MESSAGE_PHRASES.en;
  const taker = new MessageTaker("en", "");
  [...taker.respond(said("When are you"))];
  taker.truncateSpoken(apology.slice(0, apology.length * share));
  expect(texts(taker.respond(said("When are you open?")))).toEqual([apology, askName]);
  expect(texts(taker.respond(said("Jonas")))).toEqual([askNumber]);
});

test("an answer given before the end of a question counts", () => {
  const { apology, askName, askNumber, askMessage } = MESSAGE_PHRASES.en;
  const taker = new MessageTaker("en", "");
  [...taker.respond(said("When are you open?"))];
  taker.truncateSpoken(`${apology} I will take a message.`);
  expect(askName).toStartWith("I will take a message.");
  expect(texts(taker.respond(said("Jonas")))).toEqual([askNumber]);
  taker.truncateSpoken("On which");
  expect(texts(taker.respond(said("860000001")))).toEqual([askMessage]);
});

test("a name in two parts is joined if the next question was not heard", () => {
  const taker = new MessageTaker("en", "");
  [...taker.respond(said("Hello"))];
  [...taker.respond(said("Jonas"))];
  taker.truncateSpoken("");
  expect(texts(taker.respond(said("Jonas Petraitis")))).toEqual([MESSAGE_PHRASES.en.askNumber]);
  [...taker.respond(said("860000001"))];
  [...taker.respond(said("Call me"))];
  expect(taker.text).toStartWith("Name: Jonas Petraitis. Call back: 860000001.");
});
