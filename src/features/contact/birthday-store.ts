/** Due birthday calls, and their results. */
import {
  and,
  eq,
  exists,
  gte,
  inArray,
  isNotNull,
  isNull,
  like,
  ne,
  notExists,
  or,
  sql,
} from "drizzle-orm";
import type { CalendarDay } from "../../core/calendar.ts";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import {
  birthdayCalls,
  callPurposes,
  calls,
  contacts,
  featureSettings,
  schedules,
  tenants,
} from "../../store/schema/index.ts";
import type { BirthdayRecords, BirthdayTenant } from "./birthday-calls.ts";

/** Default calling hours, minutes after midnight. */
export const DEFAULT_FROM = 600;
export const DEFAULT_TO = 1080;

const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
/**
 * Start of the time range for this year's birthday calls. A call in the first days of a year may belong to a
 * birthday of the previous year. One day early, to cover all time zones.
 */
const callsSince = ({ year, month, day }: CalendarDay) =>
  Math.min(Date.UTC(year, month - 1, day - 1), Date.UTC(year, 0, 5));
const two = (number: number) => String(number).padStart(2, "0");

const COLUMNS = {
  tenantId: tenants.id,
  timeZone: tenants.timeZone,
  isOn: tenants.birthdayCalls,
  agentId: featureSettings.birthdayAgentId,
  from: featureSettings.callingFrom,
  to: featureSettings.callingTo,
  holidays: featureSettings.holidays,
};

function asTenant(row: {
  tenantId: number;
  timeZone: string;
  isOn: boolean;
  agentId: number | null;
  from: number | null;
  to: number | null;
  holidays: string | null;
}): BirthdayTenant {
  const { from, to, holidays, ...tenant } = row;
  const hours = { from: from ?? DEFAULT_FROM, to: to ?? DEFAULT_TO, holidays };
  return { ...tenant, hours };
}

export function birthdayStore(queries: Queries): BirthdayRecords {
  return {
    ...birthdayTenants(queries),
    ...dueBirthdays(queries),
    ...birthdayCallRows(queries),
    ...birthdayCallEnds(queries),
  };
}

/** Tenants with birthday calls turned on. */
function birthdayTenants(queries: Queries): Pick<BirthdayRecords, "tenants" | "tenant"> {
  const all = () =>
    queries
      .select(COLUMNS)
      .from(tenants)
      .leftJoin(featureSettings, eq(featureSettings.tenantId, tenants.id));

  return {
    async tenants() {
      const rows = await all().where(
        and(eq(tenants.birthdayCalls, true), eq(tenants.suspended, false)),
      );
      return rows.map(asTenant);
    },

    async tenant(tenantId) {
      const row = await all().where(eq(tenants.id, tenantId)).get();
      return row ? asTenant(row) : null;
    },
  };
}

/** Contacts whose birthday it is. */
function dueBirthdays(queries: Queries): Pick<BirthdayRecords, "due"> {
  return {
    async due(tenantId, birthday, limit) {
      const { year, month, day } = birthday;
      const days = [`${two(month)}-${two(day)}`];
      if (month === 2 && day === 28 && !isLeap(year)) days.push("02-29");
      return await queries
        .select({
          id: contacts.id,
          numberE164: contacts.numberE164,
          firstName: contacts.firstName,
          lastName: contacts.lastName,
        })
        .from(contacts)
        .where(
          and(
            eq(contacts.tenantId, tenantId),
            eq(contacts.consent, true),
            eq(contacts.doNotCall, false),
            or(...days.map((text) => like(contacts.birthday, `%-${text}`))),
            notExists(
              queries
                .select({ one: sql`1` })
                .from(birthdayCalls)
                .where(and(eq(birthdayCalls.contactId, contacts.id), eq(birthdayCalls.year, year))),
            ),
            // Contacts deleted and imported again must not be called twice.
            notExists(
              queries
                .select({ one: sql`1` })
                .from(calls)
                .innerJoin(callPurposes, eq(callPurposes.callUuid, calls.callUuid))
                .where(
                  and(
                    eq(calls.tenantId, tenantId),
                    eq(calls.toNumber, contacts.numberE164),
                    eq(callPurposes.origin, "birthday"),
                    gte(calls.createdAt, callsSince(birthday)),
                  ),
                ),
            ),
          ),
        )
        .orderBy(contacts.id)
        .limit(limit);
    },
  };
}

