/** Current problems of a tenant, each with its remedy and a link to the page that fixes it. Pure. */
import { microToEur } from "../../core/money.ts";
import type { Balance } from "../billing/ports.ts";
import { coveredBy, coverSeconds } from "../billing/rating.ts";
import type { StatusCode, StatusIndicator, Values } from "./status-routes.ts";

export const PROBLEM_CODES = [
  "webhook_off",
  "money_gone",
  "money_low",
  "number_without_agent",
  "line_received",
  "line_sent",
  "line_both",
  "callers_plan",
  "callers_turned_away",
  "health",
] as const;

interface Problem {
  readonly code: StatusCode | (typeof PROBLEM_CODES)[number];
  readonly values: Values;
  readonly sentence: string;
  readonly remedy: string;
  /** Dashboard page that fixes the problem; null: none. */
  readonly href: string | null;
}

interface Troubles {
  readonly statuses: Readonly<
    Record<"trunk" | "engine" | "disk" | "backup" | "mail", StatusIndicator>
  >;
  readonly webhooks: readonly {
    readonly url: string;
    readonly enabled: boolean;
    readonly disabledReason: string | null;
  }[];
  readonly numbers: readonly {
    readonly numberE164: string;
    readonly inboundEnabled: boolean;
    readonly agentId: number | null;
  }[];
  readonly money: Pick<Balance, "availableBalance" | "availableIncludedSeconds" | "plan">;
  /** Calls of the last day with bad line quality, by side (CallNote). */
  readonly badLines: readonly { readonly side: string; readonly calls: number }[];
  /** Callers of the last day that the appliance turned away. */
  readonly turnedAway: TurnedAway;
  /** Last result of the health checks, which only the operator sees. */
  readonly checks: readonly { readonly name: string; readonly result: string }[];
  /** True if the person may see the operator's pages. */
  readonly isOperator: boolean;
}

interface TurnedAway {
  /** Because all lines of the plan were busy. */
  readonly byPlan: number;
  /** For other reasons, and the explanation of the last one. */
  readonly others: number;
  readonly explanation: string;
}

/** Minimum call length that the wallet must cover. */
const CALL_SECONDS_MIN = 15;
/** At this remaining call time or less, a low balance is reported. */
const LOW_SECONDS = 3600;

/** Page that fixes a problem of each part. The operator's pages are null for other people. */
const PAGES = {
  engine: "/app/operator?tab=health",
  disk: "/app/operator?tab=health",
  trunk: "/app/trunk",
  backup: "/app/operator?tab=backups",
  mail: "/app/operator?tab=mail",
} as const;

/** Sorted by severity: problems that stop calls come first. */
export function problemsOf(troubles: Troubles): Problem[] {
  const { statuses, isOperator } = troubles;
  const fromStatuses = (["engine", "disk", "trunk", "backup", "mail"] as const).flatMap((name) =>
    problemOfStatus(statuses[name], name === "trunk" || isOperator ? PAGES[name] : null),
  );
  return [
    ...moneyProblems(troubles),
    ...callerProblems(troubles),
    ...fromStatuses,
    ...(isOperator ? healthProblems(troubles) : []),
    ...numberProblems(troubles),
    ...lineProblems(troubles),
    ...webhookProblems(troubles),
  ];
}

function problemOfStatus(
  { state, code, values, sentence, remedy }: StatusIndicator,
  href: string | null,
) {
  if (remedy === null || (state !== "failed" && state !== "warning")) return [];
  return [{ code, values, sentence, remedy, href }];
}

