/** Whatever a caller says, presses or omits, the embedded engine says or does something. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { LlmInput } from "../../src/conversation/engine-port.ts";
import { systemClock } from "../../src/core/clock.ts";
import { seededRandom } from "../../src/core/random.ts";
import { createScriptedSession } from "../../src/engine/embedded/scripted/scripted-session.ts";
import { markdown, topicsHere } from "../support/engine/topics-here.ts";
import { CLINIC_KNOWLEDGE } from "../support/speech/dental-clinic.ts";

const said = fc.constantFrom(
  "yes",
  "no",
  "goodbye",
  "repeat that please",
  "i want to speak to a human",
  "take a message",
  "cancel",
  "how much is a filling",
  "book a table",
  "tomorrow",
  "да",
  "",
);

const input: fc.Arbitrary<LlmInput> = fc.oneof(
  fc.record({
    type: fc.constant("utterance" as const),
    text: fc.oneof(said, fc.string()),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ type: fc.constant("digits" as const), digits: fc.stringMatching(/^[0-9*#]{1,12}$/) }),
  fc.record({ type: fc.constant("silence" as const), count: fc.integer({ min: 1, max: 3 }) }),
);

test("every input is answered, and every response ends with done", async () => {
  const tool = {
    name: "book_table",
    description: "Books a table.",
    parameters: { type: "object", required: ["day"], properties: { day: { type: "string" } } },
  };
  const knowledge = markdown(CLINIC_KNOWLEDGE);
  const askTopics = topicsHere();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("en" as const, "lt" as const, "lv" as const, "ru" as const),
      fc.array(input, { maxLength: 12 }),
      async (language, inputs) => {
        const agent = createScriptedSession({
          settings: {},
          subject: { callId: "c", language, tools: [tool], knowledge, memory: null },
          askTopics,
          clock: systemClock,
          random: seededRandom(1),
        });
        for (const next of inputs) {
          const signal = new AbortController().signal;
          const events = await Array.fromAsync(agent.respond(next, signal));
          expect(events.at(-1)?.type).toBe("done");
          expect(events.some((event) => event.type === "text" && event.text !== "")).toBe(true);
        }
        const end = { reason: "caller_hangup", durationSeconds: 10 };
        expect((await agent.summarize(end)).text.length).toBeGreaterThan(10);
      },
    ),
    { numRuns: 60 },
  );
}, 30_000);
