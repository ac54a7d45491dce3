/**
 * One live call: owns its leg, its media channel and its state, and stores the events.
 *
 * Guarantees: one ending, one charge, one `call.ended` or `call.failed`, and no leaked port or leg, whichever
 * side ends first.
 *
 * inbound.ts and dialer.ts begin calls; after-call.ts does the follow-up work.
 */

import type { CallNote, CallReport, TurnRecord } from "../../conversation/call-report.ts";
import { sleep } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import type { Unsubscribe } from "../../core/emitter.ts";
import type { EndedReason } from "../../core/ended-reason.ts";
import { describeError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { MediaPlan, MediaStatistics } from "../../core/media-plan.ts";
import type { Callers } from "../../features/contact/caller-identification.ts";
import type { CallerLevel, PinCheck } from "../../features/contact/ports.ts";
import type { ToolRunner } from "../../features/tool/ports.ts";
import { callAnswered } from "../../features/webhook/catalogue.ts";
import type { EventDraft } from "../../features/webhook/ports.ts";
import { type CallIdentity, remoteNumber } from "../call-identity.ts";
import { mediaFields, QualitySeries } from "../diagnostics.ts";
import { type FinishPorts, finishCall } from "../ended/finish.ts";
import { endingAnswered, endingBridged, endingByUs, endingUnanswered } from "../ending.ts";
import type { CallChannel } from "../media-port.ts";
import type { IncomingLeg, OutgoingLeg } from "../sip-port.ts";
import {
  type CallEnding,
  type CallEvent,
  type CallMachine,
  type CallState,
  type CallTransfer,
  createCallMachine,
} from "../state.ts";
import type { CallRecords } from "../stores.ts";
import { closingPhrase } from "./closing-phrase.ts";
import type { DiagnosticsRecorder } from "./diagnostics-recorder.ts";
import { LengthLimit } from "./length-limit.ts";
import { LineProblems } from "./line-problems.ts";
import { type MoneyPorts, MoneyWatch } from "./money-watch.ts";
import { recordToolCall, type ToolCallPorts } from "./tool-call-record.ts";
import { type TransferPorts, type TransferredCall, transferCall } from "./transfer.ts";
import { verifyCaller } from "./verify-caller.ts";

type AnsweredBy = CallReport["answeredBy"];

/** Somebody who listens in. */
interface CallMonitor {
  /** 8 kHz, interleaved: left caller, right agent. */
  pcm(stereo: Int16Array): void;
  /** Once, when the call has ended. */
  ended(): void;
}

const STORE_RETRY_MS = 1_000;

type InProgress = Extract<CallState, { name: "in_progress" }>;

/** Observer of calls: live lists, the command line, metrics, traces. */
interface CallObserver {
  readonly onTurn?: (call: CallIdentity, turn: TurnRecord) => void;
  /** Called when a call begins, rings, is answered or ends. */
  readonly onChange?: (call: LiveCall) => void;
  /**
   * The other party wants no more calls: it pressed the offered key, or confirmed it in words.
   * After words, the agent itself says goodbye.
   */
  readonly onOptOut?: (call: CallIdentity, by: "key" | "voice") => void;
  /** Called after the end of a call is stored. */
  readonly onEnded?: (call: CallIdentity, end: EndOfCall) => void;
}

/** List of live calls. */
export interface LiveCallList {
  add(call: LiveCall): void;
  remove(call: LiveCall): void;
}

export interface LiveCallPorts
  extends FinishPorts,
    MoneyPorts,
    ToolCallPorts,
    TransferPorts,
    CallObserver {
  readonly settings: FinishPorts["settings"] & TransferPorts["settings"];
  readonly billing: FinishPorts["billing"] & MoneyPorts["billing"];
  readonly registry: LiveCallList;
  readonly tools: ToolRunner;
  readonly callers: Pick<Callers, "pins" | "ended" | "wake">;
  /** Missing: no diagnostics are stored. */
  readonly diagnostics?: DiagnosticsRecorder;
}

export class LiveCall implements TransferredCall {
  readonly #machine: CallMachine;
  readonly #log: Log;
  #leg: IncomingLeg | OutgoingLeg | null = null;
  #channel: CallChannel | null = null;
  readonly #money: MoneyWatch;
  /** Milliseconds from the INVITE to its answer. */
  #setupMs: number | null = null;
  readonly #beganAtMs: number;
  readonly #length: LengthLimit;
  readonly #quality = new QualitySeries();
  readonly #lineProblems = new LineProblems();
  readonly #monitors = new Set<CallMonitor>();
  readonly #storedTurns = new Map<number, TurnRecord>();

  constructor(
    readonly identity: CallIdentity,
    private readonly context: LiveCallPorts,
    initial: "dialing" | "ringing",
  ) {
    this.#log = context.log.with({ call_id: identity.callUuid });
    const onIllegal = (state: CallState, event: CallEvent) =>
      this.#log.warn("call.illegal_event", { state: state.name, event: event.type });
    this.#machine = createCallMachine(initial, { onIllegal }, identity.callerLevel);
    this.#beganAtMs = context.clock.monotonic();
    this.#money = new MoneyWatch(context, identity);
    this.#length = new LengthLimit({
      clock: context.clock,
      secondsMax: identity.maxDurationSeconds,
      isBridged: () => this.#transfer?.isBridged === true,
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
    const { state } = this.#machine;
    return state.name === "ended" ? state.settled : Promise.resolve();
  }

  /** The transfer in progress, also while it has joined two legs. */
  get #transfer(): CallTransfer | null {
    const { state } = this.#machine;
    return state.name === "in_progress" ? state.transfer : null;
  }

  /** How certain the other party's identity is. */
  get #level(): CallerLevel {
    const { state } = this.#machine;
    return state.name === "queued" ? 0 : state.level;
  }

  beginTransfer(transfer: CallTransfer): void {
    this.#machine.apply({ type: "transfer", transfer });
  }

  returned(): void {
    this.#machine.apply({ type: "return" });
  }

  attachChannel(channel: CallChannel): void {
    this.#channel = channel;
    channel.on("turn", ({ turn }) => this.#storeTurn(turn));
    channel.on("tool_call_requested", (request) => void this.#runTool(request));
    // Only an answered call can be `completed`.
    const status = () => (this.#machine.state.name === "in_progress" ? "completed" : "failed");
    channel.on("digit_received", ({ optsOut }) => {
      if (optsOut) this.context.onOptOut?.(this.identity, "key");
    });
    channel.on("opted_out", () => this.context.onOptOut?.(this.identity, "voice"));
    channel.on("hangup_requested", ({ reason }) => this.end(endingByUs(status(), reason)));
    channel.on(
      "transfer_requested",
      ({ target, announcement }) =>
        void transferCall(this.context, this, target, announcement).catch((error) => {
          this.#log.warn("call.transfer_refused", { error: describeError(error) });
          // Another transfer in progress keeps the caller.
          if (!this.#transfer) channel.send("transferFailed", "failed");
        }),
    );
    channel.on("note", ({ note }) => this.#noted(note));
    channel.on("heartbeat", ({ media }) => {
      this.#quality.note(media, this.context.clock.now());
      this.#watchLine(media);
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
      if (!this.isLive) return;
      this.#machine.apply({ type: "confirm" });
      this.#storeAnswer();
    });
    leg.on("media", ({ plan }) => this.#channel?.send("connect", plan));
    leg.on("digit", ({ digit }) => this.#channel?.send("digit", digit));
    leg.on("ended", (end) => {
      const answered = this.#machine.state.name === "in_progress";
      const referral = this.#transfer?.referral;
      if (!answered || end.kind === "ack_missing") this.end(endingUnanswered(end));
      else if (referral && end.kind === "bye")
        void referral.then(({ transferred }) => {
          if (!transferred) this.end(endingAnswered(end));
        });
      else if (this.#transfer?.isBridged) this.end(endingBridged(end));
      else this.end(endingAnswered(end));
    });
    // An inbound call was stored with these fields.
    if (this.identity.direction === "outbound")
      this.#write("sip", (store) =>
        store.setSip(this.identity.tenantId, this.identity.callUuid, leg.sipCallId),
      );
    if (!this.isLive) leg.hangUp();
  }

  /** Sends both sides' audio to a listener. Null while there is no audio. */
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

  /** Stores a note with the call. */
  note(note: CallNote): void {
    this.context.database
      .tx(
        (queries) => this.context.stores.notes(queries).add(this.identity.rowId, note),
        "background",
      )
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

  /** Billing begins here. */
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
    this.#storeAnswer();
    this.#log.info("call.answered", { direction: this.identity.direction });
  }

  /** Stored with the ACK. After a crash a stored answer is billed; an answer without ACK is not (decisions 12). */
  #storeAnswer(): void {
    const { state } = this.#machine;
    if (state.name !== "in_progress" || !state.confirmed) return;
    const { tenantId, callUuid, direction } = this.identity;
    // Machine detection applies to outbound calls only, so an inbound answer is reported at once.
    const event = direction === "inbound" ? this.#answerToReport("unknown") : null;
    void this.#writeInTheEnd("answered", async (queries) => {
      const calls = this.context.stores.calls(queries);
      const isRecorded = this.#channel?.isRecorded === true;
      await calls.markAnswered(tenantId, callUuid, state.answeredAtMs, isRecorded);
      if (event) await this.context.events.emit(queries, tenantId, event);
    });
  }

  /** Ends the call in any state. Later calls have no effect. */
  end(ending: CallEnding): void {
    if (!this.isLive) return;
    const countedUntilMs = this.#length.stop();
    this.#transfer?.callEnded();
    this.#reportAnswer("unknown");
    const settled = Promise.withResolvers<void>();
    this.#machine.apply({
      type: "end",
      ending,
      monotonicMs: countedUntilMs,
      settled: settled.promise,
    });
    this.context.onChange?.(this);
    for (const listener of this.#monitors) listener.ended();
    this.#monitors.clear();
    this.#leg?.hangUp(ending.sipCode);
    this.#log.info("call.ended", { status: ending.status, reason: ending.reason });
    void this.#finish(ending).then(settled.resolve);
  }

  /** Never rejects. */
  async #finish(ending: CallEnding): Promise<void> {
    const { context, identity } = this;
    const { state } = this.#machine;
    try {
      const { answeredMs, sinceAnswerMs } =
        state.name === "ended" ? state : { answeredMs: 0, sinceAnswerMs: 0 };
      const end = { ending, answeredMs, sinceAnswerMs };
      const report = await finishCall(context, identity, end, this.#channel, this.#storedTurns);
      context.onEnded?.(identity, { ending, setupMs: this.#setupMs, answeredMs, report });
      if (report && answeredMs > 0) this.#log.info("call.media", mediaFields(report.media));
      await context.diagnostics?.record(identity, {
        sipCallId: this.#leg?.sipCallId ?? null,
        quality: this.#quality.samples,
        packetHeaders: report?.packetHeaders ?? null,
      });
    } catch (error) {
      this.#storeFailed("finish", error);
    } finally {
      context.registry.remove(this);
    }
  }

  /** Lets the agent say goodbye first if possible. */
  endPolitely(reason: EndedReason): void {
    if (this.#machine.state.name !== "in_progress" || !this.#channel) {
      this.end(endingByUs("cancelled", "cancelled"));
      return;
    }
    this.#channel.send("sayAndEnd", closingPhrase(this.identity.language), reason);
  }

  #watchLine(media: MediaStatistics): void {
    if (this.#machine.state.name !== "in_progress") return;
    for (const note of this.#lineProblems.check(media, this.answeredMs)) {
      const { side, lossPercent, delayMs } = note;
      this.#log.warn("call.line_bad", { side, loss_percent: lossPercent, delay_ms: delayMs });
      this.note(note);
    }
  }

  #noted(note: CallNote): void {
    this.note(note);
    if (note.kind !== "answered_by") return;
    const { tenantId, callUuid } = this.identity;
    this.#write("answered by", (store) => store.setAnsweredBy(tenantId, callUuid, note.result));
    this.#reportAnswer(note.result);
  }

  /** Returns `call.answered` once, for a call in progress. */
  #answerToReport(answeredBy: AnsweredBy): EventDraft | null {
    const { state } = this.#machine;
    if (state.name !== "in_progress" || state.answerReported) return null;
    this.#machine.apply({ type: "report_answer" });
    return callAnswered(this.identity, state.answeredAtMs, answeredBy);
  }

  #reportAnswer(answeredBy: AnsweredBy): void {
    const event = this.#answerToReport(answeredBy);
    if (!event) return;
    this.context.database
      .tx(
        (queries) => this.context.events.emit(queries, this.identity.tenantId, event),
        "background",
      )
      .then(() => this.context.events.wake())
      .catch((error) => this.#storeFailed("call.answered", error));
  }

  async #runTool(request: {
    toolCallId: string;
    tool: string;
    arguments: JsonObject;
  }): Promise<void> {
    const { tenantId, callUuid, direction, agentId, agentVersion } = this.identity;
    const result = await this.context.tools.run(tenantId, {
      callUuid,
      ...(agentId && agentVersion ? { version: { agentId, number: agentVersion } } : {}),
      ...request,
      caller: { number: remoteNumber(this.identity), direction },
      level: this.#level,
      raise: () => this.#raiseLevel(),
    });
    this.#channel?.send("toolResult", result);
    await recordToolCall(this.context, this.identity, request, result).catch((error) => {
      this.#storeFailed("tool call", error);
    });
  }

  /** Asks once, even if several tools need it at the same time. */
  #raiseLevel(): Promise<CallerLevel> {
    const { state } = this.#machine;
    const { callers } = this.context;
    const channel = this.#channel;
    if (state.name !== "in_progress" || !channel) return Promise.resolve(this.#level);
    if (state.asking) return state.asking;
    if (state.transfer) return Promise.resolve(state.level);
    const asking = this.#askWhoItIs(callers.pins, channel, state);
    this.#machine.apply({ type: "ask", asking });
    return asking;
  }

  async #askWhoItIs(
    pins: PinCheck,
    channel: CallChannel,
    { confirmed, level }: InProgress,
  ): Promise<CallerLevel> {
    const { tenantId, callUuid } = this.identity;
    const trustedTrunk = confirmed && this.identity.trustedTrunk === true;
    const number = remoteNumber(this.identity);
    const caller = { tenantId, callUuid, level, trustedTrunk, number };
    const { clock } = this.context;
    let reached = level;
    try {
      reached = await verifyCaller({ pins, clock }, caller, channel);
      return reached;
    } finally {
      if (this.#machine.can("asked")) this.#machine.apply({ type: "asked", level: reached });
    }
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
    this.#write("turn", (store) => store.putTurn(this.identity.rowId, turn))
      // Called in the order of the writes.
      .then((isStored) => isStored && this.#storedTurns.set(turn.index, turn));
  }

  /** Stores data that bills a call after a crash. Retries while the call lives; finish.ts does the rest. */
  async #writeInTheEnd(what: string, step: (queries: Queries) => Promise<void>): Promise<void> {
    while (this.isLive) {
      try {
        await this.context.database.tx(step, "background");
        this.context.events.wake();
        return;
      } catch (error) {
        this.#storeFailed(what, error);
        await sleep(this.context.clock, STORE_RETRY_MS);
      }
    }
  }

  /** Resolves to true if it was stored. */
  async #write(what: string, step: (store: CallRecords) => Promise<void>): Promise<boolean> {
    try {
      await this.context.database.tx(
        (queries) => step(this.context.stores.calls(queries)),
        "background",
      );
      return true;
    } catch (error) {
      this.#storeFailed(what, error);
      return false;
    }
  }

  /** A live call continues if the store fails. */
  #storeFailed(what: string, error: unknown): void {
    this.#log.error("call.store_failed", { what, error: describeError(error) });
  }
}

export interface EndOfCall {
  readonly ending: CallEnding;
  /** Milliseconds from the INVITE to its answer; null if it was never answered. */
  readonly setupMs: number | null;
  /** Milliseconds from its answer to its end. */
  readonly answeredMs: number;
  /** Null if there was no media. */
  readonly report: CallReport | null;
}
