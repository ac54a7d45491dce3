/** The features' settings and the birthday calls to come over HTTP. */
import { recordOf, wireOf } from "../../../core/wire-names.ts";
import { minutesOf, timeOfDayText } from "../../../domain/contact/calling-hours.ts";
import type { FeatureSettings } from "../../../operations/admin/feature-settings.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/features.ts";
import type { RouteContext } from "./context.ts";

const present = (settings: Awaited<ReturnType<FeatureSettings["get"]>>) =>
  wireOf(contracts.Features, settings, {
    calling_from: timeOfDayText(settings.callingFrom),
    calling_to: timeOfDayText(settings.callingTo),
    has_crm_secret: settings.crmSecretSealed !== null,
    crm_mapping: settings.crmMapping ?? {},
  });

const minutesFrom = (text: string | undefined) =>
  text === undefined ? undefined : minutesOf(text);

export const featureRoutes = ({ dependencies: { services, callerParts } }: RouteContext) => [
  route(contracts.getFeatures)(async ({ tenantId }) => ({
    ok: true,
    feature_settings: present(await services.featureSettings.get(tenantId)),
  })),
  route(contracts.updateFeatures)(async ({ tenantId, body }) => {
    const { calling_from: from, calling_to: to, ...others } = body;
    const hours = { callingFrom: minutesFrom(from), callingTo: minutesFrom(to) };
    const changes = { ...recordOf(others), ...hours };
    return {
      ok: true,
      feature_settings: present(await services.featureSettings.update(tenantId, changes)),
    };
  }),
  route(contracts.previewBirthdays)(async ({ tenantId }) => ({
    ok: true,
    birthday_calls: (await callerParts.birthdays.preview(tenantId)).map((planned) => ({
      ...planned,
    })),
  })),
];
