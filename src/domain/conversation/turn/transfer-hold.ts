/**
 * From the request for a transfer to the caller's hold, and back: the agent finishes the sentence it is
 * in, says nothing more, and `onHeld` comes once. What the LLM is told it said ends there.
 */

import type { TransferFailure } from "../call-report.ts";
import type { LlmSession } from "../engine-port.ts";
import { LAST_SENTENCE_MS_MAX } from "../limits.ts";
import type { AgentSide } from "./agent-side.ts";
import type { Overlap } from "./overlap.ts";
import { TALKING, type TurnMachine } from "./turn-taking.ts";
import type { OneShot } from "./turn-timers.ts";

interface TransferHoldOptions {
  readonly machine: TurnMachine;
  readonly agent: AgentSide;
  readonly overlap: Overlap;
  readonly llm: LlmSession;
  readonly timer: OneShot;
  readonly fadeMs: number;
  /** Keeps what the caller is saying. */
  readonly finishUtterance: () => void;
  readonly onHeld: () => void;
}

export class TransferHold {
  #waiting = false;

  constructor(private readonly options: TransferHoldOptions) {}

  /** The agent's last sentence is being said. */
  get waiting(): boolean {
    return this.#waiting;
  }

  begin(): void {
    const { machine, agent, overlap, timer } = this.options;
    overlap.forget();
    if (!TALKING.has(machine.state.name) || this.#waiting) return;
    this.#waiting = true;
    agent.forgetInputs();
    agent.keepToSentence();
    timer.arm(LAST_SENTENCE_MS_MAX, () => this.#hold());
    this.frame();
  }

  /** Once a frame: is the sentence said? */
  frame(): void {
    if (this.#waiting && this.options.agent.lastSentenceSaid) this.#hold();
  }

  /** The caller is back with the agent, who says why. */
  failed(cause: TransferFailure): void {
    const { machine, agent } = this.options;
    const { name } = machine.state;
    this.stop();
    if (name === "transferring" || name === "bridged") machine.apply({ type: "transfer_failed" });
    else if (name === "listening") machine.apply({ type: "respond" });
    else if (!TALKING.has(name)) return;
    agent.transferFailed(cause);
  }

  /** Caller and person talk; nobody else does. */
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
