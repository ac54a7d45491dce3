/**
 * The main thread's pool of call workers.
 *
 * Guarantees: a new call goes to the worker with the fewest calls. Every worker has its own slice
 * of the RTP port range and its own speech worker. A MessageChannel that main never reads connects
 * both. A dead worker ends only its own calls (each gets `failed` with `interrupted`). It is
 * replaced, at growing intervals if replacements die too. A dead speech worker is replaced, and its
 * call worker gets the new port. Every request has a timeout.
 *
 * Chats and browser calls share a call worker without RTP, so they delay nobody's packets. It
 * starts with the first of them and uses the first speech worker.
 *
 * Workers are started here, and ended only by `shutdown`.
 */

import type { CallChannel, ChatChannel } from "../call/media-port.ts";
import type { VoiceSample, VoiceSampler } from "../call/web/voice-samples.ts";
import type { CallConfig } from "../conversation/call-config.ts";
import type { ChatMessage } from "../conversation/chat.ts";
import type { Clock, Timer } from "../core/clock.ts";
import { AppError, describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { dispatch, type HandlersOf } from "../core/thread-messages.ts";
import type { WorkerHandle } from "../core/worker-handle.ts";
import {
  CONCURRENT_UTTERANCES_MAX,
  ConcurrentSpeakers,
  transcribersFor,
} from "../engine/embedded/concurrent-speakers.ts";
import { missingMemoryMb } from "../engine/embedded/hearing-memory.ts";
import {
  type FailedVoice,
  type VoiceFiles,
  voicesIn,
} from "../engine/embedded/own-voices/voice-files.ts";
import type {
  AskTopics,
  TopicAsk,
  TopicReply,
  TopicSource,
} from "../engine/embedded/scripted/agent-topics.ts";
import type { FromSpeechWorker, ToSpeechWorker } from "../engine/embedded/speech-messages.ts";
import type { ProviderIncident } from "../engine/provider-incident.ts";
import { needsSpeechWorker } from "../engine/settings.ts";
import type { KnowledgeIndex } from "../features/knowledge/knowledge-index.ts";
import { createRtpSendThread } from "../media/rtp/rtp-send-thread.ts";
import { LeftOpenFiles } from "../platform/files/left-open.ts";
import { processorWaitMs } from "../platform/threads/processor-wait.ts";
import { PoolCall } from "./call-channel.ts";
import { PoolChat } from "./chat-channel.ts";
import type {
  CallWorkerEvents,
  CallWorkerSettings,
  FromCallWorker,
  ToCallWorker,
} from "./messages.ts";

export interface CallWorkerPool extends VoiceSampler {
  /** Binds an RTP port and prepares the conversation. Throws AppError `unavailable`. */
  open(config: CallConfig): Promise<CallChannel>;
  /** Opens a chat; needs no port. Throws AppError `unavailable`. */
  openChat(config: CallConfig, history: readonly ChatMessage[]): Promise<ChatChannel>;
  readonly liveCalls: number;
  /** Reason why no call can be opened now; null if one can. */
  readonly rejection: string | null;
  /** Number of calls that the RTP port range allows. */
  readonly capacity: number;
  /** Counts since the start: utterances without a free decoder, and dropped ones among them. */
  readonly speechLoad: SpeechLoad;
  /** More callers talk at once than the embedded engine can recognise. */
  readonly tooManyTalk: boolean;
  /**
   * MB missing before English speech can be recognised; 0 if there is enough, or if it is
   * recognised already.
   */
  readonly missingMemoryMb: number;
  /** The operator's voices whose files cannot be used. */
  readonly failedVoices: readonly FailedVoice[];
  /** Does every call worker answer within 5 s? */
  answers(): Promise<boolean>;
  /** Closes all open calls (`interrupted`), then ends the workers. Idempotent. */
  shutdown(): Promise<void>;
}

export interface SpeechLoad {
  readonly waited: number;
  readonly lost: number;
}

interface CallWorkerPoolOptions {
  readonly workers: number;
  readonly spawnCallWorker: () => WorkerHandle;
  readonly spawnSpeechWorker: () => WorkerHandle;
  /** Settings for one worker, but with the whole port range, which the pool slices. */
  readonly settings: CallWorkerSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: troubles of providers are not reported. */
  readonly onProviderTrouble?: (trouble: ProviderIncident) => void;
  readonly onStall?: (lateMs: number) => void;
  /** Never rejects. If missing, nothing is found. */
  readonly searchKnowledge?: KnowledgeIndex["search"];
  /** If missing, the scripted agents have no knowledge. */
  readonly askTopics?: AskTopics;
  readonly timeouts?: Partial<PoolTimeouts>;
  readonly processorWaitMs?: () => number;
}

interface PoolTimeouts {
  /**
   * Maximum time from spawn to `ready`. If the machine had hardly any free CPU meanwhile, the
   * worker gets the same time again.
   */
  readonly startMs: number;
  /** Maximum time from `open` to `opened`, which includes synthesising the greeting. */
  readonly openMs: number;
  /**
   * Maximum time from `close` to `closed`, which includes flushing the recording and writing the
   * summary.
   */
  readonly closeMs: number;
}

const DEFAULT_TIMEOUTS: PoolTimeouts = { startMs: 30_000, openMs: 10_000, closeMs: 10_000 };

/**
 * Pause before a dead worker's replacement: 0 at first, then this time, doubled after each further
 * death.
 */
const RESPAWN_PAUSE_MS = 500;
const RESPAWN_PAUSE_MS_MAX = 30_000;
/** If threads waited for a processor for this share of a span, the machine caused the delay. */
const STARVED_SHARE = 0.5;
const PONG_MS_MAX = 5_000;
const SAMPLE_MS_MAX = 15_000;
/** RTP ports of the worker without RTP. */
const NO_PORTS = { first: 1, last: 0 };

/** Resolves when every worker is ready. Throws AppError `unavailable` after a time-out. */
export async function createCallWorkerPool(
  options: CallWorkerPoolOptions,
): Promise<CallWorkerPool> {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const slices = slicePorts(options.settings.rtpPorts, options.workers);
  const talkersMax = options.workers * CONCURRENT_UTTERANCES_MAX;
  const waiting = new ConcurrentSpeakers(options.clock, talkersMax);
  const slots = slices.map((rtpPorts) => new WorkerSlot(options, timeouts, rtpPorts, waiting));
  const startTrials = () => {
    const trials = new WorkerSlot(options, timeouts, NO_PORTS, waiting, slots[0]);
    void trials.start().catch(() => {});
    return trials;
  };
  const pool = new Pool(slots, waiting, startTrials, options.settings.engine.voices ?? {});
  try {
    await Promise.all(slots.map((slot) => slot.start()));
  } catch (error) {
    await pool.shutdown();
    throw error;
  }
  return pool;
}

/**
 * Even slices of whole RTP/RTCP pairs: each begins at an even port, the last one also has the rest.
 */
export function slicePorts(
  range: { readonly first: number; readonly last: number },
  parts: number,
): { first: number; last: number }[] {
  const first = range.first + (range.first % 2);
  const pairs = Math.floor((range.last - first + 1) / 2);
  if (parts < 1 || pairs < parts) {
    throw new RangeError(`${pairs} RTP port pairs are too few for ${parts} call workers`);
  }
  const pairsEach = Math.floor(pairs / parts);
  return Array.from({ length: parts }, (_, index) => {
    const start = first + index * pairsEach * 2;
    const end = index === parts - 1 ? first + pairs * 2 - 1 : start + pairsEach * 2 - 1;
    return { first: start, last: end };
  });
}

class Pool implements CallWorkerPool {
  #shutdown: Promise<void> | null = null;
  #trials: WorkerSlot | null = null;

  constructor(
    private readonly slots: readonly WorkerSlot[],
    private readonly waiting: ConcurrentSpeakers,
    private readonly startTrials: () => WorkerSlot,
    private readonly voices: VoiceFiles,
  ) {}

  get liveCalls(): number {
    return this.#allSlots.reduce((sum, slot) => sum + slot.load, 0);
  }

  get capacity(): number {
    return this.slots.reduce((sum, slot) => sum + slot.capacity, 0);
  }

  get speechLoad(): SpeechLoad {
    const sum = (outcome: keyof SpeechLoad) =>
      this.slots.reduce((total, slot) => total + slot.speechLoad[outcome], 0);
    return { waited: sum("waited"), lost: sum("lost") };
  }

  get tooManyTalk(): boolean {
    return this.waiting.areTooMany;
  }

  get failedVoices(): readonly FailedVoice[] {
    const failed = new Set(this.slots.flatMap((slot) => [...slot.failedVoices]));
    return voicesIn(this.voices, failed);
  }

  get missingMemoryMb(): number {
    return this.slots.some(({ isHearing }) => isHearing) ? 0 : missingMemoryMb();
  }

  async openChat(config: CallConfig, history: readonly ChatMessage[]): Promise<ChatChannel> {
    return await (await this.#readyTrials()).openChat(config, history);
  }

  get #allSlots(): readonly WorkerSlot[] {
    return this.#trials ? [...this.slots, this.#trials] : this.slots;
  }

  async #readyTrials(): Promise<WorkerSlot> {
    if (this.#shutdown) throw noWorker("the pool is shut down");
    this.#trials ??= this.startTrials();
    await this.#trials.whenReady();
    return this.#trials;
  }

  async sampleVoice(sample: VoiceSample): Promise<Uint8Array> {
    const [slot] = this.slots.filter((each) => each.ready).sort((a, b) => a.load - b.load);
    const wav = slot && !this.#shutdown ? await slot.sampleVoice(sample) : null;
    if (wav) return wav;
    throw new AppError({
      code: "unavailable",
      retryable: true,
      publicMessage: "This voice cannot be heard now. Try again in a moment.",
    });
  }

  get rejection(): string | null {
    const isReady = this.slots.some((slot) => slot.ready);
    return isReady ? null : "The call workers are starting. Try again in a moment.";
  }

  async open(config: CallConfig): Promise<CallChannel> {
    if (config.browser) return await (await this.#readyTrials()).open(config);
    const free = this.slots.filter((slot) => slot.ready && slot.load < slot.capacity);
    const [slot] = free.sort((a, b) => a.load - b.load);
    if (!slot || this.#shutdown) {
      throw noWorker("no call worker with a free RTP port");
    }
    return await slot.open(config);
  }

  async answers(): Promise<boolean> {
    const answers = await Promise.all(this.slots.map((slot) => slot.answers()));
    return answers.every(Boolean);
  }

  shutdown(): Promise<void> {
    this.#shutdown ??= Promise.all(this.#allSlots.map((slot) => slot.shutdown())).then(() => {});
    return this.#shutdown;
  }
}

/**
 * One call worker with its speech worker, or with another slot's. Replaced in place when they die.
 */
class WorkerSlot {
  /** Paths of the files. */
  readonly failedVoices = new Set<string>();
  readonly speechLoad = { waited: 0, lost: 0 };
  /** The recogniser is loaded. */
  isHearing = false;
  readonly #calls = new Map<string, PoolCall>();
  readonly #chats = new Map<string, PoolChat>();
  #callWorker: WorkerHandle | null = null;
  #speechWorker: WorkerHandle | null = null;
  /** Slots that use this one's speech worker. */
  readonly #guests = new Set<WorkerSlot>();
  #ready = Promise.withResolvers<void>();
  #callWorkerReady = false;
  #speechWorkerReady = false;
  #stopped = false;
  #deathsInARow = 0;
  /** Callbacks waiting for a `pong`. */
  readonly #pongs: ((answered: boolean) => void)[] = [];
  /** Callbacks waiting for a voice, by the number of the sample. */
  readonly #samples = new Map<number, (wav: Uint8Array | null) => void>();
  #lastSample = 0;
  #startTimer: Timer | null = null;
  #respawnTimer: Timer | null = null;
  #speechRespawnTimer: Timer | null = null;
  readonly #leftOpen: LeftOpenFiles;
  readonly #events = {
    ready: () => {
      this.#callWorkerReady = true;
      this.#noteReady();
    },
    pong: () => {
      for (const settle of this.#pongs.splice(0)) settle(true);
    },
    log: (level, event, fields) => this.options.log[level](event, fields),
    providerTrouble: (trouble) => this.options.onProviderTrouble?.(trouble),
    stalled: (lateMs) => this.options.onStall?.(lateMs),
    opened: (callId, rtpPort) => this.#calls.get(callId)?.opened(rtpPort),
    event: (callId, event) => this.#calls.get(callId)?.receive(event),
    closed: (callId, report) => this.#calls.get(callId)?.closed(report),
    sampleSpoken: (sampleId, wav) => this.#samples.get(sampleId)?.(wav),
    chatOpened: (callId, opening) => this.#chats.get(callId)?.opened(opening),
    chatEvent: (callId, event) => this.#chats.get(callId)?.receive(event),
    knowledgeAsked: (callId, askId, question) => void this.#lookUp(callId, askId, question),
    topicsAsked: (callId, askId, language, ask) =>
      void this.#askTopics(callId, askId, language, ask),
  } satisfies HandlersOf<CallWorkerEvents>;

  constructor(
    private readonly options: CallWorkerPoolOptions,
    private readonly timeouts: PoolTimeouts,
    private readonly rtpPorts: { readonly first: number; readonly last: number },
    private readonly waiting: ConcurrentSpeakers,
    /** Slot whose speech worker is used. If missing, the slot has its own. */
    private readonly speechHost?: WorkerSlot,
  ) {
    this.#leftOpen = new LeftOpenFiles(options.clock);
  }

  get ready(): boolean {
    const { speechHost = this } = this;
    const canSpeak = speechHost.#speechWorkerReady || !this.#needsSpeechWorker;
    return this.#callWorkerReady && canSpeak && !this.#stopped;
  }

  /** With providers, the embedded engine speaks only if all of them fail. */
  get #needsSpeechWorker(): boolean {
    return needsSpeechWorker(this.options.settings.engine);
  }

  /** Rejects while a dead worker is being replaced. */
  whenReady(): Promise<void> {
    return this.#ready.promise;
  }

  get load(): number {
    return this.#calls.size;
  }

  get capacity(): number {
    return Math.floor((this.rtpPorts.last - this.rtpPorts.first + 1) / 2);
  }

  start(): Promise<void> {
    this.#ready = Promise.withResolvers<void>();
    this.#ready.promise.catch(() => {});
    const callWorker = this.options.spawnCallWorker();
    this.#callWorker = callWorker;
    callWorker.addEventListener("message", (event) => {
      if (callWorker === this.#callWorker)
        dispatch<CallWorkerEvents>(this.#events, event.data as FromCallWorker);
    });
    callWorker.addEventListener("error", (event) => {
      event.preventDefault?.();
      this.#callWorkerDied(callWorker, describeError(event.message));
    });
    const sendThread = this.capacity > 0 ? createRtpSendThread(this.options.log) : null;
    callWorker.addEventListener("close", () => {
      sendThread?.end();
      this.#callWorkerDied(callWorker, "the call worker ended");
    });
    this.#awaitReady(callWorker);
    const speechPort = this.speechHost?.connectSpeech(this) ?? this.#startSpeechWorker();
    const settings: CallWorkerSettings = { ...this.options.settings, rtpPorts: this.rtpPorts };
    const handle = sendThread?.handle ?? null;
    this.#post({ type: "init", args: [settings, speechPort, handle] }, [speechPort]);
    return this.#ready.promise;
  }

  /** A late worker gets more time: a new one would have to repeat its work. */
  #awaitReady(callWorker: WorkerHandle): void {
    const { clock, log, processorWaitMs: waited = processorWaitMs } = this.options;
    const { startMs } = this.timeouts;
    const before = waited();
    this.#startTimer = clock.after(startMs, () => {
      const waitedMs = Math.round(waited() - before);
      if (waitedMs < STARVED_SHARE * startMs)
        this.#callWorkerDied(callWorker, `not ready within ${startMs} ms`);
      else {
        log.warn("call_worker.starved", { waited_for_processor_ms: waitedMs });
        this.#awaitReady(callWorker);
      }
    });
  }

  async open(config: CallConfig): Promise<CallChannel> {
    if (this.#calls.has(config.callId)) throw new Error(`call ${config.callId} is open already`);
    const call: PoolCall = new PoolCall({
      config,
      clock: this.options.clock,
      log: this.options.log,
      closeTimeoutMs: this.timeouts.closeMs,
      send: (message) => this.#post(message),
      onGone: () => this.#calls.delete(config.callId),
    });
    this.#calls.set(config.callId, call);
    await call.open(this.timeouts.openMs);
    return call;
  }

  async openChat(config: CallConfig, history: readonly ChatMessage[]): Promise<ChatChannel> {
    const chat = new PoolChat({
      config,
      history,
      clock: this.options.clock,
      send: (message) => this.#post(message),
      onGone: () => this.#chats.delete(config.callId),
    });
    this.#chats.set(config.callId, chat);
    await chat.open();
    return chat;
  }

  /** Null if the voice cannot speak now. */
  sampleVoice(sample: VoiceSample): Promise<Uint8Array | null> {
    const id = ++this.#lastSample;
    const { promise, resolve } = Promise.withResolvers<Uint8Array | null>();
    const timer = this.options.clock.after(SAMPLE_MS_MAX, () => resolve(null));
    this.#samples.set(id, resolve);
    this.#post({ type: "speakSample", args: [id, sample] });
    return promise.finally(() => {
      timer.cancel();
      this.#samples.delete(id);
    });
  }

  async shutdown(): Promise<void> {
    this.#stopped = true;
    for (const settle of this.#samples.values()) settle(null);
    this.#respawnTimer?.cancel();
    this.#speechRespawnTimer?.cancel();
    this.#startTimer?.cancel();
    this.#leftOpen.stop();
    for (const chat of [...this.#chats.values()]) chat.close();
    await Promise.all([...this.#calls.values()].map((call) => call.close("interrupted")));
    this.#post({ type: "shutdown", args: [] });
    this.#callWorker?.terminate();
    this.#speechWorker?.terminate();
    this.#callWorker = null;
    this.#speechWorker = null;
    this.#ready.reject(new Error("the pool was shut down"));
  }

  answers(): Promise<boolean> {
    if (!this.ready) return Promise.resolve(false);
    const answer = Promise.withResolvers<boolean>();
    this.#pongs.push(answer.resolve);
    const timer = this.options.clock.after(PONG_MS_MAX, () => answer.resolve(false));
    this.#post({ type: "ping", args: [] });
    return answer.promise.finally(() => timer.cancel());
  }

  /**
   * Searches only the knowledge of this call's agent. The main thread alone decides what that is.
   */
  async #lookUp(callId: string, askId: number, question: string): Promise<void> {
    const config = this.#calls.get(callId)?.config ?? this.#chats.get(callId)?.config;
    const scope = config?.knowledgeScope;
    const { searchKnowledge } = this.options;
    const used = (tokens: number) => this.#calls.get(callId)?.embedded(tokens);
    const passages = scope && searchKnowledge ? await searchKnowledge(scope, question, used) : [];
    this.#post({ type: "passages", args: [askId, passages] });
  }

  async #askTopics(
    callId: string,
    askId: number,
    language: TopicSource["language"],
    ask: TopicAsk,
  ): Promise<void> {
    const config = this.#calls.get(callId)?.config ?? this.#chats.get(callId)?.config;
    const { askTopics } = this.options;
    let reply: TopicReply | null = null;
    if (config && askTopics) {
      const { tools, knowledge, memory = null } = config;
      reply = await askTopics({ callId, language, tools, knowledge, memory }, ask);
    }
    this.#post({ type: "topicsFound", args: [askId, reply] });
  }

  #noteReady(): void {
    for (const guest of this.#guests) guest.#noteReady();
    if (!this.ready) return;
    this.#deathsInARow = 0;
    this.#startTimer?.cancel();
    this.#ready.resolve();
  }

  #callWorkerDied(worker: WorkerHandle, detail: string): void {
    if (worker !== this.#callWorker || this.#stopped) return;
    const wasReady = this.ready;
    this.#callWorkerReady = false;
    this.#speechWorkerReady = false;
    this.#callWorker = null;
    this.#startTimer?.cancel();
    this.#speechRespawnTimer?.cancel();
    worker.terminate();
    this.#speechWorker?.terminate();
    this.#speechWorker = null;
    this.options.log.error("call_worker.died", { detail, calls: this.#calls.size });
    const calls = [...this.#calls.values()];
    this.#leftOpen.add(calls.flatMap(({ config }) => config.recordingPath ?? []));
    for (const call of calls) call.workerDied(`call worker died: ${detail}`);
    for (const settle of this.#samples.values()) settle(null);
    for (const chat of [...this.#chats.values()]) chat.workerDied(`call worker died: ${detail}`);
    this.#ready.reject(
      new AppError({
        code: "unavailable",
        publicMessage: "The speech engine could not be started.",
        internal: `call worker: ${detail}`,
      }),
    );
    const pauseMs = wasReady ? 0 : respawnPauseMs(this.#deathsInARow);
    this.#deathsInARow++;
    this.#respawnTimer?.cancel();
    this.#respawnTimer = this.options.clock.after(pauseMs, () => void this.start());
  }

  #noteLoad(event: keyof SpeechLoad): void {
    this.speechLoad[event]++;
    if (event === "waited") this.waiting.waited();
  }

  /** Returns the port for the call worker; the other end was sent to the new speech worker. */
  #startSpeechWorker(): MessagePort {
    const worker = this.options.spawnSpeechWorker();
    const { port1, port2 } = new MessageChannel();
    const startedAt = this.options.clock.monotonic();
    const died = (detail: string) => this.#speechWorkerDied(worker, startedAt, detail);
    worker.addEventListener("message", (event) => {
      if (worker !== this.#speechWorker) return;
      const message = event.data as FromSpeechWorker;
      if (message.type === "load") this.#noteLoad(message.event);
      else if (message.type === "hearing") this.isHearing = message.isLoaded;
      else if (message.type === "hearing_failed")
        this.options.log.warn("speech_recognition.failed", { detail: message.detail });
      else if (message.type === "voice_failed") this.#voiceFailed(message.file, message.detail);
      else if (message.type === "failed") died(message.detail);
      else this.#speechWorkerReady = true;
      this.#noteReady();
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault?.();
      died(describeError(event.message));
    });
    worker.addEventListener("close", () => died("the speech worker ended"));
    this.isHearing = false;
    const transcribersMax = transcribersFor(this.options.workers);
    const { voices = {} } = this.options.settings.engine;
    const init: ToSpeechWorker = { type: "init", port: port2, transcribersMax, voices };
    worker.postMessage(init, [port2]);
    this.#speechWorker = worker;
    for (const guest of this.#guests) guest.#useSpeechPort(this.connectSpeech(guest));
    return port1;
  }

  #voiceFailed(file: string, detail: string): void {
    this.options.log.error("voice.failed", { detail });
    this.failedVoices.add(file);
  }

  /** Gives a guest a port to this slot's speech worker, and another one after each replacement. */
  connectSpeech(guest: WorkerSlot): MessagePort {
    this.#guests.add(guest);
    const { port1, port2 } = new MessageChannel();
    const init: ToSpeechWorker = { type: "init", port: port2 };
    this.#speechWorker?.postMessage(init, [port2]);
    return port1;
  }

  #useSpeechPort(port: MessagePort): void {
    this.#post({ type: "useSpeechPort", args: [port] }, [port]);
  }

  #speechWorkerDied(worker: WorkerHandle, startedAt: number, detail: string): void {
    if (worker !== this.#speechWorker || this.#stopped) return;
    this.#speechWorker = null;
    this.#speechWorkerReady = false;
    worker.terminate();
    this.options.log.error("speech_worker.died", { detail, calls: this.#calls.size });
    const livedMs = this.options.clock.monotonic() - startedAt;
    const pauseMs = livedMs > RESPAWN_PAUSE_MS_MAX ? 0 : RESPAWN_PAUSE_MS;
    this.#speechRespawnTimer?.cancel();
    this.#speechRespawnTimer = this.options.clock.after(pauseMs, () => {
      this.#useSpeechPort(this.#startSpeechWorker());
    });
  }

  #post(message: ToCallWorker, transfer: Transferable[] = []): void {
    this.#callWorker?.postMessage(message, transfer);
  }
}

const noWorker = (internal: string) =>
  new AppError({
    code: "unavailable",
    publicMessage: "All lines are in use. Try again in a moment.",
    internal,
    retryable: true,
  });

function respawnPauseMs(deathsInARow: number): number {
  return Math.min(RESPAWN_PAUSE_MS * 2 ** deathsInARow, RESPAWN_PAUSE_MS_MAX);
}
