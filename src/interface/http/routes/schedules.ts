/** Scheduled calls (specification 4, decisions 7). */

import { z } from "zod";
import { wireOf } from "../../../core/wire-names.ts";
import type { ScheduleRow } from "../../../operations/admin/call-records.ts";
import {
  choice,
  idOut,
  okReply,
  page,
  shown,
  timeOrNull,
  timeOut,
} from "../../contracts/schema.ts";
import { contract, route } from "../contract.ts";
import type { RouteContext } from "./context.ts";

/** The limit of decisions 12. */
const LISTED_MAX = 1000;
const SCHEDULE_STATUSES = ["pending", "fired", "cancelled", "missed", "failed"] as const;

export const Schedule = z
  .strictObject({
    id: idOut("schedule entry"),
    call_uuid: shown(z.uuid(), "The call it makes.", "019aa1b2-0000-7000-8000-000000000001"),
    agent_id: shown(z.int().nullable(), "The agent; null: it was deleted.", 1),
    to_number: shown(z.string(), "Whom to call; empty: that person was erased.", "+37060000002"),
    from_number: shown(z.string(), "Caller id.", "+37060000001"),
    schedule_at: timeOut("When it is due."),
    status: shown(z.enum(SCHEDULE_STATUSES), "An entry fires once, ever.", "pending"),
    reason: shown(z.string().nullable(), "Why it failed: an error code.", null),
    fired_at: timeOrNull("When it fired."),
    created_at: timeOut("When it was asked for."),
  })
  .meta({ id: "Schedule" });

export const listSchedules = contract({
  operationId: "listSchedules",
  at: "GET /schedules",
  cacheable: true,
  tag: "Schedules",
  summary: "List scheduled calls, the latest first",
  description: "Page by raising `offset`; `total` counts all that the filter lets through.",
  query: z.strictObject({
    limit: page.limit(LISTED_MAX, LISTED_MAX),
    offset: page.offset(),
    status: choice(SCHEDULE_STATUSES, "Only entries in this state.", "pending").optional(),
  }),
  reply: okReply({
    schedules: z.array(Schedule),
    total: shown(z.int(), "All entries that match.", 1),
  }),
  errors: ["valid_limit_required", "valid_offset_required"],
});

export const cancelSchedule = contract({
  operationId: "cancelSchedule",
  at: "DELETE /schedules/{id}",
  keyScope: "calls",
  noun: "schedule entry",
  tag: "Schedules",
  summary: "Cancel a pending entry",
  reply: okReply({ schedule: Schedule }),
  errors: ["conflict"],
});

const present = (schedule: ScheduleRow) => wireOf(Schedule, schedule);

export const scheduleRoutes = ({ dependencies: { services, calls } }: RouteContext) => [
  route(listSchedules)(async ({ tenantId, query: { status, ...page } }) => {
    const found = await services.callRecords.schedules(tenantId, { status }, page);
    return { ok: true, schedules: found.schedules.map(present), total: found.total };
  }),
  route(cancelSchedule)(async ({ tenantId, params: { id } }) => {
    await services.callRecords.schedule(tenantId, id);
    await calls.cancelSchedule(tenantId, id);
    return { ok: true, schedule: present(await services.callRecords.schedule(tenantId, id)) };
  }),
];