function moneyProblems({ money }: Troubles): Problem[] {
  const { availableBalance, availableIncludedSeconds, plan } = money;
  const funds = { planSeconds: availableIncludedSeconds, money: availableBalance };
  const left = coveredBy(coverSeconds(LOW_SECONDS, funds, plan.overagePerMinute));
  if (left >= LOW_SECONDS) return [];
  const href = "/app/billing?tab=wallet";
  if (availableIncludedSeconds >= CALL_SECONDS_MIN || availableBalance > 0) {
    const minutes = Math.floor(left / 60);
    const sentence = `Plan and wallet are enough for about ${minutes} more minutes of calls.`;
    const remedy = "Top up the wallet to avoid an interruption of calls.";
    return [{ code: "money_low", values: { minutes }, sentence, remedy, href }];
  }
  const eur = microToEur(availableBalance);
  return [
    {
      code: "money_gone",
      values: { eur },
      sentence: `Plan minutes and wallet are used up (${eur} EUR). Calls can't be made or answered.`,
      remedy: "Top up the wallet.",
      href,
    },
  ];
}

/** Checks that found a problem which no status shows. */
function healthProblems({ checks, statuses }: Troubles): Problem[] {
  const shown = Object.entries(statuses).flatMap(([name, { state }]) =>
    state === "failed" || state === "warning" ? [name, `${name}s`] : [],
  );
  const names = checks
    .filter(({ name, result }) => /^(failed|warning)$/.test(result) && !shown.includes(name))
    .map(({ name }) => name)
    .join(", ");
  if (names === "") return [];
  return [
    {
      code: "health",
      values: { checks: names },
      sentence: `The health check found problems: ${names}.`,
      remedy: "The health page shows how to fix each of them.",
      href: "/app/operator?tab=health",
    },
  ];
}

const numberProblems = ({ numbers }: Troubles): Problem[] =>
  numbers
    .filter(({ inboundEnabled, agentId }) => inboundEnabled && agentId === null)
    .map(({ numberE164: number }) => ({
      code: "number_without_agent",
      values: { number },
      sentence: `Calls to ${number} are not answered because the number has no agent.`,
      remedy: "Assign an agent to the number.",
      href: "/app/numbers",
    }));

function callerProblems({ turnedAway: { byPlan, others, explanation } }: Troubles): Problem[] {
  const problems: Problem[] = [];
  if (byPlan > 0)
    problems.push({
      code: "callers_plan",
      values: { calls: byPlan },
      sentence: `Callers who found all lines of your plan busy in the last 24 hours: ${byPlan}.`,
      remedy: "Choose a plan with more calls at the same time, and call these people back.",
      href: "/app/billing?tab=plan",
    });
  if (others > 0)
    problems.push({
      code: "callers_turned_away",
      values: { calls: others, explanation },
      sentence: `Callers turned away in the last 24 hours: ${others}. The last reason: ${explanation}`,
      remedy: "Each missed call shows its reason. Call these people back.",
      href: "/app/calls?status=missed",
    });
  return problems;
}

const LINE_SENTENCES = {
  received: "The agent heard callers badly",
  sent: "Callers heard the agent badly",
  both: "Audio was delayed",
} as const;

const lineProblems = ({ badLines }: Troubles): Problem[] =>
  (["received", "sent", "both"] as const).flatMap((side) => {
    const { calls = 0 } = badLines.find((each) => each.side === side) ?? {};
    if (calls === 0) return [];
    return [
      {
        code: `line_${side}` as const,
        values: { calls },
        sentence: `${LINE_SENTENCES[side]} in the last 24 hours (calls: ${calls}).`,
        remedy:
          "Check the internet connection of this server. If it is good, send the line quality of a call to the provider.",
        href: "/app/calls",
      },
    ];
  });

const webhookProblems = ({ webhooks }: Troubles): Problem[] =>
  webhooks
    .filter(({ enabled }) => !enabled)
    .map(({ url, disabledReason }) => {
      const why = disabledReason ?? "it failed for days";
      return {
        code: "webhook_off",
        values: { url, explanation: why },
        sentence: `The webhook ${url} was switched off: ${why}.`,
        remedy: "Fix the endpoint, switch the webhook on, then resend the failed events.",
        href: "/app/webhooks",
      };
    });
