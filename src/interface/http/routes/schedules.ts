/** Scheduled calls over HTTP: cancelling is the call desk's. */

import { scheduleListStore } from "../../../adapter/store/schedule-list-store.ts";
import { isoUtc } from "../../../core/clock.ts";
import { notFound } from "../../../core/errors.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/schedules.ts";
import type { RouteContext } from "./context.ts";
import { isoOrNull } from "./present.ts";

type ScheduleRow = NonNullable<Awaited<ReturnType<ReturnType<typeof scheduleListStore>["find"]>>>;

const present = (schedule: ScheduleRow) => ({
  id: schedule.id,
  call_uuid: schedule.callUuid,
  agent_id: schedule.agentId,
  to_number: schedule.toNumber,
  from_number: schedule.fromNumber,
  schedule_at: isoUtc(schedule.scheduleAt),
  status: schedule.status,
  reason: schedule.reason,
  fired_at: isoOrNull(schedule.firedAt),
  created_at: isoUtc(schedule.createdAt),
});

export const scheduleRoutes = ({ dependencies: { database, calls } }: RouteContext) => [
  route(contracts.listSchedules)(async ({ tenantId, query }) => {
    const { status, limit, offset } = query;
    const store = scheduleListStore(database.read);
    const total = await store.total(tenantId, { status });
    const rows = offset < total ? await store.list(tenantId, { status }, { limit, offset }) : [];
    return { ok: true, schedules: rows.map(present), total };
  }),
  route(contracts.cancelSchedule)(async ({ tenantId, params }) => {
    const schedules = scheduleListStore(database.read);
    if (!(await schedules.find(tenantId, params.id))) throw notFound("schedule entry");
    await calls.cancelSchedule(tenantId, params.id);
    const after = await schedules.find(tenantId, params.id);
    if (!after) throw notFound("schedule entry");
    return { ok: true, schedule: present(after) };
  }),
];
