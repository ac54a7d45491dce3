/** A tenant's settings over HTTP: fields renamed, rules in tenant/. */

import { AppError } from "../../../../core/errors.ts";
import { microToEur } from "../../../../core/money.ts";
import { recordOf, wireOf } from "../../../../core/wire-names.ts";
import type { TenantSettings } from "../../../../domain/tenant/tenant-settings.ts";
import { eurOrNull, settingsChangesOf } from "../../../contracts/tenants.ts";
import { route } from "../../contract.ts";
import { forbidden } from "../../problem.ts";
import { hasNoSecondFactor } from "../../session/rights.ts";
import * as contracts from "../contracts/tenant-settings.ts";
import type { DashboardParts } from "../ports.ts";
import type { ProductContext } from "./context.ts";
import { sessionOf } from "./signed-in.ts";

/** Only the operator changes these (decisions.md 12). */
const OPERATORS = [
  "allowed_prefixes",
  "short_numbers",
  "calls_per_minute_max",
  "daily_spend_max_eur",
] as const;
/** Who has taken over a session left open must not lift these. */
const SAFEGUARDS = [...OPERATORS, "requires_second_factor"] as const;

const isOther = (sent: unknown, known: unknown) =>
  sent !== undefined && JSON.stringify(sent) !== JSON.stringify(known);

const ownFactorFirst = () =>
  new AppError({
    code: "conflict",
    field: "requires_second_factor",
    publicMessage:
      "Set up your own second factor first (Profile, Authenticator app), or sign in with a passkey: else this would lock you out.",
  });

const present = (
  settings: TenantSettings,
  {
    disclosureDefault,
    dailySpendDefault,
  }: Pick<DashboardParts, "disclosureDefault" | "dailySpendDefault">,
) =>
  wireOf(contracts.TenantSettings, settings, {
    features: wireOf(contracts.TenantSettings.shape.features, settings),
    daily_spend_max_eur: eurOrNull(settings.dailySpendMax),
    daily_spend_default_eur: microToEur(dailySpendDefault()),
    disclosure_default: { ...disclosureDefault },
  });

export const tenantSettingsRoutes = ({ dependencies, parts }: ProductContext) => {
  const { tenantSettings: settings, identity } = dependencies.services;
  const { sessions } = identity;
  return [
    route(contracts.getTenantSettings)(async ({ tenantId }) => ({
      ok: true,
      settings: present(await settings.get(tenantId), parts),
    })),
    route(contracts.updateTenantSettings)(async (request) => {
      const { tenantId, body } = request;
      const session = sessionOf(request);
      if (OPERATORS.some((name) => name in body) && !session.user.operator)
        throw forbidden(
          "Countries, short numbers and limits of dialling are the operator's to change. Ask the operator of this appliance.",
        );
      const before = present(await settings.get(tenantId), parts);
      if (SAFEGUARDS.some((name) => isOther(body[name], before[name])))
        sessions.requireRecent(session);
      if (body.requires_second_factor && hasNoSecondFactor(session)) throw ownFactorFirst();
      const { features = {}, ...others } = body;
      const changes = { ...settingsChangesOf(others), ...recordOf(features) };
      const changed = await settings.update(tenantId, changes);
      return { ok: true, settings: present(changed, parts) };
    }),
  ];
};
