/**
 * Campaigns: an agent calls a list of numbers, a few at a time, within calling hours, with retries.
 * Numbers on the do-not-call list are skipped. A campaign stops when most of its recent calls fail.
 *
 *   draft ──start──► running ⇄ pause/resume ⇄ paused
 *                      │ ├─every number finished──► finished
 *                      │ ├─its agent is deleted──► paused (for good: no other agent replaces it)
 *                      │ └─half of the last calls failed──► stopped_by_breaker ──resume──► running
 *                      └─cancel (also from draft, paused, stopped)──► cancelled
 */

import type { Standstill } from "../../call/ports.ts";
import { type Clock, yieldToEventLoop } from "../../core/clock.ts";
import { ahead, type Database, type Queries } from "../../core/database.ts";
import { AppError, invalidField, notFound } from "../../core/errors.ts";
import { createYielder } from "../../core/event-loop.ts";
import type { Quotas } from "../billing/quotas.ts";
import { mayCallNow } from "../contact/calling-hours.ts";
import type { Country } from "../number/national-form.ts";
import {
  type ListedTarget,
  nextAttempts,
  type TargetRecords,
  type TargetStatus,
  targetsCsv,
} from "./listed-targets.ts";
import type { Target } from "./targets-csv.ts";
import { readTargetsCsv } from "./targets-csv.ts";

export const CAMPAIGN_STATUSES = [
  "draft",
  "running",
  "paused",
  "stopped_by_breaker",
  "finished",
  "cancelled",
] as const;
type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

/** Why a campaign makes no calls although it was neither paused nor cancelled. */
export const STATUS_REASONS = [
  "agent_deleted",
  "calls_failed",
  "outside_hours",
  "suspended",
  "no_trunk",
  "daily_spend",
  "insufficient_balance",
] as const;
type StatusReason = (typeof STATUS_REASONS)[number];

interface CampaignFields {
  readonly name: string;
  readonly agentId: number | null;
  readonly fromNumber: string | null;
  /** Minutes after midnight in the tenant's zone. */
  readonly callingFrom: number;
  readonly callingTo: number;
  readonly concurrencyMax: number;
  readonly attemptsMax: number;
  readonly retryAfterMin: number;
}

export interface CampaignRecord extends CampaignFields {
  readonly id: number;
  readonly tenantId: number;
  readonly status: CampaignStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The tenant's time zone and holidays, for calling hours. */
export interface CampaignCalendar {
  readonly timeZone: string;
  readonly holidays: string | null;
}

/** Implemented by store/schedule/campaign-store.ts. */
export interface CampaignRecords extends TargetRecords {
  calendar(tenantId: number): Promise<CampaignCalendar>;
  list(tenantId: number): Promise<CampaignRecord[]>;
  find(tenantId: number, id: number): Promise<CampaignRecord | undefined>;
  hasAgent(tenantId: number, agentId: number): Promise<boolean>;
  insert(
    tenantId: number,
    campaign: Omit<CampaignRecord, "id" | "tenantId">,
  ): Promise<CampaignRecord>;
  setStatus(tenantId: number, id: number, status: CampaignStatus, nowMs: number): Promise<void>;
  addTargets(
    tenantId: number,
    id: number,
    targets: readonly Target[],
    nowMs: number,
  ): Promise<void>;
  counts(id: number): Promise<Readonly<Record<TargetStatus, number>>>;
  skipWaiting(tenantId: number, id: number, nowMs: number): Promise<void>;
}

interface CampaignsDependencies {
  readonly database: Database;
  readonly records: (queries: Queries) => CampaignRecords;
  readonly quotas: Quotas;
  readonly clock: Clock;
  readonly standstill: (tenantId: number) => Promise<Standstill | null>;
  /** Returns why a number must not be dialled; null: it may be. */
  readonly refusals: (tenantId: number) => Promise<(number: string) => string | null>;
  readonly wake: () => void;
}

interface CampaignFile {
  readonly csv: string;
  readonly country: Country | null;
}
type CampaignAction = "start" | "pause" | "resume" | "cancel";

/** Rows stored per transaction. */
const TARGETS_AT_ONCE = 500;

const NEXT: Readonly<
  Record<CampaignAction, Readonly<Partial<Record<CampaignStatus, CampaignStatus>>>>
> = {
  start: { draft: "running" },
  pause: { running: "paused" },
  resume: { paused: "running", stopped_by_breaker: "running" },
  cancel: {
    draft: "cancelled",
    running: "cancelled",
    paused: "cancelled",
    stopped_by_breaker: "cancelled",
  },
};

export class Campaigns {
  constructor(private readonly deps: CampaignsDependencies) {}

