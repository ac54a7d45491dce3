/**
 * Main thread's end of one call in a call worker: commands down, typed events up.
 *
 * Guarantees: after `close` (called once, by the owner of the call) a report always arrives. If the
 * worker dies or does not answer, the report is built from the turns seen so far. Events stop with
 * it. A command after the end is dropped. The owner decides what events mean for signalling and
 * money.
 */

import { type CallChannel, CallWorkerDied } from "../call/media-port.ts";
import type { CallConfig } from "../conversation/call-config.ts";
import type {
  CallCommand,
  CallCommands,
  CallEvent,
  CallEvents,
} from "../conversation/call-protocol.ts";
import type { CallReport, TurnRecord } from "../conversation/call-report.ts";
import type { Clock, Timer } from "../core/clock.ts";
import { Emitter, type Unsubscribe } from "../core/emitter.ts";
import type { EndedReason } from "../core/ended-reason.ts";
import { AppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { KnowledgeScope } from "../features/knowledge/knowledge-index.ts";
import { EMPTY_REPORT, NO_MEDIA, NO_USAGE } from "./empty-report.ts";
import type { ToCallWorker } from "./messages.ts";

/** More turns only occur in a runaway conversation. */
const TURNS_MAX = 5_000;

interface PoolCallOptions {
  readonly config: CallConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly closeTimeoutMs: number;
  readonly send: (message: ToCallWorker) => void;
  /** The call has left its worker; its slot is free. */
  readonly onGone: () => void;
}

/** The pool's side of a `CallChannel`. */
export class PoolCall implements CallChannel {
  readonly callId: string;
  readonly #options: PoolCallOptions;
  readonly #events: Emitter<CallEvents>;
  readonly #turns: TurnRecord[] = [];
  readonly #opened = Promise.withResolvers<void>();
  readonly #report = Promise.withResolvers<CallReport>();
  #media = NO_MEDIA;
  #usage = NO_USAGE;
  #embeddingTokens = 0;
  #rtpPort = 0;
  #workerAlive = true;
  #gone = false;
  #closing: Promise<CallReport> | null = null;
  #closeTimer: Timer | null = null;

  constructor(options: PoolCallOptions) {
    this.#options = options;
    this.callId = options.config.callId;
    this.#events = new Emitter((error) =>
      options.log.error("call.listener_threw", { call_id: this.callId, error: String(error) }),
    );
    this.#opened.promise.catch(() => {});
  }

  get config(): CallConfig {
    return this.#options.config;
  }

  get knowledgeScope(): KnowledgeScope | undefined {
    return this.config.knowledgeScope;
  }

  get isRecorded(): boolean {
    return this.config.recordingPath !== null;
  }

  get rtpPort(): number {
    return this.#rtpPort;
  }

  /** Adds tokens counted for this call's searches. */
  embedded(tokens: number): void {
    this.#embeddingTokens += tokens;
  }

  /**
   * Sends `open` and waits for `opened`. Throws AppError `unavailable`; the call has then ended.
   */
  async open(timeoutMs: number): Promise<void> {
    const timer = this.#options.clock.after(timeoutMs, () =>
      this.#opened.reject(unavailable(`call worker did not open the call in ${timeoutMs} ms`)),
    );
    try {
      this.#post({ type: "open", args: [this.#options.config] });
      await this.#opened.promise;
    } catch (error) {
      await this.close("engine_failure");
      throw error;
    } finally {
      timer.cancel();
    }
  }

  send<Name extends keyof CallCommands>(name: Name, ...args: CallCommands[Name]): void {
    // The pair is one member of the union; TypeScript does not see that through the generic.
    const command = { type: name, args } as CallCommand;
    this.#post({ type: "call", args: [this.callId, command] });
  }

  close(reason: EndedReason): Promise<CallReport> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  on<Name extends keyof CallEvents>(
    event: Name,
    listener: (event: CallEvents[Name]) => void,
  ): Unsubscribe {
    return this.#events.on(event, listener);
  }

  /** The worker has bound the port and prepared the conversation. */
  opened(rtpPort: number): void {
    this.#rtpPort = rtpPort;
    this.#opened.resolve();
  }

  receive(event: CallEvent): void {
    this.#remember(event);
    this.#events.emit(event.type, event);
  }

  closed(report: CallReport): void {
    this.#finish(report);
  }

  /** The worker is dead: the owner gets `failed` and then closes, which resolves at once. */
  workerDied(detail: string): void {
    if (!this.#workerAlive || this.#gone) return;
    this.#workerAlive = false;
    this.#opened.reject(new CallWorkerDied(detail));
    if (this.#closing) {
      this.#finish(this.#partialReport());
      return;
    }
    this.#events.emit("failed", { reason: "interrupted", detail });
  }

  /** Records the data for a report in case the worker dies. */
  #remember(event: CallEvent): void {
    if (event.type === "failed") this.#opened.reject(unavailable(event.detail));
    else if (event.type === "turn" && this.#turns.length < TURNS_MAX) this.#turns.push(event.turn);
    else if (event.type === "heartbeat") {
      this.#media = event.media;
      this.#usage = event.usage;
    }
  }

  #post(message: ToCallWorker): void {
    if (this.#workerAlive && !this.#gone) this.#options.send(message);
  }

  #close(reason: EndedReason): Promise<CallReport> {
    const { clock, closeTimeoutMs, log } = this.#options;
    if (!this.#workerAlive) {
      this.#finish(this.#partialReport());
      return this.#report.promise;
    }
    this.#closeTimer = clock.after(closeTimeoutMs, () => {
      log.error("call.close_timed_out", { call_id: this.callId, timeout_ms: closeTimeoutMs });
      this.#finish(this.#partialReport());
    });
    this.#post({ type: "close", args: [this.callId, reason] });
    return this.#report.promise;
  }

  #finish(report: CallReport): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#closeTimer?.cancel();
    this.#opened.reject(unavailable("the call was closed"));
    this.#closing ??= this.#report.promise;
    const usage = { ...report.usage, embeddingTokens: this.#embeddingTokens };
    this.#report.resolve(this.#embeddingTokens === 0 ? report : { ...report, usage });
    this.#events.clear();
    this.#options.onGone();
  }

  /** The recording stays in its original place; call/ended/orphaned-recording.ts repairs its header. */
  #partialReport(): CallReport {
    const turns = this.#turns.toSorted((a, b) => a.index - b.index);
    return { ...EMPTY_REPORT, turns, media: this.#media, usage: this.#usage };
  }
}

function unavailable(internal: string): AppError {
  return new AppError({
    code: "unavailable",
    publicMessage: "The call could not be set up. Try again in a moment.",
    internal,
    retryable: true,
  });
}
