/** The company account (specification 2, table of GET /tenant). */

import { z } from "zod";
import { microToEur } from "../../core/money.ts";
import { contract, route } from "../../http/contract.ts";
import { eurOut, idOut, okReply, shown } from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { shownPort } from "../trunk/trunks.ts";

const feature = (what: string) =>
  shown(z.union([z.literal(0), z.literal(1)]), `${what} 0 or 1.`, 0);

export const Tenant = z
  .strictObject({
    id: idOut("tenant"),
    name: shown(z.string(), "Company name.", "Example UAB"),
    email: shown(z.string(), "Email address for contact.", "office@example.com"),
    plan: shown(z.string(), "Slug of the current plan.", "start"),
    plan_included_minutes: shown(z.int(), "Minutes included per month.", 100),
    overage_eur_per_min: eurOut("Price per minute beyond the plan."),
    balance_eur: eurOut("Wallet balance."),
    webhook_signing: z.strictObject({
      algorithm: shown(z.literal("hmac-sha256"), "Algorithm of the signature.", "hmac-sha256"),
      header: shown(
        z.literal("X-LV-Signature"),
        "Header that contains the signature.",
        "X-LV-Signature",
      ),
      prefix: shown(z.string(), "First 8 characters of the tenant's signing secret.", "0f3a9c1e"),
    }),
    sip: z.strictObject({
      server: shown(
        z.string().nullable(),
        "Host name or address of the SIP server. `null` without a trunk.",
        "sip.example.com",
      ),
      username: shown(z.string().nullable(), "SIP user name. `null` without a trunk.", "100200"),
      port: shown(
        z.int().nullable(),
        "SIP port. `null` if it comes from DNS or there is no trunk.",
        5060,
      ),
      transport: shown(
        z.enum(["udp", "tcp", "tls"]).nullable(),
        "SIP transport. `null` without a trunk.",
        "udp",
      ),
      caller_id: shown(
        z.string().nullable(),
        "Default caller ID, E.164. `null` if there is none.",
        "+37060000001",
      ),
      status: shown(
        z.enum(["registered", "registering", "failed", "unregistered", "not_required"]).nullable(),
        "Registration status. `not_required` for a trunk without registration. `null` without a trunk.",
        "registered",
      ),
    }),
    features: z.strictObject({
      callback_memory: feature("Callback memory: the agent knows why it called a number earlier."),
      named_greeting: feature("Greeting by first and last name."),
      cli_identity: feature("Identification of callers by their number."),
      birthday_calls: feature("Birthday calls."),
      crm_bridge: feature("CRM and accounting bridge (79 EUR per month)."),
    }),
  })
  .meta({ id: "Tenant" });

export const getTenant = contract({
  operationId: "getTenant",
  at: "GET /tenant",
  tag: "Tenant",
  summary: "The company account",
  description: "The SIP password and the full signing secret are never returned.",
  reply: okReply({ tenant: Tenant }),
});

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
            // Port 0 means that DNS decides; clients without SRV records use 5060.
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
