/**
 * From the request for a transfer to the caller's hold, and back. The agent finishes its current sentence and
 * says nothing more; then `onHeld` is called once. The LLM's history ends with that sentence.
 */

import type { TransferFailure } from "../call-report.ts";
import type { LlmSession } from "../engine-port.ts";
import { LAST_SENTENCE_MS_MAX } from "../limits.ts";
import type { AgentSide } from "./agent-side.ts";
import type { BargeIn } from "./barge-in.ts";
import { TALKING, type TurnMachine } from "./turn-taking.ts";
import type { OneShot } from "./turn-timers.ts";

interface TransferHoldOptions {
  readonly machine: TurnMachine;
  readonly agent: AgentSide;
  readonly bargeIn: BargeIn;
  readonly llm: LlmSession;
  readonly timer: OneShot;
  readonly fadeMs: number;
  /** Saves the caller's running utterance. */
  readonly finishUtterance: () => void;
  readonly onHeld: () => void;
}

export class TransferHold {
  #waiting = false;

  constructor(private readonly options: TransferHoldOptions) {}

  /** True while the agent finishes its last sentence. */
  get waiting(): boolean {
    return this.#waiting;
  }

  begin(): void {
    const { machine, agent, bargeIn, timer } = this.options;
    bargeIn.forget();
    if (!TALKING.has(machine.state.name) || this.#waiting) return;
    this.#waiting = true;
    agent.forgetInputs();
    agent.keepToSentence();
    timer.arm(LAST_SENTENCE_MS_MAX, () => this.#hold());
    this.frame();
  }

  /** Called once per frame: checks if the sentence is finished. */
  frame(): void {
    if (this.#waiting && this.options.agent.lastSentenceSaid) this.#hold();
  }

  /** The caller is back with the agent, who explains why. */
  failed(cause: TransferFailure): void {
    const { machine, agent } = this.options;
    const { name } = machine.state;
    this.stop();
    if (name === "transferring" || name === "bridged") machine.apply({ type: "transfer_failed" });
    else if (name === "listening") machine.apply({ type: "respond" });
    else if (!TALKING.has(name)) return;
    agent.transferFailed(cause);
  }

  /** Caller and person talk; the agent is silent. */
  bridged(): void {
    const { machine } = this.options;
    if (machine.state.name === "transferring") machine.apply({ type: "bridged" });
  }

  stop(): void {
    this.#waiting = false;
    this.options.timer.cancel();
  }

  #hold(): void {
    const { machine, agent, llm, fadeMs, finishUtterance, onHeld } = this.options;
    if (!this.#waiting || !TALKING.has(machine.state.name)) return;
    this.stop();
    finishUtterance();
    const { playedLlmText, cut, playedMs } = agent.stop(fadeMs);
    if (cut && playedLlmText !== null) llm.truncateSpoken(playedLlmText, playedMs);
    machine.apply({ type: "transfer" });
    onHeld();
  }
}
