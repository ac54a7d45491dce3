/** Scheduled calls over HTTP: cancelling is the call service's. */

import { scheduleListStore } from "../../../adapter/store/schedule-list-store.ts";
import { notFound } from "../../../core/errors.ts";
import { wireOf } from "../../../core/wire-names.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/schedules.ts";
import type { RouteContext } from "./context.ts";

type ScheduleRow = NonNullable<Awaited<ReturnType<ReturnType<typeof scheduleListStore>["find"]>>>;

const present = (schedule: ScheduleRow) => wireOf(contracts.Schedule, schedule);

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
