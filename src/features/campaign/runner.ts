/**
 * Runs campaigns: keeps up to the configured number of calls per campaign active within its hours, and
 * records the results. The database decides which number is next.
 *
 * A number is marked in the transaction that stores its call. So two nodes, or a restart after a crash, never
 * call it twice.
 */

import type { CallService } from "../../call/ports.ts";
import { type Clock, type ClockTrust, yieldToEventLoop } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { e164 } from "../../core/e164.ts";
import { AppError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { WorkLoop } from "../../core/work-loop.ts";
import type { EndListener } from "../contact/caller-identification.ts";
import { type CallingHours, mayCallNow } from "../contact/calling-hours.ts";
import type { CampaignCalendar, CampaignRecord } from "./campaigns.ts";
import type { TargetStatus } from "./listed-targets.ts";

/** Number of latest calls to evaluate. */
const BREAKER_WINDOW = 20;
const BREAKER_MIN = 10;
const BREAKER_SHARE = 0.5;
const LOOK_EVERY_MS = 15_000;
/** Tolerance for a late round: the next round still checks all campaigns. */
const LATE_MAX_MS = 5_000;
/** Numbers per campaign and round to check against the do-not-call list. */
const LOOKED_AT_MAX = 500;
/** Campaigns per read. */
const PAGE = 100;
/** Delay before retrying a number after a temporary block. */
const POSTPONED_MS = 15 * 60_000;

/** Also the result if no call could be placed. It costs no attempt, but the breaker counts it. */
const NO_TRUNK = "trunk_unavailable";

/**
 * Results that point to a problem with the list, the trunk or the engine, not to an absent person.
 * Our own crash (`interrupted`) does not count: it would fail all calls in progress and stop the campaign.
 */
const FAILURES: ReadonlySet<string> = new Set([
  "invalid_number",
  NO_TRUNK,
  "engine_failure",
  "media_lost",
  "declined",
]);
const NOT_REACHED: ReadonlySet<string> = new Set([
  "no_answer",
  "busy",
  "voicemail_hangup",
  "interrupted",
]);

interface RunningCampaign extends CampaignRecord, CampaignCalendar {
  /** False: nobody can be called. Without this check, each call request would fail as not allowed. */
  readonly hasTrunk: boolean;
}

interface DueTarget {
  readonly id: number;
  readonly numberE164: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Implemented by store/schedule/campaign-store.ts. */
export interface RunnerRecords {
  /** The next campaigns by id, of these tenants (null: of all). */
  running(
    tenantIds: readonly number[] | null,
    afterId: number,
    limit: number,
  ): Promise<readonly RunningCampaign[]>;
  /** Targets that are waiting, due and not on the do-not-call list; at most `limit`, oldest first. */
  due(campaignId: number, nowMs: number, limit: number): Promise<readonly DueTarget[]>;
  callingCount(campaignId: number): Promise<number>;
  hasWaiting(campaignId: number): Promise<boolean>;
  /** Returns false if the target is no longer waiting. */
  setCalling(targetId: number, callUuid: string, nowMs: number): Promise<boolean>;
  settle(
    targetId: number,
    outcome: { status: TargetStatus; outcome: string; notBefore: number },
    nowMs: number,
  ): Promise<void>;
  byCall(callUuid: string): Promise<{
    readonly id: number;
    readonly campaignId: number;
    readonly isCancelled: boolean;
    /** True if its call rang or was answered. */
    readonly rang: boolean;
    readonly attempts: number;
    readonly attemptsMax: number;
    readonly retryAfterMin: number;
  } | null>;
  /** Results of the calls that finished since `sinceMs`, newest first. */
  latestOutcomes(campaignId: number, sinceMs: number, limit: number): Promise<readonly string[]>;
  /**
   * Sets the status. Does nothing if the campaign was paused or cancelled meanwhile, or if it would be
   * finished while another node still has a call.
   */
  leaveRunning(
    tenantId: number,
    id: number,
    status: "paused" | "stopped_by_breaker" | "finished",
    nowMs: number,
  ): Promise<void>;
  /** Targets whose call ended without the runner's notice, with the result. */
  lost(): Promise<
    readonly {
      readonly callUuid: string;
      readonly endedReason: string;
      readonly talked: boolean;
      /** True if it was never dialled: nobody could try in time, or it was refused when due. */
      readonly isRefused: boolean;
    }[]
  >;
  /** The target waits until `notBefore`. */
  postpone(targetId: number, notBefore: number): Promise<void>;
  /**
   * Puts the target of an unplaced call back to waiting, with its attempt. If its campaign was cancelled, it
   * is skipped.
   * `outcome`: result for the breaker; null: none.
   */
  putBack(callUuid: string, outcome: string | null, nowMs: number): Promise<void>;
  /** Ids on the do-not-call list among the next `limit` due targets. */
  refusedOfNext(campaignId: number, nowMs: number, limit: number): Promise<readonly number[]>;
  skipRefused(targetIds: readonly number[], nowMs: number): Promise<void>;
}

interface RunnerOptions {
  readonly database: Database;
  readonly records: (queries: Queries) => RunnerRecords;
  /** True for a do-not-call number that is not a contact (contact/do-not-call.ts). */
  readonly isDoNotCall: (queries: Queries, tenantId: number, number: string) => Promise<boolean>;
  readonly callService: () => CallService;
  readonly clock: Clock;
  readonly trust?: Pick<ClockTrust, "isTrusted">;
  readonly log: Log;
}

export class CampaignRunner {
  readonly #loop: WorkLoop;
  /** Gets the ended calls. */
  readonly listener: EndListener;
  /** Result of the last round over all campaigns. Starting a campaign wakes the loop. */
  #isAnyRunning = false;
  /** Tenants with an ended call, so a line is free. Other tenants wait for the next full round. */
  readonly #freed = new Set<number>();
  #looksAtAllFrom = 0;

  constructor(private readonly options: RunnerOptions) {
    this.#loop = new WorkLoop({
      clock: options.clock,
      log: options.log,
      failure: "campaign.look_failed",
      everyMs: LOOK_EVERY_MS,
      round: () => this.#look(),
    });
    this.listener = {
      ended: async (queries, { tenantId, direction, callUuid, endedReason, answeredMs }) => {
        this.#freed.add(tenantId);
        if (direction === "outbound")
          await this.#settle(queries, callUuid, endedReason, answeredMs > 0);
      },
      wake: () => {
        if (this.#isAnyRunning) this.#loop.wake();
      },
    };
  }

  /** Starts a round over all campaigns. */
  wake(): void {
    this.#looksAtAllFrom = 0;
    this.#loop.wake();
  }

  #wakeFor(tenantId: number): void {
    this.#freed.add(tenantId);
    this.#loop.wake();
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #look(): Promise<void> {
    const { database, records, clock, trust } = this.options;
    for (const { callUuid, endedReason, talked, isRefused } of await records(database.read).lost())
      await database.tx((queries) =>
        isRefused
          ? records(queries).putBack(
              callUuid,
              endedReason === NO_TRUNK ? NO_TRUNK : null,
              clock.now(),
            )
          : this.#settle(queries, callUuid, endedReason, talked),
      );
    if (trust?.isTrusted() === false) return;
    const freed = [...this.#freed];
    this.#freed.clear();
    const nowMs = clock.monotonic();
    if (nowMs < this.#looksAtAllFrom) return void (await this.#advanceAll(freed));
    this.#looksAtAllFrom = nowMs + LOOK_EVERY_MS - LATE_MAX_MS;
    this.#isAnyRunning = await this.#advanceAll(null);
  }

  /** Yields to the event loop after each campaign. Returns whether any is running. */
  async #advanceAll(tenantIds: readonly number[] | null): Promise<boolean> {
    const { database, records } = this.options;
    for (let after = 0; ; ) {
      const running = await records(database.read).running(tenantIds, after, PAGE);
      for (const campaign of running) {
        if (!this.#loop.isRunning) return true;
        await this.#advance(campaign);
        await yieldToEventLoop();
      }
      const last = running.at(-1);
      if (!last || running.length < PAGE) return last !== undefined || after > 0;
      after = last.id;
    }
  }

  async #advance(campaign: RunningCampaign): Promise<void> {
    const { database, records, clock, log } = this.options;
    const { id, tenantId, agentId, timeZone, callingFrom, callingTo, holidays, hasTrunk } =
      campaign;
    const nowMs = clock.now();
    const leave = (status: "paused" | "stopped_by_breaker" | "finished") =>
      database.tx((queries) => records(queries).leaveRunning(tenantId, id, status, nowMs));
    const store = records(database.read);
    const calling = await store.callingCount(id);
    if (!(await store.hasWaiting(id))) return calling === 0 ? leave("finished") : undefined;
    if (agentId === null) {
      log.warn("campaign.paused", { campaign_id: id, why: "its agent was deleted" });
      return leave("paused");
    }
    const hours: CallingHours = { from: callingFrom, to: callingTo, holidays };
    if (!hasTrunk || !mayCallNow(timeZone, nowMs, hours)) return;
    await this.#skipRefused(tenantId, id, nowMs);
    if (await this.#isBroken(campaign)) {
      log.warn("campaign.stopped_by_breaker", { campaign_id: id });
      return leave("stopped_by_breaker");
    }
    const room = campaign.concurrencyMax - calling;
    if (room <= 0) return;
    for (const target of await store.due(id, nowMs, room))
      if (!this.#loop.isRunning || !(await this.#place({ ...campaign, agentId }, target))) return;
  }

  /** Checks a part of the list per round, which blocks the thread for about a millisecond. */
  async #skipRefused(tenantId: number, id: number, nowMs: number): Promise<void> {
    const { database, records } = this.options;
    const refused = await records(database.read).refusedOfNext(id, nowMs, LOOKED_AT_MAX);
    if (refused.length === 0) return;
    await database.tx((queries) => records(queries).skipRefused(refused, nowMs));
    // The next numbers may be on the list too, or none may be left.
    this.#wakeFor(tenantId);
  }

  /** Returns false if a limit is reached or no target can be called; the rest waits for the next round. */
  async #place(
    campaign: RunningCampaign & { readonly agentId: number },
    target: DueTarget,
  ): Promise<boolean> {
    const { database, isDoNotCall, log } = this.options;
    if (await isDoNotCall(database.read, campaign.tenantId, target.numberE164)) {
      await this.#skip(target, "do_not_call");
      // Room for another call is left.
      this.#wakeFor(campaign.tenantId);
      return true;
    }
    try {
      await this.#request(campaign, target);
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Too many new numbers or countries (call/admission/dialing-burst.ts). This depends on the number, so
      // others may work.
      if (error.code === "plan_limit_reached" && error.field === "to_number")
        await this.#postpone(target);
      if (error.code !== "destination_not_allowed") {
        log.info("campaign.waits", { campaign_id: campaign.id, code: error.code });
        return error.code === "conflict";
      }
      await this.#skip(target, error.code);
      return true;
    }
  }

  async #postpone({ id }: DueTarget): Promise<void> {
    const { database, records, clock } = this.options;
    await database.tx((queries) => records(queries).postpone(id, clock.now() + POSTPONED_MS));
  }

  async #skip(target: DueTarget, outcome: string): Promise<void> {
    const { database, records, clock } = this.options;
    const skipped = { status: "skipped", outcome, notBefore: 0 } as const;
    await database.tx((queries) => records(queries).settle(target.id, skipped, clock.now()));
  }

  async #request(
    campaign: RunningCampaign & { readonly agentId: number },
    target: DueTarget,
  ): Promise<void> {
    const { records, callService, clock } = this.options;
    const { id, tenantId, agentId, fromNumber, name, concurrencyMax } = campaign;
    await callService().request(tenantId, {
      toNumber: e164(target.numberE164),
      fromNumber: fromNumber === null ? null : e164(fromNumber),
      agentId,
      scheduleAtMs: null,
      purpose: { reason: name, sensitive: false, origin: "campaign" },
      async stored(queries, callUuid) {
        const store = records(queries);
        // Counted again in the transaction that stores the call, since other nodes run the same campaign.
        const isFull = (await store.callingCount(id)) >= concurrencyMax;
        if (isFull || !(await store.setCalling(target.id, callUuid, clock.now())))
          throw new AppError({
            code: "conflict",
            publicMessage: "The number has already been called.",
          });
      },
    });
  }

  /** The failure rate counts only calls since the campaign was last started. */
  async #isBroken({ id, updatedAt }: RunningCampaign): Promise<boolean> {
    const { database, records } = this.options;
    const latest = await records(database.read).latestOutcomes(id, updatedAt, BREAKER_WINDOW);
    const failed = latest.filter((outcome) => FAILURES.has(outcome)).length;
    return latest.length >= BREAKER_MIN && failed >= latest.length * BREAKER_SHARE;
  }

  async #settle(
    queries: Queries,
    callUuid: string,
    endedReason: string,
    talked: boolean,
  ): Promise<void> {
    const store = this.options.records(queries);
    const target = await store.byCall(callUuid);
    if (!target) return;
    const nowMs = this.options.clock.now();
    const reached = talked && !NOT_REACHED.has(endedReason) && !FAILURES.has(endedReason);
    // If our crash interrupted the call before it rang, the number gets one more attempt. The attempt itself
    // counts, so this happens only once.
    const isUnheard = endedReason === "interrupted" && !target.rang;
    const mayTryAgain =
      !reached &&
      !target.isCancelled &&
      endedReason !== "invalid_number" &&
      target.attempts < target.attemptsMax + Number(isUnheard);
    await store.settle(
      target.id,
      {
        status: reached ? "done" : mayTryAgain ? "waiting" : "failed",
        outcome: endedReason,
        notBefore: mayTryAgain ? nowMs + target.retryAfterMin * 60_000 : nowMs,
      },
      nowMs,
    );
  }
}
