/**
 * Who says what when: joins the caller's side (hearing), the agent's side (speech), the mind and the
 * tools by the turn machine. The parts know nothing of each other; here they meet.
 *
 * Guarantees: nobody talks over the disclosure or the last words; an answer to a tool or a key is
 * never lost to an interruption; `onLastWordSaid` comes once, after the agent's last word was
 * played. It is driven by 20 ms frames and the clock; `stop` ends both. The call's frame (answer,
 * max duration, recording, report) is session.ts's.
 */
import type { EndedReason } from "../call/ended-reason.ts";
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { EngineSession, ExpectedAnswer, Heard, MindInput } from "../engine/ports.ts";
import type { CallAudio, VoiceActivityDetector } from "../media/ports.ts";
import type { CallBrief, ConversationSettings, ToolResult } from "../worker/messages.ts";
import { AgentSpeech, type Spoken } from "./agent-speech.ts";
import { AgentTurn } from "./agent-turn.ts";
import { withDeadline } from "./deadline.ts";
import { DialogueTimers } from "./dialogue-timers.ts";
import { DigitCollector } from "./digits.ts";
import type { Opening } from "./disclosure.ts";
import { EchoGuard } from "./echo.ts";
import { endpointingSilenceMs } from "./endpointing.ts";
import type { FillerRotation } from "./filler.ts";
import { CallerHearing, type Utterance } from "./hearing.ts";
import { cutsIn } from "./interruption.ts";
import * as limits from "./limits.ts";
import type { CachedPhrases } from "./phrase-cache.ts";
import type { Phrases } from "./phrases.ts";
import { Responder } from "./responder.ts";
import type { SessionMessage } from "./session-message.ts";
import { SilenceWatch } from "./silence.ts";
import { ToolCalls } from "./tool-calls.ts";
import type { Transcript } from "./transcript.ts";
import {
  createTurnMachine,
  type TurnEvent,
  type TurnMachine,
  type TurnState,
} from "./turn-taking.ts";
import type { UsageMeter } from "./usage-meter.ts";
import { isBackChannel } from "./words.ts";

export interface DialogueOptions {
  readonly brief: CallBrief;
  readonly settings: ConversationSettings;
  readonly opening: Opening;
  readonly audio: CallAudio;
  readonly engine: EngineSession;
  readonly vad: VoiceActivityDetector;
  readonly cached: CachedPhrases;
  readonly phrases: Phrases;
  readonly fillers: FillerRotation;
  readonly transcript: Transcript;
  readonly usage: UsageMeter;
  readonly clock: Clock;
  readonly log: Log;
  readonly emit: (message: SessionMessage) => void;
  readonly onLastWordSaid: (reason: EndedReason) => void;
}

/** What stands in the transcript for speech that nobody understood. */
const INAUDIBLE = "[inaudible]";
/** How often an utterance is compared with the agent's own voice. */
const ECHO_CHECK_FRAMES = 5;

export class Dialogue {
  readonly #machine: TurnMachine;
  readonly #agentTurn: AgentTurn;
  readonly #echo: EchoGuard;
  readonly #speech: AgentSpeech;
  readonly #hearing: CallerHearing;
  readonly #responder: Responder;
  readonly #tools: ToolCalls;
  readonly #silence: SilenceWatch;
  readonly #digits: DigitCollector;
  readonly #timers: DialogueTimers;

  #expected: ExpectedAnswer = "open";
  #undisclosed: string;
  #playedMs = 0;
  #frames = 0;
  /** The running utterance sounded like the agent's own voice. */
  #soundsLikeEcho = false;
  /** Recognitions under way. */
  #recognising = 0;
  #recognition: Promise<void> = Promise.resolve();
  #lastWordWasSaid = false;
  /** What is being answered; taken back when the caller goes on before the answer is heard. */
  #answering = "";
  #unanswered = "";
  /** Inputs that wait until the mind is free: tool answers first. */
  #inbox: MindInput[] = [];
  /** The agent was cut short, and it is not clear yet whether the caller meant it. */
  #cutShort: Spoken | null = null;
  #transferTarget: string | null = null;
  #onHold = false;

