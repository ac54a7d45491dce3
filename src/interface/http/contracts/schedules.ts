/** Scheduled calls (specification 4, decisions.md 7). */
import { z } from "zod";
import { field, idOut, okReply, page, shown, timeOut } from "../../contracts/schema.ts";
import { contract } from "../contract.ts";

/** Decisions.md 12. */
const LISTED_MAX = 1000;
const SCHEDULE_STATUSES = ["pending", "fired", "cancelled", "missed", "failed"] as const;

export const Schedule = z
  .strictObject({
    id: idOut("schedule entry"),
    call_uuid: shown(z.uuid(), "The call it makes.", "019aa1b2-0000-7000-8000-000000000001"),
    agent_id: shown(z.int().nullable(), "The agent; null: it was deleted.", 1),
    to_number: shown(z.string(), "Whom to call.", "+37060000002"),
    from_number: shown(z.string(), "Caller id.", "+37060000001"),
    schedule_at: timeOut("When it is due."),
    status: shown(z.enum(SCHEDULE_STATUSES), "An entry fires once, ever.", "pending"),
    reason: shown(z.string().nullable(), "Why it failed: an error code.", null),
    fired_at: shown(
      z.iso.datetime({ offset: true }).nullable(),
      "When it fired. ISO 8601, UTC.",
      null,
    ),
    created_at: timeOut("When it was asked for."),
  })
  .meta({ id: "Schedule" });

export const listSchedules = contract({
  operationId: "listSchedules",
  cacheable: true,
  method: "GET",
  path: "/schedules",
  tag: "Schedules",
  summary: "List scheduled calls, the latest first",
  description: "Page by raising `offset`; `total` counts all that the filter lets through.",
  query: z.strictObject({
    limit: page.limit(LISTED_MAX, LISTED_MAX),
    offset: page.offset(),
    status: field(z.enum(SCHEDULE_STATUSES), {
      description: "Only entries in this state.",
      example: "pending",
      must: `be one of: ${SCHEDULE_STATUSES.join(", ")}`,
    }).optional(),
  }),
  reply: okReply({
    schedules: z.array(Schedule),
    total: shown(z.int(), "All entries that match.", 1),
  }),
  errors: ["valid_limit_required", "valid_offset_required"],
});

export const cancelSchedule = contract({
  operationId: "cancelSchedule",
  keyScope: "calls",
  method: "DELETE",
  path: "/schedules/{id}",
  noun: "schedule entry",
  tag: "Schedules",
  summary: "Cancel a pending entry",
  reply: okReply({ schedule: Schedule }),
  errors: ["conflict"],
});
