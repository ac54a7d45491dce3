/**
 * One call's conversation, from `open` to its report: prepares the first words, starts at the answer,
 * keeps the call within its maximum, and closes.
 *
 * Guarantees: asks for the call's end (`end_wish`) at most once; nothing thrown in a 20 ms frame gets
 * out; `close` stops everything at once, always resolves and is idempotent. Main carries the call: it
 * sends BYE, runs tools and stores what is reported. Who has the word is dialogue.ts's.
 */
import type { EndedReason } from "../call/ended-reason.ts";
import type { Clock, Timer } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { CallSummary, EngineFailure, EngineSession } from "../engine/ports.ts";
import type { MediaPlan } from "../media/plan.ts";
import type { CallAudio, MediaTimeout, VoiceActivityDetector } from "../media/ports.ts";
import type {
  CallBrief,
  CallReport,
  ConversationSettings,
  ToolResult,
  TransferFailure,
} from "../worker/messages.ts";
import { maySendDigits } from "./built-in-tools.ts";
import { CallLength } from "./call-length.ts";
import { withDeadline } from "./deadline.ts";
import { Dialogue } from "./dialogue.ts";
import { type Opening, openingOf } from "./disclosure.ts";
import { Handover } from "./handover.ts";
import { GREETING_WAIT_MS, HEARTBEAT_MS, SUMMARY_TIMEOUT_MS } from "./limits.ts";
import { CachedPhrases, type PhraseCache } from "./phrase-cache.ts";
import { PinEntry } from "./pin-entry.ts";
import { variablesOf } from "./prompt.ts";
import type { SessionMessage } from "./session-message.ts";
import { Tongue } from "./tongue.ts";
import { Transcript } from "./transcript.ts";
import type { TurnState } from "./turn-taking.ts";
import { UsageMeter } from "./usage-meter.ts";

export interface SessionOptions {
  readonly brief: CallBrief;
  readonly settings: ConversationSettings;
  /** Owned by the session from here on, like the engine session: `close` closes both. */
  readonly audio: CallAudio;
  readonly engine: EngineSession;
  readonly engineLabel: string;
  /** Another socket, for a transfer's second leg. Rejects when no port is free. */
  readonly openSecondAudio?: () => Promise<CallAudio>;
  readonly vad: VoiceActivityDetector;
  readonly phraseCache: PhraseCache;
  readonly clock: Clock;
  readonly log: Log;
  readonly emit: (message: SessionMessage) => void;
}

const ENDED_BY: Readonly<Record<MediaTimeout, EndedReason>> = {
  lost: "media_lost",
  held: "hold_timeout",
};

const NO_SUMMARY: CallSummary = { text: "", line: "" };

export class Session {
  readonly #usage = new UsageMeter();
  readonly #prepareAbort = new AbortController();
  readonly #tongue: Tongue;
  readonly #opening: Opening;
  readonly #cached: CachedPhrases;
  readonly #transcript: Transcript;
  readonly #dialogue: Dialogue;
  readonly #pin: PinEntry;
  #answeredAt: number | null = null;
  #rtpClockAtAnswerMs = 0;
  #heartbeat: Timer | null = null;
  readonly #length: CallLength;
  #endWished = false;
  /** The caller is on the way to a person, or talks to one. */
  #handover: Handover | null = null;
  readonly #briefingAbort = new AbortController();
  #report: Promise<CallReport> | null = null;

