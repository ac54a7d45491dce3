/**
 * Birthday calls: on the day, within the tenant's calling hours, once for each contact and year, also
 * after a crash. If no calls are allowed on the day, they come on the next allowed day within three days.
 * Checks every ten minutes. Consent and "do not call" are checked here and again
 * before the INVITE. At most two attempts, on the same day.
 *
 *   (nothing) ──the day──► scheduled ──spoke, or a machine──► done
 *                              │ └─no answer, a try left──► scheduled (3 h later)
 *                              └─no answer, none left, or the day is over──► given_up
 */

import { type CalendarDay, dayText, wallClock } from "../../core/calendar.ts";
import type { Clock, ClockTrust } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { type E164, e164 } from "../../core/e164.ts";
import { AppError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { WorkLoop } from "../../core/work-loop.ts";
import { BIRTHDAY_REASON } from "./call-history-summary.ts";
import type { EndListener } from "./caller-identification.ts";
import { type CallingHours, hoursOf } from "./calling-hours.ts";
import { fullName } from "./contacts.ts";
import type { EndedCall } from "./ports.ts";

const TRIES_MAX = 2;
const LOOK_EVERY_MS = 10 * 60_000;
const AGAIN_AFTER_MS = 3 * 3_600_000;
const NEW_A_LOOK_MAX = 500;
const DAYS_LATE_MAX = 3;

export interface BirthdayTenant {
  readonly tenantId: number;
  readonly timeZone: string;
  /** Whether birthday calls are turned on. */
  readonly isOn: boolean;
  readonly agentId: number | null;
  readonly hours: CallingHours;
}

interface BirthdayContact {
  readonly id: number;
  readonly numberE164: string;
  readonly firstName: string;
  readonly lastName: string;
}

interface BirthdayEntry {
  readonly id: number;
  readonly contactId: number;
  readonly numberE164: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly attempts: number;
  readonly createdAt: number;
}

/** Implemented by store/contact/birthday-store.ts. */
export interface BirthdayRecords {
  /** Tenants with the feature on. */
  tenants(): Promise<readonly BirthdayTenant[]>;
  tenant(tenantId: number): Promise<BirthdayTenant | null>;
  /** Contacts with this birthday and consent who were not called for it. */
  due(tenantId: number, day: CalendarDay, limit: number): Promise<readonly BirthdayContact[]>;
  /** Returns false if it exists already. */
  begin(tenantId: number, contactId: number, year: number, nowMs: number): Promise<boolean>;
  /** Scheduled entries without a call. */
  waiting(tenantId: number): Promise<readonly BirthdayEntry[]>;
  setCall(id: number, callUuid: string, nowMs: number): Promise<void>;
  byCall(callUuid: string): Promise<{ readonly id: number; readonly attempts: number } | null>;
  settle(id: number, state: "scheduled" | "done" | "given_up", nowMs: number): Promise<void>;
  /** Frees entries whose call ended unnoticed (a crash, a cancelled schedule). */
  releaseLost(nowMs: number): Promise<void>;
}

/** Throws an AppError if the call may not be placed. */
interface BirthdayCallService {
  request(
    tenantId: number,
    call: {
      readonly toNumber: E164;
      readonly fromNumber: null;
      readonly agentId: number | null;
      readonly scheduleAtMs: number;
      readonly purpose: {
        readonly reason: string;
        readonly sensitive: boolean;
        readonly origin: "birthday";
      };
      /** Runs in the transaction that stores the call. */
      readonly stored: (queries: Queries, callUuid: string) => Promise<void>;
    },
  ): Promise<unknown>;
}

interface BirthdayOptions {
  readonly database: Database;
  readonly records: (queries: Queries) => BirthdayRecords;
  readonly callService: () => BirthdayCallService;
  readonly clock: Clock;
  readonly trust?: Pick<ClockTrust, "isTrusted">;
  readonly log: Log;
}

/** Why a birthday has no planned day. */
export const UNPLANNED_REASONS = [
  "turned_off",
  "no_agent",
  "no_allowed_day",
  "hours_over",
] as const;

interface PlannedBirthday {
  readonly contact_id: number;
  readonly name: string;
  readonly number: string;
  /** This year's date, e.g. `2026-11-22`. */
  readonly birthday: string;
  /** E.g. `2026-11-23`; null if no day is planned. */
  readonly planned_day: string | null;
  readonly reason: (typeof UNPLANNED_REASONS)[number] | null;
}

const daysAfter = ({ year, month, day }: CalendarDay, days: number): CalendarDay =>
  wallClock("UTC", Date.UTC(year, month - 1, day + days));

/** The day of the birthday call; null if no calls are allowed within three days. */
function allowedDay({ timeZone, hours }: BirthdayTenant, birthday: CalendarDay) {
  for (let late = 0; late <= DAYS_LATE_MAX; late++) {
    const day = daysAfter(birthday, late);
    if (hoursOf(timeZone, day, hours)) return day;
  }
  return null;
}

/** Days whose birthdays may still be called on `today`, earliest first. */
const birthdaysUntil = (today: CalendarDay): CalendarDay[] =>
  Array.from({ length: DAYS_LATE_MAX + 1 }, (_, at) => daysAfter(today, at - DAYS_LATE_MAX));

export class BirthdayCalls {
  readonly #loop: WorkLoop;
  /** Gets the ended calls. */
  readonly listener: EndListener;

  constructor(private readonly options: BirthdayOptions) {
    this.#loop = new WorkLoop({
      clock: options.clock,
      log: options.log,
      failure: "birthday.look_failed",
      everyMs: LOOK_EVERY_MS,
      round: () => this.look(),
    });
    this.listener = {
      ended: (queries, call) => this.#settleEnded(queries, call),
      wake: () => undefined,
    };
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Runs one round now. */
  async look(): Promise<void> {
    const { database, records, clock, trust } = this.options;
    if (trust?.isTrusted() === false) return;
    await database.tx((queries) => records(queries).releaseLost(clock.now()));
    for (const tenant of await records(database.read).tenants())
      if (!this.#loop.isStopped) await this.#lookAt(tenant);
  }

  async #lookAt(tenant: BirthdayTenant): Promise<void> {
    const nowMs = this.options.clock.now();
    const today = wallClock(tenant.timeZone, nowMs);
    const open = hoursOf(tenant.timeZone, today, tenant.hours);
    if (!open || nowMs < open.fromMs || nowMs >= open.toMs) return;
    if (tenant.agentId === null) {
      this.options.log.warn("birthday.no_agent", { tenant_id: tenant.tenantId });
      return;
    }
    const { tenantId } = tenant;
    await this.options.database.tx(async (queries) => {
      const store = this.options.records(queries);
      for (const birthday of birthdaysUntil(today)) {
        const planned = allowedDay(tenant, birthday);
        if (planned === null || dayText(planned) !== dayText(today)) continue;
        for (const contact of await store.due(tenantId, birthday, NEW_A_LOOK_MAX))
          await store.begin(tenantId, contact.id, birthday.year, nowMs);
      }
    });
    const waiting = await this.options.records(this.options.database.read).waiting(tenantId);
    for (const [index, entry] of waiting.entries()) {
      if (this.#loop.isStopped) return;
      const begun = wallClock(tenant.timeZone, entry.createdAt);
      const isOver = dayText(begun) !== dayText(today);
      const atMs =
        isOver || entry.attempts >= TRIES_MAX
          ? null
          : this.#spread(open, nowMs, index, waiting.length, entry);
      await this.#place(tenant, entry, atMs);
    }
  }

  /** Spreads calls over the rest of the hours; a second attempt waits. Null: the day is over. */
  #spread(
    open: { readonly toMs: number },
    nowMs: number,
    index: number,
    count: number,
    { attempts }: BirthdayEntry,
  ): number | null {
    const earliest = attempts === 0 ? nowMs : nowMs + AGAIN_AFTER_MS;
    const room = open.toMs - earliest;
    return room <= 0 ? null : Math.floor(earliest + (room * index) / count);
  }

  async #place(tenant: BirthdayTenant, entry: BirthdayEntry, atMs: number | null): Promise<void> {
    const { tenantId, agentId } = tenant;
    if (atMs === null) return this.#giveUp(entry);
    try {
      await this.options.callService().request(tenantId, {
        toNumber: e164(entry.numberE164),
        fromNumber: null,
        agentId,
        scheduleAtMs: atMs,
        purpose: { reason: BIRTHDAY_REASON, sensitive: false, origin: "birthday" },
        stored: (queries, callUuid) =>
          this.options.records(queries).setCall(entry.id, callUuid, this.options.clock.now()),
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.options.log.warn("birthday.not_placed", { tenant_id: tenantId, code: error.code });
      // Funds and limits may change until the next round; a forbidden destination stays forbidden.
      if (!error.retryable && error.code === "destination_not_allowed") await this.#giveUp(entry);
    }
  }

  async #giveUp({ id }: BirthdayEntry): Promise<void> {
    const { database, records, clock } = this.options;
    await database.tx((queries) => records(queries).settle(id, "given_up", clock.now()));
  }

  async #settleEnded(queries: Queries, call: EndedCall): Promise<void> {
    if (call.direction === "inbound") return;
    const entry = await this.options.records(queries).byCall(call.callUuid);
    if (!entry) return;
    const reached = call.answeredMs > 0;
    const state = reached ? "done" : entry.attempts < TRIES_MAX ? "scheduled" : "given_up";
    await this.options.records(queries).settle(entry.id, state, this.options.clock.now());
  }

  /** Today's birthdays, and earlier ones without a call so far. */
  async preview(tenantId: number): Promise<readonly PlannedBirthday[]> {
    const store = this.options.records(this.options.database.read);
    const tenant = await store.tenant(tenantId);
    if (!tenant) return [];
    const nowMs = this.options.clock.now();
    const today = dayText(wallClock(tenant.timeZone, nowMs));
    const found: PlannedBirthday[] = [];
    for (const birthday of birthdaysUntil(wallClock(tenant.timeZone, nowMs))) {
      const plan = planOf(tenant, birthday, nowMs);
      const isToday = dayText(birthday) === today;
      if (!isToday && (plan.allowed === null || plan.allowed < today)) continue;
      for (const contact of await store.due(tenantId, birthday, NEW_A_LOOK_MAX))
        found.push({
          contact_id: contact.id,
          name: fullName(contact),
          number: contact.numberE164,
          birthday: dayText(birthday),
          planned_day: plan.reason === null ? plan.allowed : null,
          reason: plan.reason,
        });
    }
    return found;
  }
}

function planOf(
  tenant: BirthdayTenant,
  birthday: CalendarDay,
  nowMs: number,
): { readonly allowed: string | null; readonly reason: PlannedBirthday["reason"] } {
  const day = allowedDay(tenant, birthday);
  const allowed = day && dayText(day);
  const open = day && hoursOf(tenant.timeZone, day, tenant.hours);
  if (!tenant.isOn) return { allowed, reason: "turned_off" };
  if (tenant.agentId === null) return { allowed, reason: "no_agent" };
  if (open === null) return { allowed, reason: "no_allowed_day" };
  return { allowed, reason: nowMs < open.toMs ? null : "hours_over" };
}
