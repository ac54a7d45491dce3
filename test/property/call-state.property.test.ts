import { expect, test } from "bun:test";
import fc from "fast-check";
import { endingByUs } from "../../src/call/ending.ts";
import { type CallEvent, createCallMachine } from "../../src/call/state.ts";

const event: fc.Arbitrary<CallEvent> = fc.oneof(
  fc.constant<CallEvent>({ type: "fire" }),
  fc.constant<CallEvent>({ type: "ring" }),
  fc.constant<CallEvent>({ type: "confirm" }),
  fc.constant<CallEvent>({ type: "report_answer" }),
  fc.constant<CallEvent>({ type: "return" }),
  fc.nat(1e6).map((ms): CallEvent => ({ type: "answer", atMs: ms, monotonicMs: ms })),
  fc.nat(1e6).map(
    (ms): CallEvent => ({
      type: "end",
      ending: endingByUs("failed", "interrupted"),
      monotonicMs: 1e6 + ms,
    }),
  ),
);

test("any sequence of events results in a legal state, and an ended call keeps its end", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("queued" as const, "dialing" as const, "ringing" as const),
      fc.array(event, { maxLength: 30 }),
      (initial, events) => {
        const machine = createCallMachine(initial, { onIllegal: () => undefined });
        let end: unknown = null;
        for (const next of events) {
          machine.apply(next);
          if (end) expect(machine.state).toBe(end as typeof machine.state);
          if (machine.state.name === "ended") {
            end = machine.state;
            expect(machine.state.answeredMs).toBeGreaterThanOrEqual(0);
          }
        }
      },
    ),
  );
});
