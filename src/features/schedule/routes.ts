/** Scheduled calls (specification 4, decisions 7). */

import { z } from "zod";
import { wireOf } from "../../core/wire-names.ts";
import { contract, route } from "../../http/contract.ts";
import {
  choice,
  idOut,
  okReply,
  page,
  shown,
  timeOrNull,
  timeOut,
} from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import type { ScheduleRow } from "../call-log/call-records.ts";

/** The limit of decisions 12. */
const LISTED_MAX = 1000;
const SCHEDULE_STATUSES = ["pending", "fired", "cancelled", "missed", "failed"] as const;

export const Schedule = z
  .strictObject({
    id: idOut("schedule entry"),
    call_uuid: shown(z.uuid(), "UUID of the call.", "019aa1b2-0000-7000-8000-000000000001"),
    agent_id: shown(z.int().nullable(), "Id of the agent. `null` if it was deleted.", 1),
    to_number: shown(
      z.string(),
      "Number to call, E.164. Empty if the person's data was erased.",
      "+37060000002",
    ),
    from_number: shown(
      z.string(),
      "Caller ID, E.164. `null` for the default caller ID.",
      "+37060000001",
    ),
    schedule_at: timeOut("Planned time of the call."),
    status: shown(
      z.enum(SCHEDULE_STATUSES),
      "Status of the entry. Each entry places its call at most once.",
      "pending",
    ),
    reason: shown(z.string().nullable(), "Error code if the entry failed, otherwise `null`.", null),
    fired_at: timeOrNull("Time when the call was placed. `null` if it was not placed."),
    created_at: timeOut("Time of creation."),
  })
  .meta({ id: "Schedule" });

export const listSchedules = contract({
  operationId: "listSchedules",
  at: "GET /schedules",
  cacheable: true,
  tag: "Schedules",
  summary: "List scheduled calls, the latest first",
  description:
    "Increase `offset` to read more pages. `total` counts all records that match the filter.",
  query: z.strictObject({
    limit: page.limit(LISTED_MAX, LISTED_MAX),
    offset: page.offset(),
    status: choice(SCHEDULE_STATUSES, "Filter: status of the entry.", "pending").optional(),
  }),
  reply: okReply({
    schedules: z.array(Schedule),
    total: shown(z.int(), "Number of entries that match the filter.", 1),
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
