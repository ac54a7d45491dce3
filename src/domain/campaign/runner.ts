/**
 * Runs campaigns: keeps up to the configured number of calls of each campaign active within its
 * hours, and records the results. The database decides which number is next. A number is marked in
 * the transaction that stores its call, so that two nodes, or a restart after a crash, never call
 * it twice.
 */

import { type Clock, type ClockTrust, yieldToEventLoop } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { e164 } from "../../core/e164.ts";
import { AppError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { WorkLoop } from "../../core/work-loop.ts";
import type { CallService } from "../call/ports.ts";
import type { EndListener } from "../contact/callers.ts";
import { type CallingHours, mayCallNow } from "../contact/calling-hours.ts";
import type { CampaignCalendar, CampaignRecord } from "./campaigns.ts";
import type { TargetStatus } from "./listed-targets.ts";

/** How many of the latest calls are considered. */
const BREAKER_WINDOW = 20;
const BREAKER_MIN = 10;
const BREAKER_SHARE = 0.5;
const LOOK_EVERY_MS = 15_000;
/** By which a look may begin after its time, and the next one be of all campaigns nevertheless. */
const LATE_MAX_MS = 5_000;
/** Of each campaign's numbers, for whether they are on the do-not-call list. */
const LOOKED_AT_MAX = 500;
/** Campaigns that are read at once. */
const PAGE = 100;
/** After which a number is tried again that may not be called for now, while others may. */
const POSTPONED_MS = 15 * 60_000;

/** Also of a call that was not placed: it costs no attempt, but the breaker counts it. */
const NO_TRUNK = "trunk_unavailable";

/**
 * Results that point to a problem with the list, the trunk or the engine, not to an absent person. Our own
 * end is none: after one, as many calls as ran at once would stop the campaign.
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
  /** Without a trunk nobody can be called; asked nevertheless, every number would count as not allowed. */
  readonly hasTrunk: boolean;
}

interface DueTarget {
  readonly id: number;
  readonly numberE164: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Implemented by store/schedule/campaign-store.ts. */
export interface RunnerRecords {
  /** Of these tenants (null: of all) the next so many by id. */
  running(
    tenantIds: readonly number[] | null,
    afterId: number,
    limit: number,
  ): Promise<readonly RunningCampaign[]>;
  /**
   * Targets that wait, are due and are not on the do-not-call list; at most `limit`, oldest first.
   */
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
    /** Its call rang or was answered. */
    readonly rang: boolean;
    readonly attempts: number;
    readonly attemptsMax: number;
    readonly retryAfterMin: number;
  } | null>;
  /** Results of the calls that finished since `sinceMs`, newest first. */
  latestOutcomes(campaignId: number, sinceMs: number, limit: number): Promise<readonly string[]>;
  /**
   * Does nothing if the campaign was paused or cancelled in the meantime, or is not finished for another node
   * calls somebody.
   */
  leaveRunning(
    tenantId: number,
    id: number,
    status: "paused" | "stopped_by_breaker" | "finished",
    nowMs: number,
  ): Promise<void>;
  /** Targets whose call ended without the runner noticing, with the result. */
  lost(): Promise<
    readonly {
      readonly callUuid: string;
      readonly endedReason: string;
      readonly talked: boolean;
      /** It was never dialled: nobody could try in time, or it was refused when its turn came. */
      readonly isRefused: boolean;
    }[]
  >;
  /** It waits until then. */
  postpone(targetId: number, notBefore: number): Promise<void>;
  /**
   * Its call was not placed: it waits again, with the attempt; if its campaign was cancelled, it is skipped.
   * `outcome`: what the breaker is to count; null: nothing.
   */
  putBack(callUuid: string, outcome: string | null, nowMs: number): Promise<void>;
  /** Of the next so many that are due those on the do-not-call list. */
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
  /** Is told of calls that end. */
  readonly listener: EndListener;
  /** At the newest look at all. Who starts a campaign wakes the loop. */
  #isAnyRunning = false;
  /** Tenants whose call ended: a line of theirs is free. The others wait for the next look at all. */
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

  /** Looks at all campaigns. */
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

  /** Lets others have the thread after each. Returns whether there was any. */
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

  /** A piece of a long list in each round, which holds the thread for a millisecond. */
  async #skipRefused(tenantId: number, id: number, nowMs: number): Promise<void> {
    const { database, records } = this.options;
    const refused = await records(database.read).refusedOfNext(id, nowMs, LOOKED_AT_MAX);
    if (refused.length === 0) return;
    await database.tx((queries) => records(queries).skipRefused(refused, nowMs));
    // Behind them there may be others, or nobody at all.
    this.#wakeFor(tenantId);
  }

  /**
   * Returns false when a limit is reached or no target can be called; the rest waits for the next
   * round.
   */
  async #place(
    campaign: RunningCampaign & { readonly agentId: number },
    target: DueTarget,
  ): Promise<boolean> {
    const { database, isDoNotCall, log } = this.options;
    if (await isDoNotCall(database.read, campaign.tenantId, target.numberE164)) {
      await this.#skip(target, "do_not_call");
      // There is room for another call.
      this.#wakeFor(campaign.tenantId);
      return true;
    }
    try {
      await this.#request(campaign, target);
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // One of too many new numbers or countries (call/admission/dialing-burst.ts): whom it stops depends on whom.
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
        // Counted again when the call is stored, since other nodes run the same campaign.
        const isFull = (await store.callingCount(id)) >= concurrencyMax;
        if (isFull || !(await store.setCalling(target.id, callUuid, clock.now())))
          throw new AppError({ code: "conflict", publicMessage: "The number was called already." });
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
    // What our own end cut off before it rang is made up for. It counts, so that a number at which we die gets one more.
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
