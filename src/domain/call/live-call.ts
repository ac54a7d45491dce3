/**
 * One live call: holds its leg, its media channel and its state together, and writes down what
 * happens. Guarantees: one ending, one charge, one `call.ended` or `call.failed`, and no port or
 * leg left behind, whichever side goes first.
 *
 * Leaves how a call begins to inbound.ts and dialer.ts, and what follows it to after-call.ts.
 */

import { sleep } from "../../core/clock.ts";
import type { Unsubscribe } from "../../core/emitter.ts";
import type { EndedReason } from "../../core/ended-reason.ts";
import { describeError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { MediaPlan } from "../../core/media-plan.ts";
import type { CallerLevel } from "../contact/ports.ts";
import type { CallNote, CallReport, TurnRecord } from "../conversation/call-report.ts";
import { callAnswered } from "../webhook/catalogue.ts";
import type { CallIdentity } from "./call-identity.ts";
import { closingPhrase } from "./closing-phrase.ts";
import type { CallContext } from "./context.ts";
import { QualitySeries } from "./diagnostics.ts";
import { endingAnswered, endingBridged, endingByUs, endingUnanswered } from "./ending.ts";
import { finishCall } from "./finish.ts";
import { LengthLimit } from "./length-limit.ts";
import type { CallChannel } from "./media-port.ts";
import { MoneyWatch } from "./money-watch.ts";
import type { IncomingLeg, OutgoingLeg } from "./sip-port.ts";
import { type CallEnding, type CallMachine, type CallState, createCallMachine } from "./state.ts";
import type { CallRecords } from "./stores.ts";
import { recordToolCall } from "./tool-call-record.ts";
import { type Transfer, transferCall } from "./transfer.ts";
import { verifyCaller } from "./verify-caller.ts";

type AnsweredBy = CallReport["answeredBy"];

/** Somebody who listens in. */
export interface CallMonitor {
  /** 8 kHz, interleaved: left caller, right agent. */
  pcm(stereo: Int16Array): void;
  /** Once, when the call has ended. */
  ended(): void;
}

const STORE_RETRY_MS = 1_000;

export class LiveCall {
  readonly #machine: CallMachine;
  readonly #log: Log;
  #leg: IncomingLeg | OutgoingLeg | null = null;
  #channel: CallChannel | null = null;
  readonly #money: MoneyWatch;
  /** From the INVITE to its answer. */
  #setupMs: number | null = null;
  readonly #beganAtMs: number;
  #level: CallerLevel;
  /** Its 2xx and ACK have both been exchanged: the far end is where its address says. */
  #confirmed = false;
  #raising: Promise<CallerLevel> | null = null;
  readonly #length: LengthLimit;
  /** Who answered is told once: when it is known, or at the end. */
  #answerReported = false;
  /** The transfer that is under way or has joined two legs; written by transfer.ts. */
  transfer: Transfer | null = null;
  #finished: Promise<void> | null = null;
  readonly #quality = new QualitySeries();
  readonly #monitors = new Set<CallMonitor>();

  constructor(
    readonly identity: CallIdentity,
    private readonly context: CallContext,
    initial: "dialing" | "ringing",
  ) {
    this.#log = context.log.with({ call_id: identity.callUuid });
    this.#machine = createCallMachine(initial, {
      onIllegal: (state, event) =>
        this.#log.warn("call.illegal_event", { state: state.name, event: event.type }),
    });
    this.#beganAtMs = context.clock.monotonic();
    this.#money = new MoneyWatch(context, identity);
    this.#level = identity.callerLevel ?? 0;
    this.#length = new LengthLimit({
      clock: context.clock,
      secondsMax: identity.maxDurationSeconds,
      isBridged: () => this.transfer?.isBridged === true,
      onReached: () => this.end(endingByUs("completed", "max_duration")),
    });
    context.registry.add(this);
    context.onChange?.(this);
  }

  get state(): CallState {
    return this.#machine.state;
  }

  get isLive(): boolean {
    return this.#machine.state.name !== "ended";
  }

  /** Resolves when the call is settled and stored; its recording may still be encoding. */
  get finished(): Promise<void> {
    return this.#finished ?? Promise.resolve();
  }

  attachChannel(channel: CallChannel): void {
    this.#channel = channel;
    channel.on("turn", ({ turn }) => this.#storeTurn(turn));
    channel.on("tool_call_requested", (request) => void this.#runTool(request));
    // Only an answered call is ever completed.
    const status = () => (this.#machine.state.name === "in_progress" ? "completed" : "failed");
    channel.on("digit_received", ({ optsOut }) => {
      if (optsOut) this.context.onOptOut?.(this.identity);
    });
    channel.on("hangup_requested", ({ reason }) => this.end(endingByUs(status(), reason)));
    channel.on(
      "transfer_requested",
      ({ target, announcement }) =>
        void transferCall(this.context, this, target, announcement).catch((error) => {
          this.#log.warn("call.transfer_refused", { error: describeError(error) });
          // Another transfer that is under way keeps the caller.
          if (!this.transfer) channel.send("transferFailed", "failed");
        }),
    );
    channel.on("note", ({ note }) => this.#noted(note));
    channel.on("heartbeat", ({ media }) => {
      this.#quality.note(media, this.context.clock.now());
      void this.#watchMoney();
    });
    channel.on("monitor_audio", ({ pcm }) => {
      for (const listener of this.#monitors) listener.pcm(pcm);
    });
    channel.on("failed", ({ reason, detail }) => {
      this.#log.error("call.media_failed", { reason, detail });
      this.end(endingByUs(status(), reason));
    });
    if (!this.isLive) void channel.close("interrupted");
  }

  attachLeg(leg: IncomingLeg | OutgoingLeg): void {
    this.#leg = leg;
    leg.on("answered", () => {
      this.#confirmed = true;
    });
    leg.on("media", ({ plan }) => this.#channel?.send("connect", plan));
    leg.on("digit", ({ digit }) => this.#channel?.send("digit", digit));
    leg.on("ended", (end) => {
      const answered = this.#machine.state.name === "in_progress";
      const referral = this.transfer?.referral;
      if (!answered || end.kind === "ack_missing") this.end(endingUnanswered(end));
      else if (referral && end.kind === "bye")
        void referral.then(({ transferred }) => {
          if (!transferred) this.end(endingAnswered(end));
        });
      else if (this.transfer?.isBridged) this.end(endingBridged(end));
      else this.end(endingAnswered(end));
    });
    // An inbound call was stored with it.
    if (this.identity.direction === "outbound")
      this.#write("sip", (store) =>
        store.setSip(this.identity.tenantId, this.identity.callUuid, leg.sipCallId),
      );
    if (!this.isLive) leg.hangUp();
  }

  /** Both sides, for somebody who listens in. null: nobody speaks yet, or any more. */
  monitor(listener: CallMonitor): Unsubscribe | null {
    const channel = this.#channel;
    if (this.#machine.state.name !== "in_progress" || !channel) return null;
    this.#monitors.add(listener);
    if (this.#monitors.size === 1) channel.send("monitor", true);
    return () => {
      if (this.#monitors.delete(listener) && this.#monitors.size === 0)
        channel.send("monitor", false);
    };
  }

  get leg(): IncomingLeg | OutgoingLeg | null {
    return this.#leg;
  }

  get channel(): CallChannel | null {
    return this.#channel;
  }

  /** Milliseconds since the answer; 0 before. */
  get answeredMs(): number {
    const { state } = this.#machine;
    if (state.name !== "in_progress") return 0;
    return Math.round(this.context.clock.monotonic() - state.answeredMonotonicMs);
  }

  /** Kept with the call. */
  note(note: CallNote): void {
    this.context.database
      .tx((queries) => this.context.stores.notes(queries).add(this.identity.rowId, note))
      .catch((error) => this.#storeFailed("note", error));
  }

  ringing(plan: MediaPlan | null): void {
    if (!this.#machine.can("ring")) return;
    const first = this.#machine.state.name === "dialing";
    this.#machine.apply({ type: "ring" });
    if (first) this.context.onChange?.(this);
    if (plan) this.#channel?.send("connect", plan);
    if (first)
      this.#write("ringing", (store) =>
        store.markRinging(this.identity.tenantId, this.identity.callUuid, this.context.clock.now()),
      );
  }

  /** The moment billing begins. */
  answered(plan: MediaPlan): void {
    if (!this.#machine.can("answer")) return;
    const { clock } = this.context;
    const nowMs = clock.now();
    this.#setupMs = clock.monotonic() - this.#beganAtMs;
    const monotonicMs = clock.monotonic();
    this.#machine.apply({ type: "answer", atMs: nowMs, monotonicMs });
    this.#length.begin(monotonicMs);
    this.context.onChange?.(this);
    this.#channel?.send("connect", plan);
    this.#channel?.send("answered");
    const { tenantId, callUuid } = this.identity;
    const answer = (store: CallRecords) => store.markAnswered(tenantId, callUuid, nowMs);
    void this.#writeInTheEnd("answered", answer);
    // Whom we called is told apart by what they say; a caller is nobody's machine.
    if (this.identity.direction === "inbound") this.#reportAnswer("unknown");
    this.#log.info("call.answered", { direction: this.identity.direction });
  }

  /** Ends the call, whatever it is doing. Later calls change nothing. */
  end(ending: CallEnding): void {
    if (!this.isLive) return;
    const { registry } = this.context;
    const countedUntilMs = this.#length.stop();
    this.transfer?.callEnded();
    if (this.#machine.state.name === "in_progress") this.#reportAnswer("unknown");
    const unconfirmed = !this.#confirmed;
    this.#machine.apply({ type: "end", ending, monotonicMs: countedUntilMs, unconfirmed });
    this.context.onChange?.(this);
    for (const listener of this.#monitors) listener.ended();
    this.#monitors.clear();
    this.#leg?.hangUp();
    this.#log.info("call.ended", { status: ending.status, reason: ending.reason });
    const { state } = this.#machine;
    const answeredMs = state.name === "ended" ? state.answeredMs : 0;
    this.#finished = finishCall(this.context, this.identity, state, this.#channel)
      .then((report) => {
        this.context.onEnded?.(this.identity, {
          ending,
          setupMs: this.#setupMs,
          answeredMs,
          report,
        });
        return this.context.diagnostics?.record(this.identity, {
          sipCallId: this.#leg?.sipCallId ?? null,
          quality: this.#quality.samples,
        });
      })
      .catch((error) => this.#storeFailed("finish", error))
      .finally(() => registry.remove(this));
  }

  /** The agent says goodbye first where it can. */
  endPolitely(reason: EndedReason): void {
    if (this.#machine.state.name !== "in_progress" || !this.#channel) {
      this.end(endingByUs("cancelled", "cancelled"));
      return;
    }
    this.#channel.send("sayAndEnd", closingPhrase(this.identity.language), reason);
  }

  #noted(note: CallNote): void {
    this.note(note);
    if (note.kind !== "answered_by") return;
    const { tenantId, callUuid } = this.identity;
    this.#write("answered by", (store) => store.setAnsweredBy(tenantId, callUuid, note.result));
    this.#reportAnswer(note.result);
  }

  /** `call.answered`, once. */
  #reportAnswer(answeredBy: AnsweredBy): void {
    const { state } = this.#machine;
    if (this.#answerReported || state.name !== "in_progress") return;
    this.#answerReported = true;
    const event = callAnswered(this.identity, state.answeredAtMs, answeredBy);
    this.context.database
      .tx((queries) => this.context.events.emit(queries, this.identity.tenantId, event))
      .then(() => this.context.events.wake())
      .catch((error) => this.#storeFailed("call.answered", error));
  }

  async #runTool(request: {
    toolCallId: string;
    tool: string;
    arguments: JsonObject;
  }): Promise<void> {
    const { tenantId, callUuid, direction, fromNumber, toNumber } = this.identity;
    const result = await this.context.tools.run(tenantId, {
      callUuid,
      ...request,
      caller: { number: direction === "inbound" ? fromNumber : toNumber, direction },
      level: this.#level,
      raise: () => this.#raiseLevel(),
    });
    this.#channel?.send("toolResult", result);
    await recordToolCall(this.context, this.identity, request, result).catch((error) => {
      this.#storeFailed("tool call", error);
    });
  }

  /** One question at a time, whichever tools need it. */
  #raiseLevel(): Promise<CallerLevel> {
    this.#raising ??= this.#askWhoItIs().finally(() => {
      this.#raising = null;
    });
    return this.#raising;
  }

  async #askWhoItIs(): Promise<CallerLevel> {
    const { callers, clock } = this.context;
    const channel = this.#channel;
    if (!callers || !channel || this.#machine.state.name !== "in_progress" || this.transfer)
      return this.#level;
    const { tenantId, callUuid, direction, fromNumber, toNumber } = this.identity;
    const trustedTrunk = this.#confirmed && this.identity.trustedTrunk === true;
    this.#level = await verifyCaller(
      { pins: callers.pins, clock },
      {
        ...{ tenantId, callUuid, level: this.#level, trustedTrunk },
        number: direction === "inbound" ? fromNumber : toNumber,
      },
      channel,
    );
    return this.#level;
  }

  async #watchMoney(): Promise<void> {
    const state = this.#machine.state;
    if (state.name !== "in_progress") return;
    const elapsedSeconds = (this.context.clock.monotonic() - state.answeredMonotonicMs) / 1000;
    try {
      if (await this.#money.isExhausted(elapsedSeconds))
        this.#channel?.send(
          "sayAndEnd",
          closingPhrase(this.identity.language),
          "balance_exhausted",
        );
    } catch (error) {
      this.#storeFailed("hold", error);
    }
  }

  #storeTurn(turn: TurnRecord): void {
    this.context.onTurn?.(this.identity, turn);
    this.#write("turn", (store) => store.putTurn(this.identity.rowId, turn));
  }

  /** For what a crash is billed by: tried again while the call lives. finish.ts makes up for the rest. */
  async #writeInTheEnd(what: string, step: (store: CallRecords) => Promise<void>): Promise<void> {
    while (this.isLive) {
      try {
        await this.context.database.tx((queries) => step(this.context.stores.calls(queries)));
        return;
      } catch (error) {
        this.#storeFailed(what, error);
        await sleep(this.context.clock, STORE_RETRY_MS);
      }
    }
  }

  #write(what: string, step: (store: CallRecords) => Promise<void>): void {
    this.context.database
      .tx((queries) => step(this.context.stores.calls(queries)))
      .catch((error) => this.#storeFailed(what, error));
  }

  /** A live call goes on when the store does not. */
  #storeFailed(what: string, error: unknown): void {
    this.#log.error("call.store_failed", { what, error: describeError(error) });
  }
}

export interface EndOfCall {
  readonly ending: CallEnding;
  /** From the INVITE to its answer, ms; null: never answered. */
  readonly setupMs: number | null;
  /** From its answer to its end, ms. */
  readonly answeredMs: number;
  /** null: there was no media. */
  readonly report: CallReport | null;
}
