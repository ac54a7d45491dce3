/** The first page: status indicators, today, problems with their fixes, the way to the first call. */
import { agentStore } from "../../../../adapter/store/agent-store.ts";
import { dashboardListStore } from "../../../../adapter/store/dashboard-list-store.ts";
import { diagnosticsStore } from "../../../../adapter/store/diagnostics-store.ts";
import { fileStore } from "../../../../adapter/store/file-store.ts";
import { numberStore } from "../../../../adapter/store/number-store.ts";
import { reportStore } from "../../../../adapter/store/report-store.ts";
import { tenantStore } from "../../../../adapter/store/tenant-store.ts";
import { startOfDay, wallClock } from "../../../../core/calendar.ts";
import { presentTrunk } from "../../../contracts/trunks.ts";
import { type Route, route } from "../../contract.ts";
import { eur, minutesOf } from "../../routes/present.ts";
import * as contracts from "../contracts/home.ts";
import { presentLive } from "../present-live.ts";
import { problemsOf } from "../problems.ts";
import { type StatusIndicator, statusesOf } from "../status-indicators.ts";
import type { ProductContext } from "./context.ts";

const DAY_MS = 86_400_000;
/** Written when somebody talks to an agent (sockets/talk.ts). */
const WEB_CALL_ACTION = "talkToAgent";
function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

function homeParts({ dependencies, parts }: ProductContext) {
  const { database, billing, services, clock } = dependencies;
  const { live, remoteNodes, statusSources } = parts;
  const liveCalls = async (tenantId: number) => [
    ...live.list(tenantId),
    ...((await remoteNodes?.list(tenantId)) ?? []),
  ];
  async function today(tenantId: number) {
    const zone = await tenantStore(database.read).timeZone(tenantId);
    const day = wallClock(zone, clock.now());
    const span = {
      fromMs: startOfDay(zone, day),
      toMs: startOfDay(zone, { ...day, day: day.day + 1 }),
    };
    const kinds = await reportStore(database.read).byKind(tenantId, span);
    const sum = (pick: (kind: (typeof kinds)[number]) => number) =>
      kinds.reduce((total, kind) => total + pick(kind), 0);
    return {
      calls: sum((kind) => kind.calls),
      minutes: minutesOf(sum((kind) => kind.billableSeconds)),
      cost_eur: eur(sum((kind) => kind.cost)),
    };
  }
  async function checklist(tenantId: number, trunk: StatusIndicator) {
    const diagnostics = diagnosticsStore(database.read);
    const numbers = await numberStore(database.read).list(tenantId);
    const called = await diagnostics.hasAnsweredCall(tenantId);
    const steps = [
      ["agent", (await agentStore(database.read).count(tenantId)) > 0, "/app/agents"],
      ["knowledge", (await fileStore(database.read).count(tenantId)) > 0, "/app/knowledge"],
      ["talk", called || (await diagnostics.wasDone(tenantId, WEB_CALL_ACTION)), "/app/agents"],
      ["trunk", trunk.state === "ok", "/app/trunk"],
      ["number", numbers.some(({ agentId }) => agentId !== null), "/app/numbers"],
      ["first_call", called, "/app/calls"],
    ] as const;
    return steps.map(([id, done, href]) => ({ id, done, href }));
  }
  return { database, billing, services, clock, statusSources, liveCalls, today, checklist };
}

type Parts = ReturnType<typeof homeParts>;

const routesOf = ({
  database,
  billing,
  services,
  clock,
  statusSources,
  liveCalls,
  today,
  checklist,
}: Parts): Route[] => [
  route(contracts.getHome)(async ({ tenantId, session }) => {
    const trunk = await services.trunks.get(tenantId);
    const shownTrunk = trunk && presentTrunk(trunk);
    const statuses = await statusesOf(statusSources, shownTrunk, clock.now());
    const latencies = await diagnosticsStore(database.read).turnLatencies(
      tenantId,
      clock.now() - DAY_MS,
    );
    return {
      ok: true,
      statuses: statuses,
      live_calls: (await liveCalls(tenantId)).length,
      today: await today(tenantId),
      latency: { p50_ms: percentile(latencies, 0.5), p90_ms: percentile(latencies, 0.9) },
      problems: problemsOf({
        statuses: statuses,
        webhooks: await dashboardListStore(database.read).webhookStates(tenantId),
        numbers: await numberStore(database.read).list(tenantId),
        money: await billing.balance(tenantId),
        isOperator: session?.user.operator === true,
      }),
      checklist: await checklist(tenantId, statuses.trunk),
    };
  }),
  route(contracts.listLive)(async ({ tenantId }) => {
    const agents = await agentStore(database.read).list(tenantId);
    const names = new Map(agents.map(({ id, name }) => [id, name]));
    return {
      ok: true,
      calls: (await liveCalls(tenantId)).map((call) =>
        presentLive(call, call.agentId === null ? null : (names.get(call.agentId) ?? null)),
      ),
    };
  }),
];

export const homeRoutes = (context: ProductContext): Route[] => {
  const parts = homeParts(context);
  return [...routesOf(parts)];
};
