/** The first page: lamps, today, problems with their mends, the way to the first call. */
import { microToEur } from "../../../core/money.ts";
import { agentStore } from "../../../store/agent-store.ts";
import { dashboardListStore } from "../../../store/dashboard-list-store.ts";
import { evidenceStore } from "../../../store/evidence-store.ts";
import { fileStore } from "../../../store/file-store.ts";
import { numberStore } from "../../../store/number-store.ts";
import { reportStore } from "../../../store/report-store.ts";
import { tenantStore } from "../../../store/tenant-store.ts";
import { startOfDay, wallClock } from "../../../tenant/calendar.ts";
import { route } from "../../contract.ts";
import { minutesOf } from "../../routes/present.ts";
import * as contracts from "../contracts/home.ts";
import { type Lamp, lampsOf } from "../lamps.ts";
import { presentLive } from "../present-live.ts";
import type { ProductContext } from "./context.ts";

const DAY_MS = 86_400_000;
/** Written when somebody talks to an agent (sockets/talk.ts). */
const TALKED = "talkToAgent";
/** The minimum of a call, in seconds. */
const CALL_SECONDS_MIN = 15;

const LAMP_PAGES = {
  trunk: "/app/trunk",
  engine: null,
  disk: null,
  backup: null,
  mail: null,
} as const;

function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

export const homeRoutes = ({ dependencies, parts }: ProductContext) => {
  const { database, billing, clock } = dependencies;
  const { live, lamps, trunks } = parts;

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
      cost_eur: sum((kind) => kind.cost) / 1_000_000,
    };
  }

  async function problemsOf(
    tenantId: number,
    lit: Readonly<Record<keyof typeof LAMP_PAGES, Lamp>>,
  ) {
    const problems: { sentence: string; mend: string; href: string | null }[] = [];
    for (const name of ["trunk", "engine", "disk", "backup", "mail"] as const) {
      const { state, sentence, mend } = lit[name];
      if (mend !== null && (state === "failed" || state === "warning"))
        problems.push({ sentence, mend, href: LAMP_PAGES[name] });
    }
    for (const webhook of await dashboardListStore(database.read).webhookStates(tenantId))
      if (!webhook.enabled)
        problems.push({
          sentence: `The webhook ${webhook.url} was switched off: ${webhook.disabledReason ?? "it failed for days"}.`,
          mend: "Mend the endpoint, switch the webhook on, then send again what failed.",
          href: "/app/webhooks",
        });
    const { availableBalance, availableIncludedSeconds } = await billing.balance(tenantId);
    if (availableIncludedSeconds < CALL_SECONDS_MIN && availableBalance <= 0)
      problems.push({
        sentence: `Plan minutes and wallet are used up (${microToEur(availableBalance)} EUR): no call can be made or taken.`,
        mend: "Top up the wallet.",
        href: "/app/billing",
      });
    for (const number of await numberStore(database.read).list(tenantId))
      if (number.inboundEnabled && number.agentId === null)
        problems.push({
          sentence: `Nobody answers ${number.numberE164}: it has no agent.`,
          mend: "Assign an agent to the number.",
          href: "/app/numbers",
        });
    return problems;
  }

  async function checklist(tenantId: number, trunk: Lamp) {
    const evidence = evidenceStore(database.read);
    const numbers = await numberStore(database.read).list(tenantId);
    const called = await evidence.hasAnsweredCall(tenantId);
    const steps = [
      ["agent", (await agentStore(database.read).count(tenantId)) > 0, "/app/agents"],
      ["knowledge", (await fileStore(database.read).count(tenantId)) > 0, "/app/knowledge"],
      ["talk", called || (await evidence.wasDone(tenantId, TALKED)), "/app/agents"],
      ["trunk", trunk.state === "ok", "/app/trunk"],
      ["number", numbers.some(({ agentId }) => agentId !== null), "/app/numbers"],
      ["first_call", called, "/app/calls"],
    ] as const;
    return steps.map(([id, done, href]) => ({ id, done, href }));
  }

  return [
    route(contracts.getHome)(async ({ tenantId }) => {
      const lit = await lampsOf(lamps, await trunks.get(tenantId), clock.now());
      const latencies = await evidenceStore(database.read).turnLatencies(
        tenantId,
        clock.now() - DAY_MS,
      );
      return {
        ok: true,
        lamps: lit,
        live_calls: live.list(tenantId).length,
        today: await today(tenantId),
        latency: { p50_ms: percentile(latencies, 0.5), p90_ms: percentile(latencies, 0.9) },
        problems: await problemsOf(tenantId, lit),
        checklist: await checklist(tenantId, lit.trunk),
      };
    }),
    route(contracts.listLive)(async ({ tenantId }) => {
      const agents = await agentStore(database.read).list(tenantId);
      const names = new Map(agents.map(({ id, name }) => [id, name]));
      return {
        ok: true,
        calls: live
          .list(tenantId)
          .map((call) =>
            presentLive(call, call.agentId === null ? null : (names.get(call.agentId) ?? null)),
          ),
      };
    }),
  ];
};
