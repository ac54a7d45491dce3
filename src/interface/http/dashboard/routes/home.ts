/** The first page: status indicators, today, problems with their fixes, the way to the first call. */
import { presentTrunk } from "../../../contracts/trunks.ts";
import { type Route, route } from "../../contract.ts";
import { eur, minutesOf } from "../../routes/present.ts";
import * as contracts from "../contracts/home.ts";
import { presentLive } from "../present-live.ts";
import { problemsOf } from "../problems.ts";
import { type StatusIndicator, statusesOf } from "../status-indicators.ts";
import type { ProductContext } from "./context.ts";

function homeParts({ dependencies, parts }: ProductContext) {
  const { billing, services, clock } = dependencies;
  const { live, remoteNodes, statusSources } = parts;
  const liveCalls = async (tenantId: number) => [
    ...live.list(tenantId),
    ...((await remoteNodes?.list(tenantId)) ?? []),
  ];
  async function today(tenantId: number) {
    const { calls, billableSeconds, cost } = await services.reports.today(tenantId);
    return { calls, minutes: minutesOf(billableSeconds), cost_eur: eur(cost) };
  }
  async function checklist(tenantId: number, trunk: StatusIndicator) {
    const done = await services.tenants.progress(tenantId);
    const steps = [
      ["agent", done.agent, "/app/agents"],
      ["knowledge", done.knowledge, "/app/knowledge"],
      ["talk", done.talk, "/app/agents"],
      ["trunk", trunk.state === "ok", "/app/trunk"],
      ["number", done.number, "/app/numbers"],
      ["first_call", done.first_call, "/app/calls"],
    ] as const;
    return steps.map(([id, isDone, href]) => ({ id, done: isDone, href }));
  }
  return { billing, services, clock, statusSources, liveCalls, today, checklist };
}

type Parts = ReturnType<typeof homeParts>;

const routesOf = ({
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
    const { p50Ms, p90Ms } = await services.reports.latency(tenantId);
    return {
      ok: true,
      statuses,
      live_calls: (await liveCalls(tenantId)).length,
      today: await today(tenantId),
      latency: { p50_ms: p50Ms, p90_ms: p90Ms },
      problems: problemsOf({
        statuses,
        webhooks: await services.webhooks.states(tenantId),
        numbers: await services.numbers.list(tenantId),
        money: await billing.balance(tenantId),
        isOperator: session?.user.operator === true,
      }),
      checklist: await checklist(tenantId, statuses.trunk),
    };
  }),
  route(contracts.listLive)(async ({ tenantId }) => {
    const agents = await services.agents.list(tenantId);
    const names = new Map(agents.map(({ id, name }) => [id, name]));
    return {
      ok: true,
      calls: (await liveCalls(tenantId)).map((call) =>
        presentLive(call, call.agentId === null ? null : (names.get(call.agentId) ?? null)),
      ),
    };
  }),
];

export const homeRoutes = (context: ProductContext): Route[] => routesOf(homeParts(context));
