/** GET /tenant: what the company account is and has, without a secret. */

import { microToEur } from "../../../core/money.ts";
import { shownPort } from "../../../operations/admin/trunks.ts";
import { route } from "../contract.ts";
import { getTenant } from "../contracts/tenant.ts";
import type { RouteContext } from "./context.ts";

const bit = (on: boolean): 0 | 1 => (on ? 1 : 0);

export const tenantRoutes = ({ dependencies, queryCache }: RouteContext) => {
  const { services, registrations } = dependencies;
  return [
    route(getTenant)(async ({ tenantId }) => {
      const { tenant, trunk, plan, balance } = await queryCache.read(`tenant ${tenantId}`, () =>
        services.tenants.profile(tenantId),
      );
      const registration = trunk && registrations.status(trunk.id);
      return {
        ok: true,
        tenant: {
          id: tenant.id,
          name: tenant.name,
          email: tenant.email,
          plan: plan.slug,
          plan_included_minutes: plan.includedMinutes,
          overage_eur_per_min: microToEur(plan.overagePerMinute),
          balance_eur: microToEur(balance),
          webhook_signing: {
            algorithm: "hmac-sha256",
            header: "X-LV-Signature",
            prefix: tenant.webhookSecretPrefix,
          },
          sip: {
            server: trunk?.server ?? null,
            username: trunk?.username ?? null,
            // Left to DNS: what a client that asks for no service records would use.
            port: trunk ? shownPort(trunk) || 5060 : null,
            transport: trunk?.transport === "auto" ? "udp" : (trunk?.transport ?? null),
            caller_id: trunk?.callerId ?? null,
            status: trunk ? (registration?.name ?? "unregistered") : null,
          },
          features: {
            callback_memory: bit(tenant.callbackMemory),
            named_greeting: bit(tenant.namedGreeting),
            cli_identity: bit(tenant.cliIdentity),
            birthday_calls: bit(tenant.birthdayCalls),
            crm_bridge: bit(tenant.crmBridge),
          },
        },
      };
    }),
  ];
};
