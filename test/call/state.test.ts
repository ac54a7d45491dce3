import { expect, test } from "bun:test";
import { endingAnswered, endingByUs, endingUnanswered } from "../../src/call/ending.ts";
import type { LegEnd } from "../../src/call/sip-port.ts";
import { createCallMachine, statusOf } from "../../src/call/state.ts";
import { IllegalTransition } from "../../src/core/state-machine.ts";

const legEnd = (kind: LegEnd["kind"], sipCode: number | null = null): LegEnd => ({
  by: "callee",
  kind,
  sipCode,
  fault: null,
  explanation: "said by the far end",
});

test("an answered call ends completed with the talk time of the monotonic clock", () => {
  const machine = createCallMachine("dialing");
  machine.apply({ type: "ring" });
  machine.apply({ type: "answer", atMs: 1_000, monotonicMs: 50 });
  machine.apply({ type: "confirm" });
  machine.apply({
    type: "end",
    ending: endingByUs("completed", "agent_hangup"),
    monotonicMs: 9_050.5,
  });
  expect(machine.state).toMatchObject({ name: "ended", answeredMs: 9_000.5 });
  expect(statusOf(machine.state)).toBe("completed");
});

test("an unanswered call has no talk time", () => {
  const machine = createCallMachine("ringing");
  machine.apply({ type: "end", ending: endingUnanswered(legEnd("busy", 486)), monotonicMs: 99 });
  expect(machine.state).toMatchObject({ name: "ended", answeredMs: 0 });
  expect(statusOf(machine.state)).toBe("busy");
});

test("an end state is final: a second end is illegal", () => {
  const machine = createCallMachine("queued");
  machine.apply({ type: "end", ending: endingByUs("cancelled", "cancelled"), monotonicMs: 0 });
  expect(() =>
    machine.apply({ type: "end", ending: endingByUs("failed", "interrupted"), monotonicMs: 0 }),
  ).toThrow(IllegalTransition);
  expect(statusOf(machine.state)).toBe("cancelled");
});

test("in production an illegal event is reported and dropped", () => {
  const seen: string[] = [];
  const machine = createCallMachine("queued", {
    onIllegal: (state, event) => seen.push(`${state.name}/${event.type}`),
  });
  expect(machine.apply({ type: "ring" })).toBe(false);
  expect(seen).toEqual(["queued/ring"]);
  expect(machine.state.name).toBe("queued");
});

test.each([
  ["busy", 486, "busy", "busy"],
  ["declined", 603, "failed", "declined"],
  ["no_answer", 408, "no_answer", "no_answer"],
  ["invalid_number", 404, "failed", "invalid_number"],
  ["unavailable", 503, "failed", "trunk_unavailable"],
  ["cancelled", 487, "cancelled", "cancelled"],
] as const)(
  "a leg that ends unanswered with %s (%d) ends the call %s/%s",
  (kind, code, status, reason) => {
    expect(endingUnanswered(legEnd(kind, code))).toMatchObject({ status, reason, sipCode: code });
  },
);

test("a BYE of the far end is a caller's hang-up; a lost session is lost media", () => {
  expect(endingAnswered(legEnd("bye"))).toMatchObject({
    status: "completed",
    reason: "caller_hangup",
  });
  expect(endingAnswered(legEnd("session_expired"))).toMatchObject({ reason: "media_lost" });
});

test("a call with an unacknowledged 2xx has no talk time", () => {
  const machine = createCallMachine("ringing");
  machine.apply({ type: "answer", atMs: 1_000, monotonicMs: 50 });
  const ending = endingUnanswered(legEnd("ack_missing", 200));
  machine.apply({ type: "end", ending, monotonicMs: 32_050 });
  expect(machine.state).toMatchObject({ name: "ended", answeredMs: 0 });
  expect(statusOf(machine.state)).toBe("failed");
});

