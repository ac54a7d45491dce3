/** The features' settings and the birthday calls to come over HTTP: rules in contact/. */

import { callSetupStore } from "../../../adapter/store/call-setup-store.ts";
import { callerStore, type FeatureRow } from "../../../adapter/store/caller-store.ts";
import { invalidField, notFound } from "../../../core/errors.ts";
import { minutesOf, timeOfDayText } from "../../../domain/contact/calling-hours.ts";
import { checkMapping } from "../../../domain/contact/crm/mapping.ts";
import { isSameServer, requireUrl } from "../../../platform/net/tenant-url.ts";
import { crmSecretBinding } from "../../../platform/secrets/secret-binding.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/features.ts";
import type { RouteContext } from "./context.ts";

const DEFAULT_HOURS = { callingFrom: 600, callingTo: 1080 };

const presentFeatures = (row: FeatureRow | undefined) => ({
  calling_from: timeOfDayText(row?.callingFrom ?? DEFAULT_HOURS.callingFrom),
  calling_to: timeOfDayText(row?.callingTo ?? DEFAULT_HOURS.callingTo),
  holidays: row?.holidays ?? null,
  birthday_agent_id: row?.birthdayAgentId ?? null,
  crm_url: row?.crmUrl ?? null,
  has_crm_secret: row?.crmSecretSealed != null,
  crm_mapping: row?.crmMapping ?? {},
});

export const featureRoutes = ({ dependencies }: RouteContext) => {
  const { database, clock, vault, callerParts, urlProblem } = dependencies;
  return [
    route(contracts.getFeatures)(async ({ tenantId }) => ({
      ok: true,
      feature_settings: presentFeatures(await callerStore(database.read).featureSettings(tenantId)),
    })),
    route(contracts.updateFeatures)(async ({ tenantId, body }) => {
      requireUrl(urlProblem, "crm_url", body.crm_url);
      if (body.crm_mapping) checkMapping(body.crm_mapping);
      const changed = await database.tx(async (queries) => {
        const store = callerStore(queries);
        const agentId = body.birthday_agent_id;
        if (agentId && !(await callSetupStore(queries).agent(tenantId, agentId)))
          throw notFound("agent");
        const before = await store.featureSettings(tenantId);
        const from = minutesFrom(
          body.calling_from,
          before?.callingFrom ?? DEFAULT_HOURS.callingFrom,
        );
        const to = minutesFrom(body.calling_to, before?.callingTo ?? DEFAULT_HOURS.callingTo);
        if (to <= from)
          throw invalidField("calling_to", "`calling_to` must be later than `calling_from`.");
        const secret = body.crm_secret;
        const keepsSecret = secret === undefined && before?.crmSecretSealed != null;
        if (keepsSecret && body.crm_url && !isSameServer(before.crmUrl, body.crm_url))
          throw invalidField(
            "crm_secret",
            "Another server gets no secret of before: give `crm_secret` again, or null for none.",
          );
        await store.putFeatureSettings(
          tenantId,
          {
            ...{ callingFrom: from, callingTo: to },
            ...(body.holidays === undefined ? {} : { holidays: body.holidays }),
            ...(agentId === undefined ? {} : { birthdayAgentId: agentId }),
            ...(body.crm_url === undefined ? {} : { crmUrl: body.crm_url }),
            ...(body.crm_mapping === undefined ? {} : { crmMapping: body.crm_mapping }),
            ...(secret === undefined
              ? {}
              : {
                  crmSecretSealed:
                    secret === null ? null : vault.seal(secret, crmSecretBinding(tenantId)),
                }),
          },
          clock.now(),
        );
        return await store.featureSettings(tenantId);
      });
      return { ok: true, feature_settings: presentFeatures(changed) };
    }),
    route(contracts.previewBirthdays)(async ({ tenantId }) => ({
      ok: true,
      birthday_calls: (await callerParts.birthdays.preview(tenantId)).map((planned) => ({
        ...planned,
      })),
    })),
  ];
};

const minutesFrom = (text: string | undefined, before: number) =>
  text === undefined ? before : minutesOf(text);
