/**
 * Conversation of one call, from `open` to its report: prepares the first words, starts at the answer,
 * enforces the maximum length, and closes.
 *
 * Guarantees: it requests the call's end (`hangup_requested`) at most once. An exception in a 20 ms frame
 * never escapes. `close` stops everything immediately, always resolves and is idempotent. Main owns the call:
 * it sends BYE, runs tools and stores reports. turn-controller.ts decides who speaks.
 */

import type { Clock, Timer } from "../../core/clock.ts";
import type { EndedReason } from "../../core/ended-reason.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { MediaPlan } from "../../core/media-plan.ts";
import { joinedHeaders, type PacketHeaders } from "../../core/packet-headers.ts";
import { fill } from "../../core/texts.ts";
import type { HandlersOf } from "../../core/thread-messages.ts";
import { VOICE_GENDERS } from "../../features/agent/agent.ts";
import type { CallAudio, MediaTimeout, VoiceActivityDetector } from "../audio-port.ts";
import type { CallConfig, ToolResult } from "../call-config.ts";
import type { CallCommands, CallEvent } from "../call-protocol.ts";
import type { CallReport, TransferFailure } from "../call-report.ts";
import type { ConversationSettings } from "../conversation-settings.ts";
import { withDeadline } from "../deadline.ts";
import { type Opening, openingOf } from "../disclosure/disclosure.ts";
import type { CallSummary, EngineSession } from "../engine-port.ts";
import { GREETING_WAIT_MS, HEARTBEAT_MS, STANDBY_AFTER_MS, SUMMARY_TIMEOUT_MS } from "../limits.ts";
import { variablesOf } from "../prompt/prompt.ts";
import { ActiveLanguage } from "../speech/active-language.ts";
import { CachedPhrases, type PhraseCache } from "../speech/phrase-cache.ts";
import { maySendDigits } from "../tools/built-in-tools.ts";
import { Transcript } from "../transcript.ts";
import { TurnController } from "../turn/turn-controller.ts";
import type { TurnState } from "../turn/turn-taking.ts";
import { UsageMeter } from "../usage-meter.ts";
import { CallLength } from "./call-length.ts";
import { PinEntry } from "./pin-entry.ts";
import { TransferBridge } from "./transfer-bridge.ts";

interface SessionOptions {
  readonly config: CallConfig;
  readonly settings: ConversationSettings;
  /** Owned by the session, like the engine session: `close` closes both. */
  readonly audio: CallAudio;
  readonly engine: EngineSession;
  readonly engineLabel: string;
  /** Opens another socket for a transfer's second leg. Rejects if no port is free. */
  readonly openSecondAudio?: () => Promise<CallAudio>;
  readonly vad: VoiceActivityDetector;
  readonly phraseCache: PhraseCache;
  readonly clock: Clock;
  readonly log: Log;
  readonly emit: (message: CallEvent) => void;
}

const ENDED_BY: Readonly<Record<MediaTimeout, EndedReason>> = {
  lost: "media_lost",
  held: "hold_timeout",
};

const NO_SUMMARY: CallSummary = { text: "", line: "" };

export class Session implements HandlersOf<CallCommands> {
  readonly #usage = new UsageMeter();
  readonly #prepareAbort = new AbortController();
  readonly #activeLanguage: ActiveLanguage;
  readonly #opening: Opening;
  readonly #cached: CachedPhrases;
  readonly #transcript: Transcript;
  readonly #turns: TurnController;
  readonly #pin: PinEntry;
  #answeredAt: number | null = null;
  #rtpClockAtAnswerMs = 0;
  #heartbeat: Timer | null = null;
  #standby: Timer | null = null;
  readonly #length: CallLength;
  #hangupRequested = false;
  /** Set while the caller is being transferred to a person or talks to one. */
  #bridge: TransferBridge | null = null;
  /** Packet headers of closed second legs. */
  #personHeaders: PacketHeaders | null = null;
  readonly #announcementAbort = new AbortController();
  #report: Promise<CallReport> | null = null;