  constructor(private readonly options: DialogueOptions) {
    const { settings, audio, engine, clock, vad, log, usage, emit } = options;
    this.#undisclosed = options.opening.disclosure;
    this.#machine = createTurnMachine({
      onIllegal: (state, event) =>
        log.warn("turn.illegal_event", { state: state.name, event: event.type }),
      onTransition: (from, to) => this.#onTransition(from, to),
    });
    this.#agentTurn = new AgentTurn(clock, options.transcript);
    this.#echo = new EchoGuard(audio.sampleRateHz);
    this.#speech = new AgentSpeech({
      audio,
      voice: engine.voice,
      phrases: options.cached,
      echo: this.#echo,
      clock,
      onFailure: (failure) => this.#engineFailed(failure),
      onSynthesised: (characters) => usage.synthesised(characters),
    });
    this.#hearing = new CallerHearing({
      vad,
      ear: engine.ear,
      sampleRateHz: audio.sampleRateHz,
      clock,
      endpointingMs: (partial) => this.#endpointingMs(partial),
      events: {
        began: () => this.#callerBegan(),
        paused: () => this.#applyIn(["caller_speaking"], { type: "paused" }),
        wentOn: () => this.#applyIn(["endpointing"], { type: "caller_spoke" }),
        endpoint: (utterance) => this.#callerFinished(utterance),
        dismissed: () => this.#nothingWasSaid(),
      },
    });
    this.#responder = new Responder(engine.mind, clock, {
      text: (text) => this.#say(text),
      toolCall: (wish) => this.#tools.wish(wish),
      expect: (answer) => this.#expect(answer),
      endCall: () => this.#machine.apply({ type: "close", reason: "agent_hangup" }),
      transfer: (target) => {
        this.#transferTarget = target;
      },
      usage: (tokens) => usage.tokens(tokens),
      done: (input) => this.#mindDone(input),
      failed: (failure) => this.#engineFailed(failure),
    });
    this.#tools = new ToolCalls({
      settings,
      clock,
      send: (wish) => emit({ type: "tool_wish", ...wish }),
      onFillerDue: () => this.#fill(),
      onAnswer: (answer) => {
        this.#inbox.unshift(answer);
        this.#readInbox();
      },
    });
    this.#silence = new SilenceWatch(settings, clock, {
      prompt: (count) => this.#ask({ type: "silence", count }),
      timeout: () => this.lastWords(options.phrases.silenceGoodbye, "silence_timeout"),
    });
    this.#digits = new DigitCollector(clock, (digits) => this.#numberEntered(digits));
    this.#timers = new DialogueTimers(clock);
  }

  get state(): TurnState {
    return this.#machine.state;
  }

  /** The call is answered. */
  start(): void {
    const { atOnce, greeting } = this.options.opening;
    this.#machine.apply({ type: "answered", agentFirst: atOnce });
    if (!atOnce) return;
    this.#disclose();
    this.#speech.say(greeting, "greeting");
  }

  /** One heard frame of 20 ms. */
  frame(pcm: Int16Array): void {
    const { name } = this.state;
    if (name === "idle" || name === "ended") return;
    this.#frames++;
    this.#echo.hear(pcm, this.options.audio.playedMs);
    this.#followPlayout();
    if (this.state.name === "closing") return;
    this.#hearing.frame(pcm);
    if (this.#hearing.active) this.#judgeOverlap();
  }

  digit(digit: string): void {
    const { name } = this.state;
    if (name === "idle" || name === "closing" || name === "ended") return;
    this.#silence.callerActive();
    if (name === "agent_speaking" && !this.#speech.protectedNow) {
      this.#cutAgentShort();
      this.#confirmCut();
      this.#machine.apply({ type: "dismissed" });
    }
    this.#digits.add(digit);
  }

  toolResult(result: ToolResult): void {
    this.#tools.result(result);
  }

  hold(onHold: boolean): void {
    this.#onHold = onHold;
    if (this.state.name !== "listening") return;
    if (onHold) this.#silence.stop();
    else this.#silence.start();
  }

  /** Says this, whatever is going on, and then ends. Too late while last words are being said. */
  lastWords(text: string, reason: EndedReason): void {
    const { name } = this.state;
    if (name === "closing" || name === "ended") return;
    this.#responder.abort();
    this.#endAgentTurn(this.options.settings.bargeInFadeMs);
    this.#machine.apply({ type: "close", reason });
    if (name !== "idle") this.#speech.say(text, "phrase");
  }

  /** Stops everything at once. What the caller was saying goes into the transcript if it is known in time. */
  async stop(reason: EndedReason): Promise<void> {
    if (this.state.name === "ended") return;
    if (this.#hearing.active && !this.#soundsLikeEcho) this.#recognise(this.#hearing.utterance);
    this.#responder.abort();
    this.#endAgentTurn(0);
    this.#machine.apply({ type: "ended", reason });
    const late = () => new Error("the caller's last words are not known in time");
    const { clock } = this.options;
    await withDeadline(clock, this.#recognition, limits.LAST_TEXT_TIMEOUT_MS, late).catch(() => {});
  }

  // What a frame may change

  #followPlayout(): void {
    const { playedMs } = this.options.audio;
    const playing = playedMs > this.#playedMs && this.#speech.audible;
    this.#playedMs = playedMs;
    if (playing) this.#agentTurn.audible();
    switch (this.state.name) {
      case "thinking":
        if (playing) this.#machine.apply({ type: "agent_audio" });
        else if (!this.#moreToCome && !this.#speech.busy) this.#agentSettled("nothing_to_say");
        break;
      case "agent_speaking":
        if (this.#speech.busy) break;
        if (this.#moreToCome) this.#machine.apply({ type: "agent_waits" });
        else this.#agentSettled("agent_done");
        break;
      case "closing":
        if (this.#lastWordWasSaid || this.#responder.busy || this.#speech.busy) break;
        this.#timers.tail.arm(limits.CLOSING_TAIL_MS, () => this.#lastWordSaid());
        break;
    }
  }

  /** Something will still be said in this turn, as far as anybody knows. */
  get #moreToCome(): boolean {
    const asked = this.#responder.busy || this.#tools.pending || this.#inbox.length > 0;
    return asked || this.#recognising > 0;
  }

  /** The caller speaks: does that take the word from the agent? */
  #judgeOverlap(): void {
    const { name } = this.state;
    if (name === "listening") {
      if (this.#soundsLikeEcho) this.#hearing.cancel();
      else this.#machine.apply({ type: "caller_spoke" });
    } else if (name === "thinking") {
      this.#judgeContinuation();
    } else if (name === "agent_speaking") {
      this.#judgeInterruption();
    }
  }

  #judgeContinuation(): void {
    const toolAtWork = this.#tools.pending || this.#responder.answersTool;
    if (toolAtWork || this.#speech.protectedNow) return;
    if (this.#hearing.speechMs >= limits.CONTINUATION_MS) this.#takeBackThought();
  }

  #judgeInterruption(): void {
    if (this.#frames % ECHO_CHECK_FRAMES === 0) this.#soundsLikeEcho ||= this.#echo.isEcho();
    if (this.#speech.protectedNow) return;
    const { settings, brief } = this.options;
    if (!cutsIn(settings, brief.agent.language, this.#hearing)) return;
    if (this.#echo.isEcho()) this.#soundsLikeEcho = true;
    else this.#cutAgentShort();
  }

  // The caller's side

  #endpointingMs(partial: string): number {
    const { settings, brief, engine } = this.options;
    return endpointingSilenceMs(settings, brief.agent.language, {
      expected: this.#expected,
      partial,
      earReportsPartials: engine.ear.capabilities.partials,
    });
  }

  #callerBegan(): void {
    this.#soundsLikeEcho = false;
    this.#applyIn(["listening"], { type: "caller_spoke" });
  }

  #nothingWasSaid(): void {
    this.#applyIn(["caller_speaking", "endpointing"], { type: "dismissed" });
  }

  #callerFinished(utterance: Utterance): void {
    switch (this.state.name) {
      case "caller_speaking":
      case "endpointing":
        this.#machine.apply({ type: "endpoint" });
        this.#recognise(utterance);
        break;
      case "thinking":
        if (this.#tools.pending || this.#responder.answersTool) this.#recognise(utterance);
        break;
      case "agent_speaking":
        if (this.#agentNearlyDone && !this.#soundsLikeEcho) this.#recognise(utterance);
        break;
    }
  }

  get #agentNearlyDone(): boolean {
    const { remainingMs, protectedNow } = this.#speech;
    if (this.#responder.busy || protectedNow || remainingMs === null) return false;
    return remainingMs <= limits.NEARLY_DONE_MS;
  }

  #recognise(utterance: Utterance): void {
    this.#recognising++;
    this.#recognition = this.#hearing
      .finish()
      .finally(() => this.#recognising--)
      .then((heard) => this.#understand(utterance, heard))
      .catch((error) => this.#engineFailed(error));
  }

  #understand(utterance: Utterance, heard: Heard): void {
    const { name } = this.state;
    this.options.usage.recognised(heard.audioMs);
    const text = heard.text.trim();
    if (name === "closing" || name === "ended") {
      if (text !== "") this.#keep(text, utterance);
      return;
    }
    const meaningless = text === "" || this.#isOnlyListening(text);
    const unsure = text === "" && utterance.speechMs < this.options.settings.bargeInMs;
    const agentHasWord =
      name === "agent_speaking" || this.#tools.pending || this.#cutShort !== null;
    if (unsure || (meaningless && agentHasWord)) {
      if (!this.#moreToCome) this.#applyIn(["thinking"], { type: "dismissed" });
      return;
    }
    this.#confirmCut();
    this.#keep(text || INAUDIBLE, utterance);
    this.#silence.callerActive();
    this.#answer(text, heard.confidence, utterance.lastSpeechAt);
  }

  #keep(text: string, { beganAt, lastSpeechAt }: Utterance): void {
    this.options.transcript.caller({ text, beganAt, endedAt: lastSpeechAt });
  }

  /** "Mhm", where no yes or no was asked for. */
  #isOnlyListening(text: string): boolean {
    if (this.#expected === "yes_no") return false;
    return isBackChannel(text, this.options.brief.agent.language);
  }

  #answer(text: string, confidence: number, lastSpeechAt: number): void {
    const { name } = this.state;
    const all = [this.#unanswered, text].filter((part) => part !== "").join(" ");
    if (name === "caller_speaking" || name === "endpointing") {
      this.#unanswered = all;
      return;
    }
    this.#unanswered = "";
    this.#answering = all;
    if (name === "agent_speaking") this.#endAgentTurn(this.options.settings.bargeInFadeMs);
    this.#agentTurn.callerFinished(lastSpeechAt);
    this.#expected = "open";
    this.#ask({ type: "utterance", text: all, confidence });
  }

  #numberEntered(digits: string): void {
    const now = this.options.clock.monotonic();
    this.options.transcript.caller({ text: `[keys ${digits}]`, beganAt: now, endedAt: now });
    this.#hearing.cancel();
    this.#cutShort = null;
    this.#unanswered = "";
    if (this.state.name === "agent_speaking") {
      this.#endAgentTurn(this.options.settings.bargeInFadeMs);
    }
    this.#agentTurn.callerFinished(now);
    this.#ask({ type: "digits", digits });
  }

  // The agent's side

  /** Gives the mind an input now, or as soon as a running tool has answered. */
  #ask(input: MindInput): void {
    this.#inbox.push(input);
    this.#readInbox();
  }

  #readInbox(): void {
    const { name } = this.state;
    const [next] = this.#inbox;
    if (!next || name === "closing" || name === "ended") return;
    const callerHasWord = name === "caller_speaking" || name === "endpointing";
    const mustWait =
      next.type === "tool_result"
        ? this.#responder.busy || callerHasWord
        : this.#tools.pending || this.#responder.answersTool;
    if (mustWait) return;
    this.#inbox.shift();
    const joinsRunningTurn = next.type === "tool_result" && name === "agent_speaking";
    if (!joinsRunningTurn) this.#machine.apply({ type: "respond" });
    this.#responder.respond(next);
  }

  #mindDone(input: MindInput): void {
    if (input.type === "silence" && !this.#speech.hasWords) {
      const [first, second] = this.options.phrases.idlePrompts;
      this.#speech.say(input.count === 1 ? first : second, "phrase");
    }
    this.#readInbox();
  }

  #say(text: string): void {
    this.#disclose();
    this.#speech.say(text, "mind");
  }

  #disclose(): void {
    this.#speech.say(this.#undisclosed, "disclosure");
    this.#undisclosed = "";
  }

  #expect(answer: ExpectedAnswer): void {
    this.#expected = answer;
    this.options.engine.ear.expect(answer);
  }

  /** A tool takes its time. */
  #fill(): void {
    if (this.state.name === "thinking" && !this.#hearing.active && !this.#speech.busy) {
      this.#speech.say(this.options.fillers.next(), "phrase");
    } else {
      this.#tools.armFiller();
    }
  }

  #hush(): void {
    if (this.#tools.pending || this.#speech.busy || this.#hearing.active) return;
    this.#speech.say(this.options.phrases.hush, "phrase");
  }

  /** The agent has said what it had to say, perhaps nothing. */
  #agentSettled(how: "agent_done" | "nothing_to_say"): void {
    this.#answering = "";
    this.#agentTurn.end(this.#speech.finish(), false);
    this.#machine.apply({ type: how });
    if (this.#transferTarget === null) return;
    this.options.emit({ type: "transfer_wish", target: this.#transferTarget });
    this.#transferTarget = null;
  }

  /** The caller interrupts. Whether it was meant shows when the words are known. */
  #cutAgentShort(): void {
    this.#responder.abort();
    this.#cutShort = this.#endAgentTurn(this.options.settings.bargeInFadeMs);
    this.#machine.apply({ type: "interrupted" });
  }

  #confirmCut(): void {
    const heard = this.#cutShort?.heardOfMind ?? null;
    this.#cutShort = null;
    if (heard !== null) this.options.engine.mind.heardUntil(heard);
  }

  /** The interruption was none: goes on with the sentence that was cut. */
  #resume(): void {
    const cut = this.#cutShort;
    this.#cutShort = null;
    if (!cut || cut.rest.length === 0) return;
    this.#machine.apply({ type: "respond" });
    for (const text of cut.rest) this.#speech.say(text, "mind");
  }

  /** The caller goes on while the agent is about to answer: the answer waits for all of it. */
  #takeBackThought(): void {
    this.#responder.abort();
    this.#inbox = this.#inbox.filter((input) => input.type === "tool_result");
    this.#unanswered = this.#answering;
    this.#answering = "";
    this.#endAgentTurn(0);
    this.#machine.apply({ type: "caller_spoke" });
  }

  #endAgentTurn(fadeMs: number): Spoken {
    const spoken = this.#speech.stop(fadeMs);
    this.#agentTurn.end(spoken, spoken.cut);
    return spoken;
  }

  #engineFailed(error: unknown): void {
    const { name } = this.state;
    const { phrases, cached, log } = this.options;
    log.warn("engine.failed", { error: describeError(error), state: name });
    if (name === "ended") return;
    const canApologise = name !== "closing" && cached.get(phrases.apology) !== null;
    this.lastWords(canApologise ? phrases.apology : "", "engine_failure");
    if (!canApologise) this.#lastWordSaid();
  }

  #lastWordSaid(): void {
    const { state } = this;
    if (state.name !== "closing" || this.#lastWordWasSaid) return;
    this.#lastWordWasSaid = true;
    this.#timers.stop();
    this.#agentTurn.end(this.#speech.finish(), false);
    this.options.onLastWordSaid(state.reason);
  }

  // Effects of a change of state: every waiting state's timer begins and ends here

  #onTransition(from: TurnState, to: TurnState): void {
    if (from.name === to.name) return;
    if (from.name === "listening") {
      this.#silence.stop();
      this.#timers.resume.cancel();
    }
    if (from.name === "thinking") this.#timers.hush.cancel();
    switch (to.name) {
      case "listening":
        if (!this.#onHold) this.#silence.start();
        if (this.#cutShort) this.#timers.resume.arm(limits.RESUME_MS, () => this.#resume());
        break;
      case "thinking":
        this.#timers.hush.arm(limits.HUSH_MS, () => this.#hush());
        if (from.name === "agent_speaking" && this.#tools.pending) this.#tools.armFiller();
        break;
      case "closing":
        this.#fallSilent();
        this.#timers.closing.arm(limits.CLOSING_MS_MAX, () => this.#lastWordSaid());
        break;
      case "ended":
        this.#fallSilent();
        break;
    }
  }

  #fallSilent(): void {
    this.#timers.stop();
    this.#silence.stop();
    this.#tools.stop();
    this.#digits.stop();
    this.#hearing.cancel();
    this.#inbox = [];
  }

  #applyIn(states: readonly TurnState["name"][], event: TurnEvent): void {
    if (states.includes(this.state.name)) this.#machine.apply(event);
  }
}
