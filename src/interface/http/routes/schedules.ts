/** Scheduled calls over HTTP: cancelling is the call service's. */
import { wireOf } from "../../../core/wire-names.ts";
import type { ScheduleRow } from "../../../operations/admin/call-records.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/schedules.ts";
import type { RouteContext } from "./context.ts";

const present = (schedule: ScheduleRow) => wireOf(contracts.Schedule, schedule);

export const scheduleRoutes = ({ dependencies: { services, calls } }: RouteContext) => [
  route(contracts.listSchedules)(async ({ tenantId, query: { status, ...page } }) => {
    const found = await services.callRecords.schedules(tenantId, { status }, page);
    return { ok: true, schedules: found.schedules.map(present), total: found.total };
  }),
  route(contracts.cancelSchedule)(async ({ tenantId, params: { id } }) => {
    await services.callRecords.schedule(tenantId, id);
    await calls.cancelSchedule(tenantId, id);
    return { ok: true, schedule: present(await services.callRecords.schedule(tenantId, id)) };
  }),
];
