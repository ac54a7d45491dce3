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
import type { EngineFailure, EngineSession } from "../engine/ports.ts";
import type { MediaPlan } from "../media/plan.ts";
import type { CallAudio, VoiceActivityDetector } from "../media/ports.ts";
import type {
  CallBrief,
  CallReport,
  ConversationSettings,
  ToolResult,
} from "../worker/messages.ts";
import { withDeadline } from "./deadline.ts";
import { Dialogue } from "./dialogue.ts";
import { type Opening, openingOf } from "./disclosure.ts";
import { FillerRotation } from "./filler.ts";
import { GREETING_WAIT_MS, HEARTBEAT_MS, SUMMARY_TIMEOUT_MS } from "./limits.ts";
import { CachedPhrases, type PhraseCache } from "./phrase-cache.ts";
import { type Phrases, phrasesFor } from "./phrases.ts";
import { variablesOf } from "./prompt.ts";
import type { SessionMessage } from "./session-message.ts";
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
  readonly vad: VoiceActivityDetector;
  readonly phraseCache: PhraseCache;
  readonly clock: Clock;
  readonly log: Log;
  readonly emit: (message: SessionMessage) => void;
}

export class Session {
  readonly #usage = new UsageMeter();
  readonly #prepareAbort = new AbortController();
  readonly #phrases: Phrases;
  readonly #fillers: FillerRotation;
  readonly #opening: Opening;
  readonly #cached: CachedPhrases;
  readonly #transcript: Transcript;
  readonly #dialogue: Dialogue;
  #answeredAt: number | null = null;
  #rtpClockAtAnswerMs = 0;
  #heartbeat: Timer | null = null;
  #maxDuration: Timer | null = null;
  #endWished = false;
  #report: Promise<CallReport> | null = null;

  constructor(private readonly options: SessionOptions) {
    const { brief, settings, audio, engine, clock, emit } = options;
    const { agent } = brief;
    this.#phrases = phrasesFor(agent.language);
    this.#fillers = new FillerRotation(agent.fillerPhrases, this.#phrases);
    this.#opening = openingOf(brief, settings, variablesOf(brief, clock.now()));
    this.#cached = new CachedPhrases(
      options.phraseCache,
      engine.voice,
      [options.engineLabel, agent.voice, agent.language, audio.sampleRateHz].join("/"),
      (characters) => this.#usage.synthesised(characters),
    );
    this.#transcript = new Transcript((turn) => emit({ type: "turn", turn }));
    this.#dialogue = new Dialogue({
      ...options,
      opening: this.#opening,
      cached: this.#cached,
      phrases: this.#phrases,
      fillers: this.#fillers,
      transcript: this.#transcript,
      usage: this.#usage,
      onLastWordSaid: (reason) => this.#wishEnd(reason),
    });
    audio.onFrame((pcm) => this.#frame(pcm));
    audio.onDigit((digit) => this.digit(digit));
  }

  get turn(): TurnState {
    return this.#dialogue.state;
  }

  /** Resolves when the first words are ready, or could not be made in time. Never rejects. */
  async prepare(): Promise<void> {
    const { clock, log } = this.options;
    const { signal } = this.#prepareAbort;
    const first = this.#cached.prepare([this.#opening.disclosure, this.#opening.greeting], signal);
    first
      .then(() => this.#cached.prepare(this.#standbyPhrases(), signal))
      .catch((error) => log.warn("phrases.not_ready", { error: describeError(error) }));
    const late = () => new Error(`not ready within ${GREETING_WAIT_MS} ms`);
    await withDeadline(clock, first, GREETING_WAIT_MS, late).catch((error) =>
      log.warn("greeting.not_ready", { error: describeError(error) }),
    );
  }

  connect(plan: MediaPlan): void {
    this.options.audio.connect(plan);
    this.#dialogue.hold(plan.direction !== "sendrecv");
  }

  answered(): void {
    if (this.#answeredAt !== null || this.#report) return;
    const { brief, clock, audio, emit } = this.options;
    this.#answeredAt = clock.monotonic();
    this.#rtpClockAtAnswerMs = audio.rtpClockMs;
    this.#transcript.answered(this.#answeredAt);
    audio.onTimeout(() => this.#wishEnd("media_lost"));
    if (brief.recordingPath !== null) audio.startRecording(brief.recordingPath);
    this.#heartbeat = clock.every(HEARTBEAT_MS, () =>
      emit({ type: "heartbeat", media: audio.statistics, usage: this.#usage.read() }),
    );
    this.#maxDuration = clock.after(brief.agent.maxDurationSec * 1_000, () =>
      this.sayAndEnd(this.#phrases.maxDuration, "max_duration"),
    );
    if (this.#dialogue.state.name === "idle") this.#dialogue.start();
  }

  toolResult(result: ToolResult): void {
    this.#dialogue.toolResult(result);
  }

  /** A key, from RTP or SIP INFO. */
  digit(digit: string): void {
    if (this.#answeredAt === null || this.#report) return;
    this.options.emit({ type: "digit_received", digit });
    this.#dialogue.digit(digit);
  }

  /** Last words, whatever is going on, then `end_wish`. Before the answer nothing is said. */
  sayAndEnd(text: string, reason: EndedReason): void {
    if (this.#report) return;
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
      this.#dialogue.frame(pcm);
    } catch (error) {
      this.options.log.error("session.frame_failed", { error: describeError(error) });
      this.#wishEnd("engine_failure");
    }
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
    this.#prepareAbort.abort();
    this.#heartbeat?.cancel();
    this.#maxDuration?.cancel();
    const stopped = this.#dialogue.stop(reason);
    const [recording] = await Promise.all([this.#closeAudio(), stopped]);
    const summary = durationMs > 0 ? await this.#summarize(reason, durationMs) : "";
    engine.close();
    return {
      turns: this.#transcript.turns,
      media: audio.statistics,
      usage: this.#usage.read(),
      ...(this.#answeredAt === null ? {} : { talkRtpMs }),
      recording,
      answeredBy: "unknown",
      summary,
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

  async #summarize(reason: EndedReason, durationMs: number): Promise<string> {
    const { engine, clock, log } = this.options;
    const end = { reason, durationSec: Math.ceil(durationMs / 1_000) };
    const late = () => new Error(`not ready within ${SUMMARY_TIMEOUT_MS} ms`);
    try {
      return await withDeadline(clock, engine.mind.summarize(end), SUMMARY_TIMEOUT_MS, late);
    } catch (error) {
      log.warn("summary.failed", { error: describeError(error) });
      return "";
    }
  }

  /** What must be there when the engine is not, or not in time. */
  #standbyPhrases(): string[] {
    const { apology, hush, silenceGoodbye, maxDuration, idlePrompts } = this.#phrases;
    const fillers = this.options.brief.tools.length > 0 ? this.#fillers.phrases : [];
    return [apology, hush, ...fillers, ...idlePrompts, silenceGoodbye, maxDuration];
  }
}
