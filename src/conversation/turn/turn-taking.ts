/**
 * Turn-taking: the guarded state machine of one conversation.
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
 *    ├─answered(agent first)─► thinking
 *    └─answered(screened)────► screening ──person──► thinking     (outbound call, see answering-machine-detection/)
 *  any talking state ──machine──► screening (waits for the beep)
 *  any but idle ──transfer──► transferring ──bridged──► bridged (two people talk)
 *                                  └──transfer_failed──┬──────┘ (the person hung up meanwhile)
 *                                                      └──► thinking (the agent says why)
 *  any ──close──► closing (last words; nobody interrupts) ──ended──► ended     any ──ended──► ended
 * ```
 *
 * | state | waits for | its timer (owner) |
 * |---|---|---|
 * | idle | the answer | none here: main's answer timeout |
 * | listening | the caller | idle prompt / silence time-out (silence.ts); resume (turn-timers.ts) |
 * | caller_speaking | a pause | UTTERANCE_MS_MAX (utterance-segmenter.ts, in audio time) |
 * | endpointing | silence or more speech | endpointing silence (endpointing.ts, in audio time) |
 * | thinking | recognition, LLM, TTS or a tool | engine time-outs (utterance-segmenter.ts, responder.ts, agent-speech.ts), filler and tool time-out (tool-calls.ts) |
 * | agent_speaking | the playout queue | bounded by the queue (agent-speech.ts) |
 * | screening | who answers; a machine's beep | result 10 s, beep 25 s (answering-machine-detection/, in audio time) |
 * | transferring | the carrier or the person | main's (REFER 40 s, ring timeout); it always answers |
 * | bridged | a hang-up | RTP time-outs of both legs, main's money |
 * | closing | the last words | CLOSING_MS_MAX (closing-message.ts) |
 *
 * The timer for the maximum call length runs in all states. `ended` ignores all events.
 */
import type { EndedReason } from "../../core/ended-reason.ts";
import { type MachineOptions, StateMachine, type Table } from "../../core/state-machine.ts";

export type TurnState =
  | { readonly name: "idle" }
  | { readonly name: "listening" }
  | { readonly name: "caller_speaking" }
  | { readonly name: "endpointing" }
  | { readonly name: "thinking" }
  | { readonly name: "agent_speaking" }
  | { readonly name: "screening" }
  | { readonly name: "transferring" }
  | { readonly name: "bridged" }
  | { readonly name: "closing"; readonly reason: EndedReason }
  | { readonly name: "ended"; readonly reason: EndedReason };

/** States in which agent and caller talk to each other. */
export const TALKING: ReadonlySet<TurnState["name"]> = new Set([
  "listening",
  "caller_speaking",
  "endpointing",
  "thinking",
  "agent_speaking",
  "screening",
] as const);

export type TurnEvent =
  /** The call is answered; the agent or the caller speaks first. */
  | { readonly type: "answered"; readonly agentFirst: boolean; readonly screened?: boolean }
  /** A person answered our call; the agent's turn. */
  | { readonly type: "person" }
  /** A machine answered our call. */
  | { readonly type: "machine" }
  | { readonly type: "caller_spoke" }
  | { readonly type: "paused" }
  /** The silence was long enough: the caller has finished. */
  | { readonly type: "endpoint" }
  /** The sound was noise, or needs no answer. */
  | { readonly type: "dismissed" }
  /** The agent speaks for a reason other than speech: keys, a silent caller, a tool, itself. */
  | { readonly type: "respond" }
  | { readonly type: "nothing_to_say" }
  /** The first frame of the agent's words was sent. */
  | { readonly type: "agent_audio" }
  /** All queued audio is played, and more will follow. */
  | { readonly type: "agent_waits" }
  | { readonly type: "agent_done" }
  | { readonly type: "interrupted" }
  /** The caller is on hold while main calls the person. */
  | { readonly type: "transfer" }
  | { readonly type: "transfer_failed" }
  | { readonly type: "bridged" }
  /** From now on only last words are said. */
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
const WHILE_TALKING = {
  ...WHILE_OPEN,
  transfer: to("transferring"),
  machine: to("screening"),
};

/** Events that have no effect after the conversation between agent and caller. */
const NOBODY_ASKS = {
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
  transfer: stay,
  person: stay,
  machine: stay,
};

const TABLE: Table<TurnState, TurnEvent> = {
  idle: {
    answered: (_, { agentFirst, screened }) => {
      if (screened) return { name: "screening" };
      return { name: agentFirst ? "thinking" : "listening" };
    },
    ...WHILE_OPEN,
  },
  screening: {
    ...NOBODY_ASKS,
    transfer: to("transferring"),
    person: to("thinking"),
    ...WHILE_OPEN,
  },
  listening: {
    caller_spoke: to("caller_speaking"),
    respond: to("thinking"),
    ...WHILE_TALKING,
  },
  caller_speaking: {
    paused: to("endpointing"),
    endpoint: to("thinking"),
    dismissed: to("listening"),
    respond: to("thinking"),
    ...WHILE_TALKING,
  },
  endpointing: {
    caller_spoke: to("caller_speaking"),
    endpoint: to("thinking"),
    dismissed: to("listening"),
    respond: to("thinking"),
    ...WHILE_TALKING,
  },
  thinking: {
    respond: stay,
    caller_spoke: to("caller_speaking"),
    dismissed: to("listening"),
    nothing_to_say: to("listening"),
    agent_audio: to("agent_speaking"),
    ...WHILE_TALKING,
  },
  agent_speaking: {
    agent_waits: to("thinking"),
    agent_done: to("listening"),
    interrupted: to("caller_speaking"),
    respond: to("thinking"),
    ...WHILE_TALKING,
  },
  transferring: {
    ...NOBODY_ASKS,
    transfer_failed: to("thinking"),
    bridged: to("bridged"),
    ...WHILE_OPEN,
  },
  bridged: {
    ...NOBODY_ASKS,
    // The person hung up as the bridge closed, before main received `bridged`.
    transfer_failed: to("thinking"),
    bridged: stay,
    ...WHILE_OPEN,
  },
  closing: {
    ...NOBODY_ASKS,
    answered: stay,
    transfer_failed: stay,
    bridged: stay,
    close: stay,
    ended,
  },
  ended: {
    ...NOBODY_ASKS,
    answered: stay,
    transfer_failed: stay,
    bridged: stay,
    close: stay,
    ended: stay,
  },
};

export type TurnMachine = StateMachine<TurnState, TurnEvent>;

export function createTurnMachine(options: MachineOptions<TurnState, TurnEvent> = {}): TurnMachine {
  return new StateMachine<TurnState, TurnEvent>("turn-taking", TABLE, { name: "idle" }, options);
}
