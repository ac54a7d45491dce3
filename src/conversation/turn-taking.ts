/**
 * Who has the word: the guarded state machine of one conversation.
 *
 * ```
 *  idle ──answered──► listening ◄──────────────dismissed / nothing_to_say / agent_done──┐
 *    │                 │  │  ▲                                                          │
 *    │       caller_   │  │  └──────────┐ dismissed                                     │
 *    │       spoke     ▼  │ respond     │                                               │
 *    │        caller_speaking ──paused──► endpointing ──endpoint──► thinking ──────────►┤
 *    │            ▲  ▲    ▲                  │                       │    ▲             │
 *    │            │  │    └───caller_spoke───┘      caller_spoke     │    │ agent_waits │
 *    │            │  └────────────────────────────────────◄──────────┤    │             │
 *    │            └──────────interrupted────────────┐   agent_audio  ▼    │             │
 *    │                                              └────────── agent_speaking ─────────┘
 *    └─answered(agent first)─► thinking
 *  any ──close──► closing (last words; nobody interrupts) ──ended──► ended     any ──ended──► ended
 * ```
 *
 * | state | waits for | its timer (owner) |
 * |---|---|---|
 * | idle | the answer | none here: main's answer timeout |
 * | listening | the caller | idle prompt / silence time-out (silence.ts); resume (session.ts) |
 * | caller_speaking | a pause | UTTERANCE_MS_MAX (hearing.ts, in audio time) |
 * | endpointing | silence or more speech | endpointing silence (endpointing.ts, in audio time) |
 * | thinking | recognition, mind, voice or a tool | engine time-outs, hush (session.ts), filler and tool time-out (tool-calls.ts) |
 * | agent_speaking | the playout queue | bounded by the queue (agent-speech.ts) |
 * | closing | the last words | CLOSING_MS_MAX (session.ts) |
 *
 * The whole call's own timer, max duration, runs beside all states. `ended` absorbs everything.
 */
import type { EndedReason } from "../call/ended-reason.ts";
import { type MachineOptions, StateMachine, type Table } from "../core/state-machine.ts";

export type TurnState =
  | { readonly name: "idle" }
  | { readonly name: "listening" }
  | { readonly name: "caller_speaking" }
  | { readonly name: "endpointing" }
  | { readonly name: "thinking" }
  | { readonly name: "agent_speaking" }
  | { readonly name: "closing"; readonly reason: EndedReason }
  | { readonly name: "ended"; readonly reason: EndedReason };

export type TurnEvent =
  /** The call is answered; the agent or the caller has the first word. */
  | { readonly type: "answered"; readonly agentFirst: boolean }
  | { readonly type: "caller_spoke" }
  | { readonly type: "paused" }
  /** The silence was long enough: the caller has finished. */
  | { readonly type: "endpoint" }
  /** It was no speech, or nothing to answer. */
  | { readonly type: "dismissed" }
  /** The agent answers something other than speech: keys, a silent caller, a tool, itself. */
  | { readonly type: "respond" }
  | { readonly type: "nothing_to_say" }
  /** The first frame of the agent's words went out. */
  | { readonly type: "agent_audio" }
  /** All is played so far, and more is to come. */
  | { readonly type: "agent_waits" }
  | { readonly type: "agent_done" }
  | { readonly type: "interrupted" }
  /** Only last words from now on. */
  | { readonly type: "close"; readonly reason: EndedReason }
  | { readonly type: "ended"; readonly reason: EndedReason };

const to =
  <Name extends Exclude<TurnState["name"], "closing" | "ended">>(name: Name) =>
  (): TurnState => ({ name });
const closing = (_: TurnState, { reason }: { reason: EndedReason }): TurnState => ({
  name: "closing",
  reason,
});
const ended = (_: TurnState, { reason }: { reason: EndedReason }): TurnState => ({
  name: "ended",
  reason,
});
const stay = (state: TurnState): TurnState => state;

const WHILE_OPEN = { close: closing, ended };

const TABLE: Table<TurnState, TurnEvent> = {
  idle: {
    answered: (_, { agentFirst }) => ({ name: agentFirst ? "thinking" : "listening" }),
    ...WHILE_OPEN,
  },
  listening: {
    caller_spoke: to("caller_speaking"),
    respond: to("thinking"),
    ...WHILE_OPEN,
  },
  caller_speaking: {
    paused: to("endpointing"),
    endpoint: to("thinking"),
    dismissed: to("listening"),
    respond: to("thinking"),
    ...WHILE_OPEN,
  },
  endpointing: {
    caller_spoke: to("caller_speaking"),
    endpoint: to("thinking"),
    dismissed: to("listening"),
    respond: to("thinking"),
    ...WHILE_OPEN,
  },
  thinking: {
    respond: stay,
    caller_spoke: to("caller_speaking"),
    dismissed: to("listening"),
    nothing_to_say: to("listening"),
    agent_audio: to("agent_speaking"),
    ...WHILE_OPEN,
  },
  agent_speaking: {
    agent_waits: to("thinking"),
    agent_done: to("listening"),
    interrupted: to("caller_speaking"),
    respond: to("thinking"),
    ...WHILE_OPEN,
  },
  closing: {
    answered: stay,
    caller_spoke: stay,
    paused: stay,
    endpoint: stay,
    dismissed: stay,
    respond: stay,
    nothing_to_say: stay,
    agent_audio: stay,
    agent_waits: stay,
    agent_done: stay,
    interrupted: stay,
    close: stay,
    ended,
  },
  ended: {
    answered: stay,
    caller_spoke: stay,
    paused: stay,
    endpoint: stay,
    dismissed: stay,
    respond: stay,
    nothing_to_say: stay,
    agent_audio: stay,
    agent_waits: stay,
    agent_done: stay,
    interrupted: stay,
    close: stay,
    ended: stay,
  },
};

export type TurnMachine = StateMachine<TurnState, TurnEvent>;

export function createTurnMachine(options: MachineOptions<TurnState, TurnEvent> = {}): TurnMachine {
  return new StateMachine<TurnState, TurnEvent>("turn-taking", TABLE, { name: "idle" }, options);
}