  /** Reasons why a tenant's running campaigns wait. Read once for all of them. */
  async #waits(tenantId: number) {
    const store = this.deps.records(this.deps.database.read);
    const [calendar, standstill] = await Promise.all([
      store.calendar(tenantId),
      this.deps.standstill(tenantId),
    ]);
    return (campaign: CampaignRecord): StatusReason | null =>
      standstill ?? (this.#isOpen(campaign, calendar) ? null : "outside_hours");
  }

  #isOpen({ callingFrom, callingTo }: CampaignRecord, { timeZone, holidays }: CampaignCalendar) {
    const hours = { from: callingFrom, to: callingTo, holidays };
    return mayCallNow(timeZone, this.deps.clock.now(), hours);
  }

  async #shown(campaign: CampaignRecord, waits = ahead(this.#waits(campaign.tenantId))) {
    const { id, status, agentId } = campaign;
    const counts = await this.deps.records(this.deps.database.read).counts(id);
    const reasonOf = async (): Promise<StatusReason | null> => {
      if (status === "stopped_by_breaker") return "calls_failed";
      if ((status === "paused" || status === "draft") && agentId === null) return "agent_deleted";
      const isIdle = status === "running" && counts.calling === 0 && counts.waiting > 0;
      return isIdle ? (await waits)(campaign) : null;
    };
    return { ...campaign, counts, statusReason: await reasonOf() };
  }

  async #require(queries: Queries, tenantId: number, id: number): Promise<CampaignRecord> {
    const campaign = await this.deps.records(queries).find(tenantId, id);
    if (!campaign) throw notFound("campaign");
    return campaign;
  }

  async list(tenantId: number) {
    const turn = createYielder();
    const listed = [];
    const waits = ahead(this.#waits(tenantId));
    for (const campaign of await this.deps.records(this.deps.database.read).list(tenantId)) {
      listed.push(await this.#shown(campaign, waits));
      await turn();
    }
    return listed;
  }

  /** Throws not_found. */
  async get(tenantId: number, id: number) {
    return this.#shown(await this.#require(this.deps.database.read, tenantId, id));
  }

  async #nextAttempts(campaign: CampaignRecord) {
    const { database, records, clock, standstill } = this.deps;
    const [calendar, stillness] = await Promise.all([
      records(database.read).calendar(campaign.tenantId),
      standstill(campaign.tenantId),
    ]);
    const calls = campaign.status === "running" && stillness === null;
    return nextAttempts({ ...campaign, ...calendar, calls }, clock.now());
  }

  /** Its numbers, in the order of its file. Throws not_found. */
  async targets(
    tenantId: number,
    id: number,
    { status, ...page }: { status?: TargetStatus | undefined; limit: number; offset: number },
  ): Promise<{ readonly targets: readonly ListedTarget[]; readonly total: number }> {
    const { read } = this.deps.database;
    const store = this.deps.records(read);
    const campaign = await this.#require(read, tenantId, id);
    const [counts, shown, found] = await Promise.all([
      store.counts(id),
      this.#nextAttempts(campaign),
      store.targets(id, { status }, page),
    ]);
    const counted = status ? [counts[status]] : Object.values(counts);
    return { targets: found.map(shown), total: counted.reduce((sum, n) => sum + n, 0) };
  }

  /** All its numbers as CSV. Throws not_found. */
  async targetsCsv(
    tenantId: number,
    id: number,
    filter: { status?: TargetStatus | undefined },
  ): Promise<AsyncGenerator<string>> {
    const { read } = this.deps.database;
    const shown = await this.#nextAttempts(await this.#require(read, tenantId, id));
    return targetsCsv(this.deps.records(read), id, filter, shown);
  }

  /** What a list contains. Numbers that must not be dialled are left out of `targets`. Stores nothing. */
  async preview(tenantId: number, file: CampaignFile) {
    const { targets, ...read } = await readTargetsCsv(file.csv, file.country);
    const refusal = await this.deps.refusals(tenantId);
    const turn = createYielder();
    const allowed: Target[] = [];
    const refused: { number: string; problem: string }[] = [];
    for (const target of targets) {
      await turn();
      const problem = refusal(target.numberE164);
      if (problem === null) allowed.push(target);
      else refused.push({ number: target.numberE164, problem });
    }
    return { ...read, targets: allowed, refused };
  }

  /**
   * Stores the list in batches. Until all numbers are stored the campaign has the status cancelled, so that a
   * partial list is never called. Throws plan_limit_reached, not_found (agent), valid_csv_required,
   * valid_calling_to_required.
   */
  async create(
    tenantId: number,
    fields: CampaignFields,
    file: CampaignFile & { readonly skipBad?: boolean },
  ) {
    if (fields.callingTo <= fields.callingFrom)
      throw invalidField("calling_to", "`calling_to` must be later than `calling_from`.");
    const { targets, problems } = file.skipBad
      ? await this.preview(tenantId, file)
      : await readTargetsCsv(file.csv, file.country);
    const [first] = problems;
    if (first && !file.skipBad)
      throw invalidField(
        "csv",
        `\`csv\` has ${problems.length} invalid lines. The first is line ${first.line}: ${first.problem}`,
        { params: { line: first.line } },
      );
    if (targets.length === 0)
      throw invalidField("csv", "`csv` has no line with a telephone number.");
    const { database, records, quotas, clock } = this.deps;
    const nowMs = clock.now();
    const made = await database.tx(async (queries) => {
      const store = records(queries);
      if (fields.agentId !== null && !(await store.hasAgent(tenantId, fields.agentId)))
        throw notFound("agent");
      await quotas.require(queries, tenantId, "campaigns", 1);
      const times = { createdAt: nowMs, updatedAt: nowMs };
      return store.insert(tenantId, { ...fields, status: "cancelled", ...times });
    });
    for (let at = 0; at < targets.length; at += TARGETS_AT_ONCE) {
      const some = targets.slice(at, at + TARGETS_AT_ONCE);
      await database.tx((queries) => records(queries).addTargets(tenantId, made.id, some, nowMs));
      await yieldToEventLoop();
    }
    await database.tx((queries) => records(queries).setStatus(tenantId, made.id, "draft", nowMs));
    return this.#shown({ ...made, status: "draft" });
  }

  /** Throws not_found, conflict. */
  async act(tenantId: number, id: number, action: CampaignAction) {
    const { database, records, clock } = this.deps;
    const changed = await database.tx(async (queries) => {
      const campaign = await this.#require(queries, tenantId, id);
      const status = NEXT[action][campaign.status];
      if (!status)
        throw new AppError({
          code: "conflict",
          reason: "campaign_state",
          publicMessage: `Cannot ${action} a campaign that is ${campaign.status}.`,
        });
      if (status === "running" && campaign.agentId === null)
        throw new AppError({
          code: "conflict",
          reason: "campaign_state",
          publicMessage:
            "The campaign's agent was deleted. Create a new campaign with another agent.",
        });
      const store = records(queries);
      await store.setStatus(tenantId, id, status, clock.now());
      if (status === "cancelled") await store.skipWaiting(tenantId, id, clock.now());
      return { ...campaign, status };
    });
    this.deps.wake();
    return this.#shown(changed);
  }
}
