/** Prints turns as they happen, with the label of their call. */
import type { App } from "../app/app.ts";
import type { Unsubscribe } from "../core/emitter.ts";
import type { Terminal } from "./terminal.ts";

export interface LiveView {
  /** The call with this person; known after its first turn. */
  callUuidOf(personNumber: string): string | null;
  stop(): void;
}

/** `labels`: maps a person's number to the label of their call. */
export function showLive(
  app: App,
  terminal: Terminal,
  labels: ReadonlyMap<string, string>,
): LiveView {
  const uuids = new Map<string, string>();
  const unsubscribe: Unsubscribe = app.turns.on("turn", ({ call, turn }) => {
    const person = call.direction === "inbound" ? call.fromNumber : call.toNumber;
    uuids.set(person, call.callUuid);
    terminal.turn({
      label: labels.get(person) ?? person,
      atMs: turn.startMs,
      speaker: turn.speaker === "agent" ? "Agent" : "Customer",
      text: turn.text === "" ? "(not understood)" : turn.text,
      note: noteOf(turn),
    });
  });
  return { callUuidOf: (number) => uuids.get(number) ?? null, stop: () => void unsubscribe() };
}

function noteOf(turn: {
  readonly latencyMs: number | null;
  readonly interrupted: boolean;
}): string {
  const latency = turn.latencyMs === null ? "" : `  (after ${turn.latencyMs} ms)`;
  return latency + (turn.interrupted ? "  (interrupted)" : "");
}
