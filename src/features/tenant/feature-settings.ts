/** A tenant's settings for calls to contacts: calling hours, holidays, birthday agent, CRM bridge. */
import { callSetupStore } from "../../call/store/call-setup-store.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { invalidField, notFound } from "../../core/errors.ts";
import { isSameServer, requireUrl, type UrlProblem } from "../../platform/net/tenant-url.ts";
import { crmSecretBinding } from "../../platform/secrets/secret-binding.ts";
import { callerStore, type FeatureRow } from "../contact/caller-store.ts";
import { checkMapping } from "../contact/crm/mapping.ts";

type Settings = Omit<FeatureRow, "tenantId" | "updatedAt">;

/** Missing fields stay unchanged. `crmSecret` null removes the secret. */
type Changes = {
  readonly [Name in keyof Omit<Settings, "crmSecretSealed">]?: Settings[Name] | undefined;
} & { readonly crmSecret?: string | null | undefined };

/** Default settings of a new tenant. */
const DEFAULTS: Settings = {
  callingFrom: 600,
  callingTo: 1080,
  holidays: null,
  birthdayAgentId: null,
  crmUrl: null,
  crmSecretSealed: null,
  crmMapping: {},
};

export type FeatureSettings = ReturnType<typeof createFeatureSettings>;

export function createFeatureSettings(deps: {
  readonly database: Database;
  readonly vault: { seal(plain: string, binding: string): string };
  readonly urlProblem: UrlProblem;
  readonly clock: Clock;
}) {
  const { database, vault, urlProblem, clock } = deps;
  return {
    get: async (tenantId: number): Promise<Settings> =>
      (await callerStore(database.read).featureSettings(tenantId)) ?? DEFAULTS,

    /** Throws valid_…_required, not_found (agent). */
    async update(tenantId: number, { crmSecret, ...changes }: Changes): Promise<Settings> {
      requireUrl(urlProblem, "crm_url", changes.crmUrl);
      if (changes.crmMapping) checkMapping(changes.crmMapping);
      return await database.tx(async (queries) => {
        const store = callerStore(queries);
        const { birthdayAgentId: agentId } = changes;
        if (agentId && !(await callSetupStore(queries).agent(tenantId, agentId)))
          throw notFound("agent");
        const before = (await store.featureSettings(tenantId)) ?? DEFAULTS;
        const { callingFrom = before.callingFrom, callingTo = before.callingTo } = changes;
        if (callingTo <= callingFrom)
          throw invalidField("calling_to", "`calling_to` must be later than `calling_from`.");
        const keepsSecret = crmSecret === undefined && before.crmSecretSealed !== null;
        if (keepsSecret && changes.crmUrl && !isSameServer(before.crmUrl, changes.crmUrl))
          throw invalidField(
            "crm_secret",
            "The server has changed. Send `crm_secret` again, or null for no secret.",
          );
        const sealed = crmSecret && vault.seal(crmSecret, crmSecretBinding(tenantId));
        const stored = { ...changes, callingFrom, callingTo, crmSecretSealed: sealed };
        await store.putFeatureSettings(tenantId, stored, clock.now());
        return (await store.featureSettings(tenantId)) ?? DEFAULTS;
      });
    },
  };
}
