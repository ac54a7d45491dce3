/**
 * Controls whose turn it is: connects the caller's side (utterance-segmenter.ts, utterance-processor.ts), the
 * agent's side (agent-side.ts) and the tools by the turn machine (turn-taking.ts). These parts do not depend
 * on each other.
 *
 * Guarantees: nobody talks over the disclosure or the last words. An interruption never loses the answer to a
 * tool or a key. `onLastWordSaid` is called once, after the agent's last word was played. Driven by 20 ms
 * frames and the clock; `stop` ends both. session.ts owns the rest of the call (answer, maximum length,
 * recording, report).
 */
import type { EndedReason } from "../../core/ended-reason.ts";
import type { MediaDirection } from "../../core/media-plan.ts";
import { ANSWERING, type AnsweredBy } from "../answering-machine-detection/detector.ts";
import type { Screening } from "../answering-machine-detection/screening.ts";
import type { VoiceActivityDetector } from "../audio-port.ts";
import type { CallConfig } from "../call-config.ts";
import { withDeadline } from "../deadline.ts";
import { LAST_TEXT_TIMEOUT_MS, STOPPED_MS } from "../limits.ts";
import { OptOut } from "../opt-out/opt-out.ts";
import { SpokenOptOut } from "../opt-out/spoken-opt-out.ts";
import { EchoGuard } from "../speech/echo.ts";
import type { ToolCalls } from "../tools/tool-calls.ts";
import { AgentSide, type AgentSideOptions } from "./agent-side.ts";
import { screeningOf } from "./answered-call.ts";
import { BargeIn } from "./barge-in.ts";
import { ClosingMessage } from "./closing-message.ts";
import { DigitCollector } from "./digits.ts";
import { endpointingSilenceMs } from "./endpointing.ts";
import { PendingQuestions } from "./pending-questions.ts";
import { PreemptiveGeneration } from "./preemptive-generation.ts";
import { SilenceWatch } from "./silence.ts";
import { TransferHold } from "./transfer-hold.ts";
import {
  createTurnMachine,
  TALKING,
  type TurnEvent,
  type TurnMachine,
  type TurnState,
} from "./turn-taking.ts";
import { TurnTimers } from "./turn-timers.ts";
import { UtteranceProcessor } from "./utterance-processor.ts";
import { UtteranceSegmenter } from "./utterance-segmenter.ts";

type AgentSideWiring =
  | "echo"
  | "machine"
  | "callerSpeaks"
  | "recognising"
  | "onText"
  | "onFailure"
  | "onSilent";

interface TurnControllerOptions extends Omit<AgentSideOptions, AgentSideWiring> {
  readonly config: CallConfig;
  readonly vad: VoiceActivityDetector;
  readonly onLastWordSaid: (reason: EndedReason) => void;
  /** The agent's sentence is finished; the caller is on hold for a transfer. */
  readonly onHeld: () => void;
}

export class TurnController {
  readonly #machine: TurnMachine;
  readonly #echo: EchoGuard;
  readonly #agent: AgentSide;
  readonly #segmenter: UtteranceSegmenter;
  readonly #silence: SilenceWatch;
  readonly #digits: DigitCollector;
  readonly #timers: TurnTimers;
  readonly #bargeIn: BargeIn;
  readonly #preemptive: PreemptiveGeneration;
  /** Pending tool calls; their results arrive here. */
  readonly tools: ToolCalls;
  readonly transferHold: TransferHold;
  readonly closingMessage: ClosingMessage;

  readonly #utterances: UtteranceProcessor;
  readonly #pendingQuestions: PendingQuestions;
  readonly #optOut = new OptOut();
  readonly #spokenOptOut: SpokenOptOut;
  /** Screening of an outbound call; null for inbound calls. */
  readonly #screening: Screening | null;
  #framedAtMs = 0;

