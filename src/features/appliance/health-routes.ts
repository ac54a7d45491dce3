/** Health of the appliance for the operator: the doctor's checks, an engine test, unanswered calls. */

import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { wireOf } from "../../core/wire-names.ts";
import { contract, type Route, route } from "../../http/contract.ts";
import { askServices, OPERATOR_PAGES } from "../../http/contracts/ask.ts";
import { operations } from "../../http/contracts/operations.ts";
import { okReply, shown, timeOut } from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";

export const getHealth = contract({
  operationId: "operatorGetHealth",
  at: "GET /operator/health",
  tag: "Operator",
  role: "operator",
  summary: "Checks of this appliance (linevoice doctor)",
  reply: okReply({
    version: shown(z.string(), "Version of the appliance.", "0.1.0"),
    result: shown(z.enum(["ok", "warning", "failed"]), "Worst result of the checks.", "ok"),
    warnings: shown(
      z.array(z.string()),
      "Problems that don't stop calls but should be fixed, as in /readyz.",
      [],
    ),
    checks: z.array(
      z.strictObject({
        number: shown(z.int(), "Number of the check.", 1),
        name: shown(z.string(), "What was checked.", "disk"),
        result: shown(z.enum(["ok", "warning", "failed", "skipped"]), "Its result.", "ok"),
        finding: shown(z.string(), "What was found.", "5000 MiB are free."),
        remedy: shown(z.string().nullable(), "What fixes it.", null),
      }),
    ),
  }),
  errors: ["unavailable"],
});

export const tryEngine = contract({
  operationId: "operatorTryEngine",
  at: "POST /operator/engine/try",
  tag: "Operator",
  role: operations["engine.try"].role,
  summary: "Send one request to each part of the engine",
  description: "The providers charge their usual price for it.",
  body: operations["engine.try"].input.meta({ id: "OperatorEngineTrial" }),
  reply: okReply(operations["engine.try"].output.shape),
  errors: ["conflict"],
});

export const CallNotice = z
  .strictObject({
    tenant_id: shown(z.int(), "Id of the company.", 1),
    tenant_name: shown(z.string(), "Its name.", "Acme"),
    kind: shown(
      z.enum(["number_conflict", "number_claimed", "unknown_source"]),
      "Kind of the notice. `number_conflict`: several trunks claim the number, so its calls are rejected. `number_claimed`: the company added or requested a number of another company. `unknown_source`: a request to the trunk's Contact user came from an address that does not belong to the trunk.",
      "number_conflict",
    ),
    subject: shown(z.string(), "Number or address.", "37061111111"),
    times: shown(z.int(), "Number of times, counted at most once per minute.", 3),
    last_at: timeOut("Time of the last occurrence."),
  })
  .meta({ id: "CallNotice" });

export const listCallNotices = contract({
  operationId: "operatorListCallNotices",
  at: "GET /operator/call-notices",
  tag: "Operator",
  role: "operator",
  summary: "Rejected calls, and numbers claimed by two companies; the newest 100",
  reply: okReply({ notices: z.array(CallNotice) }),
});

export const confirmNumber = contract({
  operationId: "operatorConfirmNumber",
  at: "POST /operator/numbers/confirm",
  tag: "Operator",
  role: operations["number.confirm"].role,
  summary: "Confirm that a number belongs to a company",
  description: "The number is switched off for all other companies. Each of them gets an email.",
  body: operations["number.confirm"].input.meta({ id: "OperatorNumberConfirmation" }),
  reply: okReply(operations["number.confirm"].output.shape),
});

const NOTICES_MAX = 100;
const SEVERITY = ["skipped", "ok", "warning", "failed"] as const;

const resultOf = (rank: number) => {
  const worst = SEVERITY[rank] ?? "ok";
  return worst === "skipped" ? "ok" : worst;
};

export const operatorHealthRoutes = ({
  dependencies,
  settings,
  parts,
}: ProductContext): Route[] => {
  const { services } = dependencies;
  const ask = askServices(services, OPERATOR_PAGES);
  return [
    route(listCallNotices)(async () => ({
      ok: true,
      notices: (await services.trunks.notices(NOTICES_MAX)).map(({ notice, tenantName }) =>
        wireOf(CallNotice, notice, { tenant_name: tenantName }),
      ),
    })),
    route(confirmNumber)(async ({ body, note }) => {
      const confirmed = await ask("number.confirm", body);
      note({ subject: confirmed.number });
      return { ok: true, ...confirmed };
    }),
    route(getHealth)(async () => {
      if (!parts.checks)
        throw new AppError({
          code: "unavailable",
          publicMessage: "This server has no built-in checks. Run `linevoice doctor`.",
        });
      const checks = (await parts.checks()).map(({ number, name, result, finding, remedy }) => ({
        number,
        name,
        result,
        finding,
        remedy,
      }));
      const warnings = [...(dependencies.health.warnings?.() ?? [])];
      const ofWarnings = SEVERITY.indexOf(warnings.length === 0 ? "ok" : "warning");
      const ranks = checks.map(({ result }) => SEVERITY.indexOf(result));
      const result = resultOf(Math.max(ofWarnings, ...ranks));
      return { ok: true, version: settings.version, result, warnings, checks };
    }),
    route(tryEngine)(async ({ body }) => ({
      ok: true,
      ...(await ask("engine.try", body)),
    })),
  ];
};