test("an ACK received before the answer is stored counts", () => {
  const machine = createCallMachine("ringing");
  machine.apply({ type: "confirm" });
  machine.apply({ type: "answer", atMs: 1_000, monotonicMs: 50 });
  machine.apply({ type: "end", ending: endingByUs("completed", "agent_hangup"), monotonicMs: 90 });
  expect(machine.state).toMatchObject({ answeredMs: 40 });
});

test("the caller's level survives the question, the transfer and the call", () => {
  const machine = createCallMachine("ringing", {}, 1);
  machine.apply({ type: "answer", atMs: 0, monotonicMs: 0 });
  expect(machine.state).toMatchObject({ level: 1, asking: null, transfer: null });
  machine.apply({ type: "ask", asking: Promise.resolve(2 as const) });
  machine.apply({ type: "asked", level: 2 });
  expect(machine.state).toMatchObject({ level: 2, asking: null });
  const transfer = { isBridged: false, referral: null, callEnded: () => undefined };
  machine.apply({ type: "transfer", transfer });
  expect(machine.state).toMatchObject({ level: 2, transfer });
  machine.apply({ type: "return" });
  machine.apply({ type: "end", ending: endingByUs("completed", "agent_hangup"), monotonicMs: 9 });
  expect(machine.state).toMatchObject({ name: "ended", level: 2 });
});

test.each(["report_answer", "return"] as const)("%s is illegal before the answer", (type) => {
  expect(() => createCallMachine("ringing").apply({ type })).toThrow(IllegalTransition);
});

test("only an ACK acknowledges a call, and no answer is reported before", () => {
  const machine = createCallMachine("queued");
  for (const type of ["fire", "ring"] as const) machine.apply({ type });
  machine.apply({ type: "answer", atMs: 0, monotonicMs: 0 });
  expect(machine.state).toMatchObject({ confirmed: false, answerReported: false });
  machine.apply({ type: "confirm" });
  machine.apply({ type: "report_answer" });
  expect(machine.state).toMatchObject({ confirmed: true, answerReported: true });
});

test.each(["dialing", "ringing"] as const)("an ACK counts while a call is %s", (initial) => {
  const machine = createCallMachine(initial);
  machine.apply({ type: "confirm" });
  expect(machine.state).toMatchObject({ name: initial, confirmed: true });
});

test("every step has its next state, and no other", () => {
  const machine = createCallMachine("queued");
  const after = (event: Parameters<typeof machine.apply>[0]) => {
    machine.apply(event);
    return machine.state;
  };
  expect(after({ type: "fire" })).toEqual({ name: "dialing", confirmed: false, level: 0 });
  expect(after({ type: "ring" })).toEqual({ name: "ringing", confirmed: false, level: 0 });
  expect(after({ type: "ring" })).toEqual({ name: "ringing", confirmed: false, level: 0 });
  const talking = {
    name: "in_progress",
    answeredAtMs: 5,
    answeredMonotonicMs: 7,
    answerReported: false,
    asking: null,
    transfer: null,
    confirmed: false,
    level: 0,
  };
  expect(after({ type: "answer", atMs: 5, monotonicMs: 7 })).toEqual(talking as never);
  const reported = { ...talking, answerReported: true };
  expect(after({ type: "report_answer" })).toEqual(reported as never);
  expect(after({ type: "confirm" })).toEqual({ ...reported, confirmed: true } as never);
  for (const early of ["dialing", "ringing"] as const) {
    const confirmed = createCallMachine(early, {}, 1);
    confirmed.apply({ type: "confirm" });
    expect(confirmed.state).toEqual({ name: early, confirmed: true, level: 1 });
  }
});

test("an unacknowledged answer has no talk time, however long it was", () => {
  const machine = createCallMachine("ringing");
  machine.apply({ type: "answer", atMs: 1_000, monotonicMs: 50 });
  machine.apply({ type: "end", ending: endingByUs("failed", "interrupted"), monotonicMs: 950 });
  expect(machine.state).toMatchObject({ answeredMs: 0, sinceAnswerMs: 900, level: 0 });
});