  constructor(private readonly options: SessionOptions) {
    const { config, settings, audio, engine, clock, emit } = options;
    const { agent } = config;
    this.#activeLanguage = new ActiveLanguage(agent);
    this.#opening = openingOf(config, settings, variablesOf(config, clock.now()));
    this.#cached = new CachedPhrases(
      options.phraseCache,
      engine.tts,
      () =>
        [options.engineLabel, agent.voice, this.#activeLanguage.language, audio.sampleRateHz].join(
          "/",
        ),
      (characters) => this.#usage.synthesised(characters),
    );
    this.#transcript = new Transcript((turn) => emit({ type: "turn", turn }));
    this.#turns = new TurnController({
      ...options,
      opening: this.#opening,
      cached: this.#cached,
      activeLanguage: this.#activeLanguage,
      ownTools: new Set(config.tools.map((tool) => tool.name)),
      sendDigits: maySendDigits(config),
      onLanguage: () => this.#prepareStandby(),
      onHeld: () => this.#hold(),
      transcript: this.#transcript,
      usage: this.#usage,
      onLastWordSaid: (reason) => this.#requestHangup(reason),
    });
    this.#pin = new PinEntry({
      clock,
      audio,
      say: (again) => !this.#bridge && !this.#report && this.#turns.askPin(again),
      stopPrompt: () => this.#turns.stopPromptForPin(),
      onActive: (on) => this.#turns.tools.pause(on),
      entered: (digits) => emit({ type: "pin_entered", digits }),
    });
    this.#length = new CallLength({
      clock,
      limitMs: agent.maxDurationSeconds * 1_000,
      phraseMs: () =>
        this.#cached.durationMs(this.#activeLanguage.phrases.maxDuration, audio.sampleRateHz),
      // The agent's maximum call length does not apply to bridged people.
      applies: () => !this.#bridge?.isBridged,
      close: () => this.sayAndEnd(this.#activeLanguage.phrases.maxDuration, "max_duration"),
      cut: () => this.#requestHangup(closingReasonOf(this.#turns.state) ?? "max_duration"),
    });
    audio.onFrame((pcm) => this.#frame(pcm));
    audio.onDigit((digit) => this.#pressed(digit));
  }

  get turn(): TurnState {
    return this.#turns.state;
  }

  /** Resolves when the first words are ready or have timed out. Never rejects. */
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
      () => {
        if (!this.#report)
          this.#standby = clock.after(STANDBY_AFTER_MS, () => this.#prepareStandby());
      },
      () => {},
    );
    const late = () => new Error(`not ready within ${GREETING_WAIT_MS} ms`);
    await withDeadline(clock, first, GREETING_WAIT_MS, late).catch((error) =>
      log.warn("greeting.not_ready", { error: describeError(error) }),
    );
  }

  connect(plan: MediaPlan): void {
    this.options.audio.connect(plan);
    this.#turns.follow(plan.direction);
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
    const { config, clock, audio, emit } = this.options;
    this.#answeredAt = clock.monotonic();
    this.#rtpClockAtAnswerMs = audio.rtpClockMs;
    this.#transcript.answered(this.#answeredAt);
    audio.onTimeout((timeout) => this.#requestHangup(ENDED_BY[timeout]));
    if (config.recordingPath !== null) audio.startRecording(config.recordingPath);
    this.#heartbeat = clock.every(HEARTBEAT_MS, () =>
      emit({ type: "heartbeat", media: audio.statistics, usage: this.#usage.read() }),
    );
    this.#length.begin();
    if (this.#turns.state.name === "idle") this.#turns.start();
  }

  toolResult(result: ToolResult): void {
    this.#turns.tools.result(result);
  }

  /** A key from SIP INFO. The same press may also arrive in the audio, and counts once. */
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
    const optsOut = !this.#bridge && this.#turns.optsOut(digit);
    this.options.emit({ type: "digit_received", digit, optsOut });
    if (this.#bridge) this.#bridge.callerDigit(digit);
    else this.#turns.digit(digit);
  }

  /** Main needs the caller's PIN: `pin_entered` follows. */
  askPin(again: boolean): void {
    this.#pin.ask(again);
  }

  pinDone(): void {
    this.#pin.done();
  }

  /** A transfer begins: `transfer_ready` follows when the agent's sentence is finished. */
  transferBegin(): void {
    if (this.#report || this.#bridge) return;
    this.#turns.transferHold.begin();
  }

  transferFailed(cause: TransferFailure): void {
    this.#closeBridge();
    if (!this.#report) this.#turns.transferHold.failed(cause);
  }

  #closeBridge(): void {
    const bridge = this.#bridge;
    if (!bridge) return;
    void bridge.close();
    this.#bridge = null;
    this.#personHeaders = joinedHeaders(this.#personHeaders, bridge.packetHeaders());
  }

  bridgeOpen(): void {
    const { emit } = this.options;
    const bridge = this.#bridge;
    const opened = bridge ? bridge.open() : Promise.reject(new Error("the caller is not held"));
    opened.then(
      (rtpPort) => emit({ type: "bridge_opened", rtpPort }),
      (error) => emit({ type: "bridge_failed", detail: describeError(error) }),
    );
  }

  bridgeConnect(plan: MediaPlan): void {
    this.#bridge?.connect(plan);
  }

  /** A key press of the person, from SIP INFO. */
  bridgeDigit(digit: string): void {
    this.#bridge?.personDigit(digit);
  }

  /** The person has answered: plays the announcement and joins both. */
  bridgeJoin(announcement: string | true | null): void {
    void this.#join(announcement);
  }

  /** While on, a supervisor gets the audio of both sides. */
  monitor(on: boolean): void {
    const { audio, emit } = this.options;
    audio.monitor?.(on ? (pcm) => emit({ type: "monitor_audio", pcm }) : null);
  }

  /** Audio from a browser's microphone. */
  audioIn(pcm: Int16Array): void {
    this.options.audio.feed?.(pcm);
  }

  /** STT and TTS are back after a crash of the speech worker; the agent asks the caller to repeat. */
  speechRestored(): void {
    if (!this.#report && this.options.engine.onSpeechWorker) this.#turns.speechRestored();
  }

  /** Interrupts everything for last words; `hangup_requested` follows. Before the answer, nothing is said. */
  sayAndEnd(text: string, reason: EndedReason): void {
    if (this.#report) return;
    this.#closeBridge();
    this.#turns.closingMessage.say(text, reason);
    if (this.#answeredAt === null) this.#requestHangup(reason);
  }

  /** Announcement to a caller who will not be answered. */
  announce(text: string, reason: EndedReason): void {
    if (this.#answeredAt === null && !this.#report) void this.#announce(text, reason);
  }

  close(reason: EndedReason): Promise<CallReport> {
    this.#report ??= this.#close(reason);
    return this.#report;
  }

  async #announce(text: string, reason: EndedReason): Promise<void> {
    const { audio, log } = this.options;
    try {
      await this.#cached.prepare([text], this.#prepareAbort.signal);
    } catch (error) {
      log.warn("announcement.failed", { error: describeError(error) });
    }
    const pcm = this.#cached.get(text);
    if (this.#report) return;
    if (pcm) audio.play(pcm);
    audio.whenDrained(() => this.#requestHangup(reason));
  }

  #frame(pcm: Int16Array): void {
    try {
      if (this.#bridge) this.#bridge.callerFrame(pcm);
      else this.#turns.frame(pcm);
    } catch (error) {
      this.options.log.error("session.frame_failed", { error: describeError(error) });
      this.#requestHangup("engine_failure");
    }
  }

  /** The agent's sentence is finished: from now on the caller hears the ringing tone. */
  #hold(): void {
    const { audio, clock, log, emit, openSecondAudio } = this.options;
    this.#bridge = new TransferBridge({
      caller: audio,
      openAudio: openSecondAudio ?? (() => Promise.reject(new Error("no second leg here"))),
      clock,
      log,
      onTimeout: (timeout) => this.#requestHangup(ENDED_BY[timeout]),
    });
    emit({ type: "transfer_ready" });
  }

  async #join(announcement: string | true | null): Promise<void> {
    const bridge = this.#bridge;
    if (!bridge) return;
    try {
      const text = await this.#announcementText(announcement);
      const { signal } = this.#announcementAbort;
      await bridge.join(text === "" ? null : this.options.engine.tts.speak(text, signal));
      this.#usage.synthesised(text.length);
      this.#turns.transferHold.bridged();
      this.options.emit({ type: "bridged" });
    } catch (error) {
      this.options.log.info("transfer.not_joined", { error: describeError(error) });
    }
  }

  async #announcementText(announcement: string | true | null): Promise<string> {
    if (announcement === null) return "";
    const { config, clock } = this.options;
    const { announcement: words } = this.#activeLanguage.phrases;
    const intro = fill(words[VOICE_GENDERS[config.agent.voice]], { company: config.tenantName });
    if (announcement !== true) return `${intro} ${announcement}`;
    const durationMs = clock.monotonic() - (this.#answeredAt ?? clock.monotonic());
    const { text } = await this.#summarize("transferred", durationMs);
    return `${intro} ${text}`.trim();
  }

  #requestHangup(reason: EndedReason): void {
    if (this.#hangupRequested || this.#report) return;
    this.#hangupRequested = true;
    this.options.emit({ type: "hangup_requested", reason });
  }

  async #close(reason: EndedReason): Promise<CallReport> {
    const { audio, clock } = this.options;
    const durationMs = this.#answeredAt === null ? 0 : clock.monotonic() - this.#answeredAt;
    const answeredRtpMs = audio.rtpClockMs - this.#rtpClockAtAnswerMs;
    this.#pin.stop();
    this.#prepareAbort.abort();
    this.#standby?.cancel();
    this.#announcementAbort.abort();
    void this.#bridge?.close();
    this.#heartbeat?.cancel();
    this.#length.stop();
    const stopped = this.#turns.stop(reason);
    const [recording] = await Promise.all([this.#closeAudio(), stopped]);
    const summary = durationMs > 0 ? await this.#summarize(reason, durationMs) : NO_SUMMARY;
    const untold = this.options.engine.llm.takeUsage?.();
    if (untold) this.#usage.tokens(untold);
    void this.#closeEngine();
    return {
      turns: this.#transcript.turns,
      media: audio.statistics,
      packetHeaders: this.#packetHeaders(),
      usage: this.#usage.read(),
      ...(this.#answeredAt === null ? {} : { answeredRtpMs }),
      recording,
      answeredBy: this.#turns.answeredBy,
      summary: summary.text,
      line: summary.line,
    };
  }

  /** Packet headers of the caller and all transfer targets. */
  #packetHeaders(): PacketHeaders | null {
    const { audio } = this.options;
    const person = joinedHeaders(this.#personHeaders, this.#bridge?.packetHeaders() ?? null);
    return joinedHeaders(audio.packetHeaders?.() ?? null, person);
  }

  /** Finishes the phrase in synthesis first, because later calls can use it. */
  async #closeEngine(): Promise<void> {
    const { clock, engine } = this.options;
    const work = this.#cached.work;
    const late = () => new Error(`not ready within ${GREETING_WAIT_MS} ms`);
    if (work) await withDeadline(clock, work, GREETING_WAIT_MS, late).catch(() => {});
    this.#cached.abort();
    engine.close();
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
    const end = { reason, durationSeconds: Math.ceil(durationMs / 1_000) };
    const late = () => new Error(`not ready within ${SUMMARY_TIMEOUT_MS} ms`);
    try {
      return await withDeadline(clock, engine.llm.summarize(end), SUMMARY_TIMEOUT_MS, late);
    } catch (error) {
      log.warn("summary.failed", { error: describeError(error) });
      return NO_SUMMARY;
    }
  }

  /** Phrases that must be cached for a failed or slow engine. */
  #standbyPhrases(): string[] {
    const { phrases, fillers } = this.#activeLanguage;
    const { apology, pleaseWait, silenceGoodbye, maxDuration, idlePrompts, sayAgain } = phrases;
    return [
      apology,
      pleaseWait,
      ...fillers.phrases,
      ...idlePrompts,
      sayAgain,
      silenceGoodbye,
      maxDuration,
    ];
  }
}

/** End reason while last words are spoken; else null. */
const closingReasonOf = (state: TurnState): EndedReason | null =>
  state.name === "closing" ? state.reason : null;