  constructor(private readonly options: SessionOptions) {
    const { brief, settings, audio, engine, clock, emit } = options;
    const { agent } = brief;
    this.#tongue = new Tongue(agent);
    this.#opening = openingOf(brief, settings, variablesOf(brief, clock.now()));
    this.#cached = new CachedPhrases(
      options.phraseCache,
      engine.voice,
      () => [options.engineLabel, agent.voice, this.#tongue.language, audio.sampleRateHz].join("/"),
      (characters) => this.#usage.synthesised(characters),
    );
    this.#transcript = new Transcript((turn) => emit({ type: "turn", turn }));
    this.#dialogue = new Dialogue({
      ...options,
      opening: this.#opening,
      cached: this.#cached,
      tongue: this.#tongue,
      ownTools: new Set(brief.tools.map((tool) => tool.name)),
      sendDigits: maySendDigits(brief),
      onLanguage: () => this.#prepareStandby(),
      onHeld: () => this.#hold(),
      transcript: this.#transcript,
      usage: this.#usage,
      onLastWordSaid: (reason) => this.#wishEnd(reason),
    });
    this.#pin = new PinEntry({
      clock,
      audio,
      say: (again) => !this.#handover && !this.#report && this.#dialogue.askPin(again),
      hush: () => this.#dialogue.hushForPin(),
      onActive: (on) => this.#dialogue.pauseTools(on),
      entered: (digits) => emit({ type: "pin_entered", digits }),
    });
    this.#length = new CallLength({
      clock,
      limitMs: agent.maxDurationSec * 1_000,
      phraseMs: () => this.#cached.durationMs(this.#tongue.phrases.maxDuration, audio.sampleRateHz),
      // The agent's maximum is not the people's.
      applies: () => !this.#handover?.joined,
      close: () => this.sayAndEnd(this.#tongue.phrases.maxDuration, "max_duration"),
      cut: () => this.#wishEnd(closingReasonOf(this.#dialogue.state) ?? "max_duration"),
    });
    audio.onFrame((pcm) => this.#frame(pcm));
    audio.onDigit((digit) => this.#pressed(digit));
  }

  get turn(): TurnState {
    return this.#dialogue.state;
  }

  /** Resolves when the first words are ready, or could not be made in time. Never rejects. */
  async prepare(): Promise<void> {
    const { clock, log } = this.options;
    const { signal } = this.#prepareAbort;
    const { disclosure, greeting, namedGreeting } = this.#opening;
    const texts = [
      namedGreeting.disclosure,
      namedGreeting.text,
      greeting.disclosure,
      greeting.text,
    ];
    const first = this.#cached.prepare([...texts, disclosure], signal);
    first.then(
      () => this.#prepareStandby(),
      () => {},
    );
    const late = () => new Error(`not ready within ${GREETING_WAIT_MS} ms`);
    await withDeadline(clock, first, GREETING_WAIT_MS, late).catch((error) =>
      log.warn("greeting.not_ready", { error: describeError(error) }),
    );
  }

  connect(plan: MediaPlan): void {
    this.options.audio.connect(plan);
    this.#dialogue.follow(plan.direction);
  }

  #prepareStandby(): void {
    this.#cached
      .prepare(this.#standbyPhrases(), this.#prepareAbort.signal)
      .catch((error) =>
        this.options.log.warn("phrases.not_ready", { error: describeError(error) }),
      );
  }

  answered(): void {
    if (this.#answeredAt !== null || this.#report) return;
    const { brief, clock, audio, emit } = this.options;
    this.#answeredAt = clock.monotonic();
    this.#rtpClockAtAnswerMs = audio.rtpClockMs;
    this.#transcript.answered(this.#answeredAt);
    audio.onTimeout((timeout) => this.#wishEnd(ENDED_BY[timeout]));
    if (brief.recordingPath !== null) audio.startRecording(brief.recordingPath);
    this.#heartbeat = clock.every(HEARTBEAT_MS, () =>
      emit({ type: "heartbeat", media: audio.statistics, usage: this.#usage.read() }),
    );
    this.#length.begin();
    if (this.#dialogue.state.name === "idle") this.#dialogue.start();
  }

  toolResult(result: ToolResult): void {
    this.#dialogue.toolResult(result);
  }

  /** A key from SIP INFO; the same press may come in the audio, too, and counts once. */
  digit(digit: string): void {
    const { audio } = this.options;
    if (audio.signalDigit) audio.signalDigit(digit);
    else this.#pressed(digit);
  }

  #pressed(digit: string): void {
    if (this.#answeredAt === null || this.#report) return;
    if (this.#pin.active) {
      this.#pin.digit(digit);
      return;
    }
    const optsOut = !this.#handover && this.#dialogue.optsOut(digit);
    this.options.emit({ type: "digit_received", digit, optsOut });
    if (this.#handover) this.#handover.callerDigit(digit);
    else this.#dialogue.digit(digit);
  }

  /** Main needs the caller's PIN: `pin_entered` follows. */
  askPin(again: boolean): void {
    this.#pin.ask(again);
  }

  pinDone(): void {
    this.#pin.done();
  }

  /** A transfer begins: `transfer_ready` follows when the agent's sentence is said. */
  transferBegin(): void {
    if (this.#report || this.#handover) return;
    this.#dialogue.holdForTransfer();
  }

  transferFailed(cause: TransferFailure): void {
    void this.#handover?.close();
    this.#handover = null;
    if (!this.#report) this.#dialogue.transferFailed(cause);
  }

  bridgeOpen(): void {
    const { emit } = this.options;
    const handover = this.#handover;
    const opened = handover ? handover.open() : Promise.reject(new Error("the caller is not held"));
    opened.then(
      (rtpPort) => emit({ type: "bridge_opened", rtpPort }),
      (error) => emit({ type: "bridge_failed", detail: describeError(error) }),
    );
  }

  bridgeConnect(plan: MediaPlan): void {
    this.#handover?.connect(plan);
  }

  /** A key of the person's, from SIP INFO. */
  bridgeDigit(digit: string): void {
    this.#handover?.personDigit(digit);
  }

  /** The person has answered: briefs and joins. */
  bridgeJoin(briefing: string | true | null): void {
    void this.#join(briefing);
  }

  /** Ear and voice are back after a loss (the speech worker died): the agent says so. */
  speechRestored(): void {
    if (!this.#report && this.options.engine.onSpeechWorker) this.#dialogue.speechRestored();
  }

  /** Last words, whatever is going on, then `end_wish`. Before the answer nothing is said. */
  sayAndEnd(text: string, reason: EndedReason): void {
    if (this.#report) return;
    void this.#handover?.close();
    this.#handover = null;
    this.#dialogue.lastWords(text, reason);
    if (this.#answeredAt === null) this.#wishEnd(reason);
  }

  /** The engine is gone for good: apologises and asks for the end. */
  engineLost(error: EngineFailure): void {
    if (this.#report) return;
    this.#dialogue.engineFailed(error);
    if (this.#answeredAt === null) this.#wishEnd("engine_failure");
  }

  close(reason: EndedReason): Promise<CallReport> {
    this.#report ??= this.#close(reason);
    return this.#report;
  }

  #frame(pcm: Int16Array): void {
    try {
      if (this.#handover) this.#handover.callerFrame(pcm);
      else this.#dialogue.frame(pcm);
    } catch (error) {
      this.options.log.error("session.frame_failed", { error: describeError(error) });
      this.#wishEnd("engine_failure");
    }
  }

  /** The agent has said its sentence: the caller hears the ringing tone from now on. */
  #hold(): void {
    const { audio, clock, log, emit, openSecondAudio } = this.options;
    this.#handover = new Handover({
      caller: audio,
      openAudio: openSecondAudio ?? (() => Promise.reject(new Error("no second leg here"))),
      clock,
      log,
      onTimeout: (timeout) => this.#wishEnd(ENDED_BY[timeout]),
    });
    emit({ type: "transfer_ready" });
  }

  async #join(briefing: string | true | null): Promise<void> {
    const handover = this.#handover;
    if (!handover) return;
    try {
      const text = await this.#briefingText(briefing);
      const { signal } = this.#briefingAbort;
      await handover.join(text === "" ? null : this.options.engine.voice.speak(text, signal));
      this.#usage.synthesised(text.length);
      this.#dialogue.bridged();
      this.options.emit({ type: "bridged" });
    } catch (error) {
      this.options.log.info("transfer.not_joined", { error: describeError(error) });
    }
  }

  async #briefingText(briefing: string | true | null): Promise<string> {
    if (briefing === null) return "";
    const { brief, clock } = this.options;
    const intro = this.#tongue.phrases.briefing.replace("{company}", brief.tenantName);
    if (briefing !== true) return `${intro} ${briefing}`;
    const durationMs = clock.monotonic() - (this.#answeredAt ?? clock.monotonic());
    const { text } = await this.#summarize("transferred", durationMs);
    return `${intro} ${text}`.trim();
  }

  #wishEnd(reason: EndedReason): void {
    if (this.#endWished || this.#report) return;
    this.#endWished = true;
    this.options.emit({ type: "end_wish", reason });
  }

  async #close(reason: EndedReason): Promise<CallReport> {
    const { audio, engine, clock } = this.options;
    const durationMs = this.#answeredAt === null ? 0 : clock.monotonic() - this.#answeredAt;
    const talkRtpMs = audio.rtpClockMs - this.#rtpClockAtAnswerMs;
    this.#pin.stop();
    this.#prepareAbort.abort();
    this.#briefingAbort.abort();
    void this.#handover?.close();
    this.#heartbeat?.cancel();
    this.#length.stop();
    const stopped = this.#dialogue.stop(reason);
    const [recording] = await Promise.all([this.#closeAudio(), stopped]);
    const summary = durationMs > 0 ? await this.#summarize(reason, durationMs) : NO_SUMMARY;
    engine.close();
    return {
      turns: this.#transcript.turns,
      media: audio.statistics,
      usage: this.#usage.read(),
      ...(this.#answeredAt === null ? {} : { talkRtpMs }),
      recording,
      answeredBy: this.#dialogue.answeredBy,
      summary: summary.text,
      line: summary.line,
    };
  }

  async #closeAudio() {
    try {
      return await this.options.audio.close();
    } catch (error) {
      this.options.log.error("recording.not_closed", { error: describeError(error) });
      return null;
    }
  }

  async #summarize(reason: EndedReason, durationMs: number): Promise<CallSummary> {
    const { engine, clock, log } = this.options;
    const end = { reason, durationSec: Math.ceil(durationMs / 1_000) };
    const late = () => new Error(`not ready within ${SUMMARY_TIMEOUT_MS} ms`);
    try {
      return await withDeadline(clock, engine.mind.summarize(end), SUMMARY_TIMEOUT_MS, late);
    } catch (error) {
      log.warn("summary.failed", { error: describeError(error) });
      return NO_SUMMARY;
    }
  }

  /** What must be there when the engine is not, or not in time. */
  #standbyPhrases(): string[] {
    const { phrases, fillers } = this.#tongue;
    const { apology, hush, silenceGoodbye, maxDuration, idlePrompts, sayAgain } = phrases;
    return [
      apology,
      hush,
      ...fillers.phrases,
      ...idlePrompts,
      sayAgain,
      silenceGoodbye,
      maxDuration,
    ];
  }
}

/** The reason of last words that are being said. */
const closingReasonOf = (state: TurnState): EndedReason | null =>
  state.name === "closing" ? state.reason : null;
