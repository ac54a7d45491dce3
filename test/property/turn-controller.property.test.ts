/** Whatever caller, main process and engine do, a conversation ends, reports once and leaves no timer. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { EngineFailure, type LlmEvent } from "../../src/conversation/engine-port.ts";
import { callConfig, scriptedCall } from "../support/media/scripted-call.ts";

type Act =
  | { readonly do: "silence" | "speech"; readonly ms: number }
  | { readonly do: "says"; readonly text: string }
  | { readonly do: "key"; readonly key: string }
  | {
      readonly do:
        | "tool_result"
        | "break_ear"
        | "break_mind"
        | "say_and_end"
        | "lose_media"
        | "transfer_begin"
        | "transfer_failed"
        | "speech_restored";
    };

const act: fc.Arbitrary<Act> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant("silence" as const), ms: fc.nat(9_000) }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant("speech" as const), ms: fc.nat(2_000) }), weight: 4 },
  {
    arbitrary: fc.record({
      do: fc.constant("says" as const),
      text: fc.constantFrom("", "mhm", "yes", "book a table", "I want to", "goodbye"),
    }),
    weight: 6,
  },
  fc.record({ do: fc.constant("key" as const), key: fc.constantFrom("1", "0", "#", "*") }),
  fc.record({ do: fc.constant("tool_result" as const) }),
  fc.record({ do: fc.constantFrom("break_ear" as const, "break_mind" as const) }),
  fc.record({ do: fc.constantFrom("say_and_end" as const, "lose_media" as const) }),
  fc.record({
    do: fc.constantFrom(
      "transfer_begin" as const,
      "transfer_failed" as const,
      "speech_restored" as const,
    ),
  }),
);

const ANSWERS: readonly (readonly LlmEvent[])[] = [
  [],
  [{ type: "text", text: "Certainly, at seven o'clock." }],
  [{ type: "tool_call", toolCallId: "t", tool: "book", arguments: {} }],
  [
    { type: "text", text: "Let me see." },
    { type: "tool_call", toolCallId: "t", tool: "book", arguments: {} },
  ],
  [{ type: "text", text: "Goodbye." }, { type: "end_call" }],
  [
    { type: "text", text: "One moment." },
    { type: "transfer", target: "desk" },
  ],
  [{ type: "tool_call", toolCallId: "m", tool: "take_message", arguments: { message: "Hi" } }],
  [{ type: "tool_call", toolCallId: "x", tool: "transfer_call", arguments: { to: "desk" } }],
  [
    { type: "text", text: "Bye." },
    { type: "tool_call", toolCallId: "e", tool: "end_call", arguments: {} },
  ],
  [
    { type: "expect", answer: "yes_no" },
    { type: "text", text: "Shall I?" },
  ],
];

test("with any events, a conversation ends with at most one request, one report and no timer", async () => {
  const settings = fc.record({
    acts: fc.array(act, { maxLength: 12 }),
    answers: fc.array(fc.nat(ANSWERS.length - 1), { minLength: 1, maxLength: 5 }),
    agentFirst: fc.boolean(),
    outbound: fc.boolean(),
    leaveMessage: fc.boolean(),
    earlyStart: fc.boolean(),
    llmTakesMs: fc.constantFrom(0, 0, 900, 3_000),
  });
  await fc.assert(
    fc.asyncProperty(settings, async ({ acts, answers, llmTakesMs, earlyStart, ...kind }) => {
      const config = callConfig({
        firstSpeaker: kind.agentFirst ? "assistant" : "customer",
        voicemailAction: kind.leaveMessage ? "leave_message" : "hangup",
        maxDurationSeconds: 60,
      });
      const direction = kind.outbound ? "outbound" : "inbound";
      const call = await scriptedCall({
        config: { ...config, direction },
        settings: { transferTargets: { desk: "sip:desk@example.com" } },
        earlyStart,
      });
      let turn = 0;
      call.script.llmTakesMs = llmTakesMs;
      call.script.answers = () => [...(ANSWERS[answers[turn++ % answers.length] ?? 0] ?? [])];
      await call.answerAndGreet();
      for (const step of acts) await perform(call, step);
      await call.silence(95_000);
      expect(call.hangupRequested()).not.toBeNull();
      expect(call.messages.filter((message) => message.type === "hangup_requested")).toHaveLength(
        1,
      );
      const report = await call.session.close("caller_hangup");
      expect(call.session.turn.name).toBe("ended");
      expect(report.turns.map((each) => each.index)).toEqual(report.turns.map((_, i) => i));
      expect(report.turns.every((each) => each.startMs <= each.endMs)).toBe(true);
      expect(call.illegalEvents).toEqual([]);
      expect(call.clock.pendingTimers).toBe(0);
    }),
    { numRuns: 60 },
  );
}, 60_000);

async function perform(call: Awaited<ReturnType<typeof scriptedCall>>, step: Act): Promise<void> {
  switch (step.do) {
    case "silence":
      return await call.silence(step.ms);
    case "speech":
      return await call.speech(step.ms);
    case "says":
      return await call.says(step.text);
    case "key":
      return call.audio.press(step.key);
    case "tool_result":
      return call.session.toolResult({
        toolCallId: "t",
        ok: true,
        httpStatus: 200,
        durationMs: 5,
        output: "ok",
      });
    case "break_ear":
      call.script.recognises.unshift(new EngineFailure("stt", "scripted"));
      break;
    case "break_mind":
      call.script.llmFails = new EngineFailure("llm", "scripted");
      break;
    case "say_and_end":
      return call.session.sayAndEnd("We must stop here.", "balance_exhausted");
    case "lose_media":
      return call.audio.loseMedia();
    case "transfer_begin":
      return call.session.transferBegin();
    case "transfer_failed":
      return call.session.transferFailed("busy");
    case "speech_restored":
      return call.session.speechRestored();
  }
}
