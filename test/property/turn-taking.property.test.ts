import { expect, test } from "bun:test";
import fc from "fast-check";
import { createTurnMachine, type TurnEvent } from "../../src/conversation/turn/turn-taking.ts";
import { IllegalTransition } from "../../src/core/state-machine.ts";

const reason = fc.constantFrom(
  "caller_hangup" as const,
  "agent_hangup" as const,
  "max_duration" as const,
);
const plain = fc.constantFrom(
  "caller_spoke" as const,
  "paused" as const,
  "endpoint" as const,
  "dismissed" as const,
  "respond" as const,
  "nothing_to_say" as const,
  "agent_audio" as const,
  "agent_waits" as const,
  "agent_done" as const,
  "interrupted" as const,
  "transfer" as const,
  "transfer_failed" as const,
  "bridged" as const,
  "person" as const,
  "machine" as const,
);
const anyEvent: fc.Arbitrary<TurnEvent> = fc.oneof(
  fc.boolean().map((agentFirst) => ({ type: "answered" as const, agentFirst })),
  { arbitrary: plain.map((type) => ({ type })), weight: 12 },
  reason.map((because) => ({ type: "close" as const, reason: because })),
  reason.map((because) => ({ type: "ended" as const, reason: because })),
);

test("after any sequence of events, however absurd, a conversation can still end", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
      const machine = createTurnMachine({ onIllegal: () => {} });
      for (const event of events) {
        const before = machine.state;
        const legal = machine.can(event.type);
        expect(machine.apply(event)).toBe(legal);
        if (!legal) expect(machine.state).toBe(before);
      }
      machine.apply({ type: "ended", reason: "caller_hangup" });
      expect(machine.state.name).toBe("ended");
    }),
  );
});

test("ended absorbs every event and keeps its first reason", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      const machine = createTurnMachine();
      machine.apply({ type: "ended", reason: "media_lost" });
      for (const event of events) machine.apply(event);
      expect(machine.state).toEqual({ name: "ended", reason: "media_lost" });
    }),
  );
});

test("the closing message is last: from closing only the end is reached", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      const machine = createTurnMachine();
      machine.apply({ type: "close", reason: "max_duration" });
      for (const event of events) machine.apply(event);
      const ended = events.some((event) => event.type === "ended");
      expect(machine.state.name).toBe(ended ? "ended" : "closing");
    }),
  );
});

test("an event without a meaning throws if nobody handles it", () => {
  const machine = createTurnMachine();
  expect(() => machine.apply({ type: "agent_done" })).toThrow(IllegalTransition);
});