  constructor(private readonly options: TurnControllerOptions) {
    const { settings, audio, clock, log } = options;
    this.#machine = createTurnMachine({
      onIllegal: (state, event) =>
        log.warn("turn.illegal_event", { state: state.name, event: event.type }),
      onTransition: (from, to) => this.#onTransition(from, to),
    });
    this.#timers = new TurnTimers(clock);
    this.#echo = new EchoGuard(audio.sampleRateHz);
    this.#agent = new AgentSide({
      ...options,
      echo: this.#echo,
      machine: this.#machine,
      callerSpeaks: () => this.#segmenter.active,
      recognising: () => this.#utterances.pending,
      onText: (text) => this.#optOut.agentSaid(text),
      onFailure: (error) => this.closingMessage.engineFailed(error),
      onSilent: () => this.closingMessage.agentFellSilent(),
    });
    this.tools = this.#agent.tools;
    this.#segmenter = this.#makeSegmenter();
    this.#silence = this.#makeSilenceWatch();
    this.#pendingQuestions = new PendingQuestions({
      machine: this.#machine,
      agent: this.#agent,
      llm: options.engine.llm,
      transcript: options.transcript,
      clock,
      fadeMs: settings.bargeInFadeMs,
    });
    this.#bargeIn = this.#makeBargeIn();
    this.#preemptive = new PreemptiveGeneration({
      ...options,
      machine: this.#machine,
      agent: this.#agent,
      bargeIn: this.#bargeIn,
      segmenter: this.#segmenter,
      pendingQuestions: this.#pendingQuestions,
    });
    this.closingMessage = this.#makeClosingMessage();
    this.transferHold = this.#makeTransferHold();
    this.#spokenOptOut = this.#makeSpokenOptOut();
    this.#utterances = this.#makeUtteranceProcessor();
    this.#digits = new DigitCollector(
      clock,
      (digits) => {
        this.#segmenter.cancel();
        this.#bargeIn.forget();
        this.#pendingQuestions.numberEntered(digits);
      },
      () => this.#agent.protectedNow,
    );
    this.#screening = this.#makeScreening();
  }

  #makeSegmenter(): UtteranceSegmenter {
    const { audio, clock, engine, vad } = this.options;
    return new UtteranceSegmenter({
      vad,
      stt: engine.stt,
      sampleRateHz: audio.sampleRateHz,
      clock,
      endpointingMs: (partial) => this.#endpointingMs(partial),
      events: {
        began: () => this.#callerBegan(),
        quiet: () => this.#preemptive.quiet(),
        resumed: () => this.#preemptive.resumed(),
        paused: () => this.#applyIn(["caller_speaking"], { type: "paused" }),
        wentOn: () => this.#applyIn(["endpointing"], { type: "caller_spoke" }),
        words: () => {
          engine.llm.heardSoFar?.(this.#pendingQuestions.with(this.#segmenter.partial));
          this.#preemptive.wordsCame();
        },
        endpoint: (utterance) => this.#utterances.finished(utterance),
        dismissed: () => this.#applyIn(["caller_speaking", "endpointing"], { type: "dismissed" }),
      },
    });
  }

  #makeSilenceWatch(): SilenceWatch {
    const { settings, clock, activeLanguage } = this.options;
    return new SilenceWatch(settings, clock, {
      prompt: (count) => {
        if (this.#customerIsAwaited) this.#silence.start();
        else this.#agent.ask({ type: "silence", count });
      },
      timeout: () => {
        const goodbye = this.#customerIsAwaited ? "" : activeLanguage.phrases.silenceGoodbye;
        this.closingMessage.say(goodbye, "silence_timeout");
      },
    });
  }

  #makeBargeIn(): BargeIn {
    const { settings, activeLanguage, engine } = this.options;
    return new BargeIn({
      settings,
      activeLanguage,
      llm: engine.llm,
      machine: this.#machine,
      agent: this.#agent,
      echo: this.#echo,
      segmenter: this.#segmenter,
      retractQuestion: () => this.#pendingQuestions.retract(),
    });
  }

  #makeClosingMessage(): ClosingMessage {
    const { settings, activeLanguage, cached, log, onLastWordSaid } = this.options;
    return new ClosingMessage({
      machine: this.#machine,
      agent: this.#agent,
      timers: this.#timers,
      cached,
      activeLanguage,
      log,
      fadeMs: settings.bargeInFadeMs,
      onSaid: onLastWordSaid,
    });
  }

  #makeTransferHold(): TransferHold {
    const { settings, engine, onHeld } = this.options;
    return new TransferHold({
      machine: this.#machine,
      agent: this.#agent,
      bargeIn: this.#bargeIn,
      llm: engine.llm,
      timer: this.#timers.holding,
      fadeMs: settings.bargeInFadeMs,
      finishUtterance: () => this.#utterances.finishNow(),
      onHeld,
    });
  }

  #makeSpokenOptOut(): SpokenOptOut {
    const { config, activeLanguage, emit } = this.options;
    return new SpokenOptOut({
      applies: config.canOptOut ?? false,
      activeLanguage,
      ask: (text) => this.#agent.sayInstead(text, "yes_no"),
      say: (text) => this.#agent.sayInstead(text, "open"),
      sayAndEnd: (text) => this.closingMessage.say(text, "agent_hangup"),
      confirmed: () => emit({ type: "opted_out" }),
    });
  }

  #makeUtteranceProcessor(): UtteranceProcessor {
    const { config, settings, activeLanguage, usage } = this.options;
    return new UtteranceProcessor({
      settings,
      activeLanguage,
      usage,
      silence: this.#silence,
      machine: this.#machine,
      agent: this.#agent,
      segmenter: this.#segmenter,
      echo: this.#echo,
      bargeIn: this.#bargeIn,
      pendingQuestions: this.#pendingQuestions,
      optOut: this.#spokenOptOut,
      screening: () => this.#screening,
      greetsFirst: config.agent.firstSpeaker === "assistant",
      waits: () => this.transferHold.waiting,
      onFailure: (error) => this.closingMessage.engineFailed(error),
    });
  }

  #makeScreening(): Screening | null {
    return screeningOf({
      ...this.options,
      sampleRateHz: this.options.audio.sampleRateHz,
      machine: this.#machine,
      agent: this.#agent,
      segmenter: this.#segmenter,
      recognising: () => this.#utterances.pending,
      closingMessage: (text, reason) => this.closingMessage.say(text, reason),
    });
  }

  /** True while the agent waits for the customer to speak first. */
  get #customerIsAwaited(): boolean {
    const { config, transcript } = this.options;
    if (config.agent.firstSpeaker === "assistant") return false;
    return !transcript.turns.some(({ speaker }) => speaker === "customer");
  }

  get answeredBy(): AnsweredBy {
    return this.#screening?.answeredBy ?? "unknown";
  }

  get state(): TurnState {
    return this.#machine.state;
  }

  /** The call is answered. */
  start(): void {
    const { atOnce } = this.options.opening;
    const screened = this.#screening !== null;
    this.#machine.apply({ type: "answered", agentFirst: atOnce, screened });
    if (atOnce && !screened) this.#agent.greet({ byName: true });
  }

  /** Processes one 20 ms frame from the caller. */
  frame(pcm: Int16Array): void {
    const nowMs = this.options.clock.monotonic();
    if (nowMs - this.#framedAtMs > STOPPED_MS) this.#silence.restart();
    this.#framedAtMs = nowMs;
    this.#echo.receive(pcm, this.options.audio.playedMs);
    this.#agent.followPlayout();
    if (!TALKING.has(this.state.name)) return;
    if (this.transferHold.waiting) {
      this.transferHold.frame();
      return;
    }
    this.#segmenter.frame(pcm);
    this.#screening?.frame(pcm, this.#segmenter);
    if (this.#segmenter.active) this.#bargeIn.judge();
  }

  /** True if this key, pressed now, would refuse further calls. */
  optsOut(digit: string): boolean {
    const asked = this.#agent.expected === "digits" || this.#agent.expected === "keys";
    return !asked && !this.#digits.collecting && this.#optOut.isMeantBy(digit);
  }

  digit(digit: string): void {
    const { name } = this.state;
    if (!TALKING.has(name) || this.transferHold.waiting) return;
    this.#silence.callerActive();
    if (name === "agent_speaking" && !this.#agent.protectedNow) {
      this.#bargeIn.cut();
      this.#bargeIn.confirm();
      this.#machine.apply({ type: "dismissed" });
    }
    this.#digits.add(digit);
  }

  /** Asks for the PIN. Returns false if no question is possible now. */
  askPin(again: boolean): boolean {
    const { name } = this.state;
    if (!TALKING.has(name) || name === "screening" || this.transferHold.waiting) return false;
    const { pin } = this.options.activeLanguage.phrases;
    this.#digits.stop();
    this.#segmenter.cancel();
    this.#bargeIn.forget();
    if (name !== "agent_speaking") this.#machine.apply({ type: "respond" });
    this.#agent.sayPhrase(again ? pin.again : pin.ask);
    return true;
  }

  /** Cuts the question when the caller presses a key. */
  stopPromptForPin(): void {
    if (this.state.name === "agent_speaking" && !this.#agent.protectedNow)
      this.#agent.endTurn(this.options.settings.bargeInFadeMs);
  }

  /** Media direction from our side: all but `sendrecv` is a hold. */
  follow(direction: MediaDirection): void {
    this.#silence.hold(direction !== "sendrecv");
    this.closingMessage.setInaudible(direction === "recvonly" || direction === "inactive");
  }

  /**
   * STT and TTS are back after a failure: synthesises unfinished sentences again, and asks the caller to
   * repeat an unfinished utterance.
   */
  speechRestored(): void {
    this.#agent.retrySpeech();
    this.#utterances.restored();
  }

  /**
   * Stops everything immediately. Entered keys go into the transcript. So does the caller's last utterance if
   * it is recognised within a second.
   */
  async stop(reason: EndedReason): Promise<void> {
    if (this.state.name === "ended") return;
    this.#utterances.finishNow();
    this.#agent.stop(0);
    const digits = this.#digits.take();
    if (digits !== "") this.#pendingQuestions.recordKeys(digits);
    this.#machine.apply({ type: "ended", reason });
    const late = () => new Error("the caller's last words are not known in time");
    const { clock } = this.options;
    await withDeadline(clock, this.#utterances.latest, LAST_TEXT_TIMEOUT_MS, late).catch(() => {});
    if (this.answeredBy !== "machine") this.#spokenOptOut.callEnds();
  }

  #endpointingMs(partial: string): number {
    const { settings, activeLanguage, engine } = this.options;
    if (this.state.name === "screening") return ANSWERING.afterGreetingMs;
    return endpointingSilenceMs(settings, activeLanguage.language, {
      expected: this.#agent.expected,
      askedForDictation: this.#agent.askedForDictation,
      partial,
      sttReportsPartials: engine.stt.capabilities.partials,
    });
  }

  #callerBegan(): void {
    this.#utterances.utteranceBegan();
    this.#preemptive.utteranceBegan();
    this.#echo.utteranceBegan();
    this.#applyIn(["listening"], { type: "caller_spoke" });
  }

  // Side effects of a state change: starts and stops the timer of every waiting state

  #onTransition(from: TurnState, to: TurnState): void {
    if (from.name === to.name) return;
    if (from.name === "listening") {
      this.#silence.stop();
      this.#timers.resume.cancel();
    }
    switch (to.name) {
      case "listening":
        this.#pendingQuestions.answered();
        this.#silence.start();
        if (this.#bargeIn.undecided)
          this.#timers.resume.arm(this.options.settings.resumeAfterMs, () =>
            this.#bargeIn.resume(),
          );
        break;
      case "thinking":
        if (from.name === "agent_speaking") this.#agent.awaitTool();
        else this.#optOut.agentTurnBegins();
        break;
      case "transferring":
        this.#stopActivity();
        // After a ringing tone the caller gets the full silence time again.
        this.#silence.callerActive();
        this.#screening?.stop();
        break;
      case "closing":
        this.#stopActivity();
        this.closingMessage.begun();
        break;
      case "ended":
        this.#stopActivity();
        break;
    }
  }

  #stopActivity(): void {
    this.#timers.stop();
    this.#silence.stop();
    this.transferHold.stop();
    this.#digits.stop();
    this.#agent.dropInputs();
    this.#segmenter.cancel();
  }

  #applyIn(states: readonly TurnState["name"][], event: TurnEvent): void {
    if (states.includes(this.state.name)) this.#machine.apply(event);
  }
}
