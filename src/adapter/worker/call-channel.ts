/**
 * Main's end of one call in a call worker: commands down, typed events up.
 *
 * Guarantees: after `close` (once, by whoever owns the call) a report always arrives, also when the
 * worker dies or says nothing: then it is built from the turns seen so far. Events stop with it. A
 * command after the end is dropped. What an event means for signalling and money is the owner's.
 */

import type { Clock, Timer } from "../../core/clock.ts";
import { Emitter, type Unsubscribe } from "../../core/emitter.ts";
import type { EndedReason } from "../../core/ended-reason.ts";
import { AppError, unreachable } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { MediaPlan } from "../../core/media-plan.ts";
import type { CallChannel, CallChannelEvents } from "../../domain/call/media-port.ts";
import type { CallConfig, ToolResult } from "../../domain/conversation/call-config.ts";
import type {
  CallReport,
  TransferFailure,
  TurnRecord,
} from "../../domain/conversation/call-report.ts";
import { EMPTY_REPORT, NO_MEDIA, NO_USAGE } from "./empty-report.ts";
import type { FromCallWorker, ToCallWorker } from "./messages.ts";

export type { CallChannel, CallChannelEvents } from "../../domain/call/media-port.ts";

/** No call has more turns than this; the rest would only be a runaway conversation. */
const TURNS_MAX = 5_000;

/** What a worker says about one call. */
export type CallMessage = Exclude<
  FromCallWorker,
  { type: "ready" | "pong" | "log" | "chat_opened" | "chat_event" }
>;

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
  readonly #events: Emitter<CallChannelEvents>;
  readonly #turns: TurnRecord[] = [];
  readonly #opened = Promise.withResolvers<void>();
  readonly #report = Promise.withResolvers<CallReport>();
  #media = NO_MEDIA;
  #usage = NO_USAGE;
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

  get rtpPort(): number {
    return this.#rtpPort;
  }

  /** Sends `open` and waits for `opened`. Throws AppError `unavailable`; the call is gone then. */
  async open(timeoutMs: number): Promise<void> {
    const timer = this.#options.clock.after(timeoutMs, () =>
      this.#opened.reject(unavailable(`call worker did not open the call in ${timeoutMs} ms`)),
    );
    try {
      this.#send({ type: "open", call: this.#options.config });
      await this.#opened.promise;
    } catch (error) {
      await this.close("engine_failure");
      throw error;
    } finally {
      timer.cancel();
    }
  }

  connect(plan: MediaPlan): void {
    this.#send({ type: "connect", callId: this.callId, plan });
  }

  answered(): void {
    this.#send({ type: "answered", callId: this.callId });
  }

  toolResult(result: ToolResult): void {
    this.#send({ type: "tool_result", callId: this.callId, result });
  }

  digit(digit: string): void {
    this.#send({ type: "digit", callId: this.callId, digit });
  }

  sayAndEnd(text: string, reason: EndedReason): void {
    this.#send({ type: "say_and_end", callId: this.callId, text, reason });
  }

  transferBegin(): void {
    this.#send({ type: "transfer_begin", callId: this.callId });
  }

  transferFailed(cause: TransferFailure): void {
    this.#send({ type: "transfer_failed", callId: this.callId, cause });
  }

  bridgeOpen(): void {
    this.#send({ type: "bridge_open", callId: this.callId });
  }

  bridgeConnect(plan: MediaPlan): void {
    this.#send({ type: "bridge_connect", callId: this.callId, plan });
  }

  bridgeJoin(announcement: string | true | null): void {
    this.#send({ type: "bridge_join", callId: this.callId, announcement });
  }

  bridgeDigit(digit: string): void {
    this.#send({ type: "bridge_digit", callId: this.callId, digit });
  }

  askPin(again: boolean): void {
    this.#send({ type: "pin_ask", callId: this.callId, again });
  }

  pinDone(): void {
    this.#send({ type: "pin_done", callId: this.callId });
  }

  monitor(on: boolean): void {
    this.#send({ type: "monitor", callId: this.callId, on });
  }

  audioIn(pcm: Int16Array): void {
    this.#send({ type: "audio_in", callId: this.callId, pcm });
  }

  close(reason: EndedReason): Promise<CallReport> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  on<Name extends keyof CallChannelEvents>(
    event: Name,
    listener: (event: CallChannelEvents[Name]) => void,
  ): Unsubscribe {
    return this.#events.on(event, listener);
  }

  /** A message of the worker about this call. */
  receive(message: CallMessage): void {
    switch (message.type) {
      case "opened":
        this.#rtpPort = message.rtpPort;
        this.#opened.resolve();
        break;
      case "failed":
        this.#opened.reject(unavailable(message.detail));
        this.#events.emit("failed", message);
        break;
      case "turn":
        if (this.#turns.length < TURNS_MAX) this.#turns.push(message.turn);
        this.#events.emit("turn", message.turn);
        break;
      case "heartbeat":
        this.#media = message.media;
        this.#usage = message.usage;
        this.#events.emit("heartbeat", message);
        break;
      case "closed":
        this.#finish(message.report);
        break;
      case "tool_call_requested":
        this.#events.emit("tool_call_requested", message);
        break;
      case "digit_received":
        this.#events.emit("digit_received", message);
        break;
      case "pin_entered":
        this.#events.emit("pin_entered", message);
        break;
      case "hangup_requested":
        this.#events.emit("hangup_requested", message);
        break;
      case "transfer_requested":
        this.#events.emit("transfer_requested", message);
        break;
      case "transfer_ready":
        this.#events.emit("transfer_ready", message);
        break;
      case "bridge_opened":
        this.#events.emit("bridge_opened", message);
        break;
      case "bridge_failed":
        this.#events.emit("bridge_failed", message);
        break;
      case "bridged":
        this.#events.emit("bridged", message);
        break;
      case "note":
        this.#events.emit("note", message.note);
        break;
      case "monitor_audio":
      case "audio_out":
      case "audio_clear":
        this.#events.emit(message.type, message as never);
        break;
      default:
        unreachable(message);
    }
  }

  /** The worker is dead: the owner hears `failed` and then closes, which resolves at once. */
  workerDied(detail: string): void {
    if (!this.#workerAlive || this.#gone) return;
    this.#workerAlive = false;
    this.#opened.reject(unavailable(detail));
    if (this.#closing) {
      this.#finish(this.#partialReport());
      return;
    }
    this.#events.emit("failed", { reason: "engine_failure", detail });
  }

  #send(message: ToCallWorker): void {
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
    this.#send({ type: "close", callId: this.callId, reason });
    return this.#report.promise;
  }

  #finish(report: CallReport): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#closeTimer?.cancel();
    this.#opened.reject(unavailable("the call was closed"));
    this.#closing ??= this.#report.promise;
    this.#report.resolve(report);
    this.#events.clear();
    this.#options.onGone();
  }

  /** The recording stays where the brief put it; call/left-recording.ts repairs its header. */
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