/** Calls to place, at most one per person and year. */
function birthdayCallRows(queries: Queries): Pick<BirthdayRecords, "begin" | "waiting"> {
  return {
    async begin(tenantId, contactId, year, nowMs) {
      const rows = await queries
        .insert(birthdayCalls)
        .values({
          tenantId,
          contactId,
          year,
          state: "scheduled",
          createdAt: nowMs,
          updatedAt: nowMs,
        })
        .onConflictDoNothing({ target: [birthdayCalls.contactId, birthdayCalls.year] })
        .returning({ id: birthdayCalls.id });
      return rows.length > 0;
    },

    async waiting(tenantId) {
      return await queries
        .select({
          id: birthdayCalls.id,
          contactId: birthdayCalls.contactId,
          numberE164: contacts.numberE164,
          firstName: contacts.firstName,
          lastName: contacts.lastName,
          attempts: birthdayCalls.attempts,
          createdAt: birthdayCalls.createdAt,
        })
        .from(birthdayCalls)
        .innerJoin(contacts, eq(contacts.id, birthdayCalls.contactId))
        .where(
          and(
            eq(birthdayCalls.tenantId, tenantId),
            eq(birthdayCalls.state, "scheduled"),
            isNull(birthdayCalls.callUuid),
          ),
        )
        .orderBy(birthdayCalls.id);
    },
  };
}

const birthdayCallOf = statement((queries) =>
  queries
    .select({ id: birthdayCalls.id, attempts: birthdayCalls.attempts })
    .from(birthdayCalls)
    .where(eq(birthdayCalls.callUuid, arg("callUuid")))
    .prepare(),
);

/** Results of the calls. */
function birthdayCallEnds(
  queries: Queries,
): Pick<BirthdayRecords, "setCall" | "byCall" | "settle" | "releaseLost"> {
  return {
    async setCall(id, callUuid, nowMs) {
      await queries
        .update(birthdayCalls)
        .set({ callUuid, attempts: sql`${birthdayCalls.attempts} + 1`, updatedAt: nowMs })
        .where(eq(birthdayCalls.id, id));
    },

    async byCall(callUuid) {
      return (await birthdayCallOf(queries).get({ callUuid })) ?? null;
    },

    async settle(id, state, nowMs) {
      const freed = state === "scheduled" ? { callUuid: null } : {};
      await queries
        .update(birthdayCalls)
        .set({ state, ...freed, updatedAt: nowMs })
        .where(eq(birthdayCalls.id, id));
    },

    async releaseLost(nowMs) {
      const lost = queries
        .select({ id: birthdayCalls.id })
        .from(birthdayCalls)
        .innerJoin(calls, eq(calls.callUuid, birthdayCalls.callUuid))
        .where(and(eq(birthdayCalls.state, "scheduled"), isNotNull(calls.endedAt)));
      // If a call was refused before dialling, the attempt does not count, except if it would be refused each
      // time.
      const isUndialled = exists(
        queries
          .select({ one: sql`1` })
          .from(calls)
          .innerJoin(schedules, eq(schedules.id, calls.scheduleId))
          .where(
            and(
              eq(calls.callUuid, birthdayCalls.callUuid),
              ne(schedules.reason, "destination_not_allowed"),
            ),
          ),
      );
      const attempts = sql`${birthdayCalls.attempts} - ${isUndialled}`;
      const changes = { callUuid: null, attempts, updatedAt: nowMs };
      await queries.update(birthdayCalls).set(changes).where(inArray(birthdayCalls.id, lost));
    },
  };
}
