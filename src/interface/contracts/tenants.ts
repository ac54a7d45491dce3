/** Tenants, for the operator: `linevoice tenant` and `credit`, and the dashboard's operator pages. */
import { z } from "zod";
import { eurToMicro, microToEur } from "../../core/money.ts";
import { wireOf } from "../../core/wire-names.ts";
import {
  PREFIX_PATTERN,
  SHORT_NUMBER_PATTERN,
  type TenantSettings,
} from "../../domain/tenant/tenant-settings.ts";
import type { AdminTenant } from "../../operations/admin/tenants.ts";
import { id, nothing, ofTenant, operation } from "./operation.ts";
import { eurOut, shown, timeOut } from "./schema.ts";

export const Tenant = z.strictObject({
  id: shown(z.int(), "Id of the tenant.", 1),
  name: shown(z.string(), "Company name.", "Example UAB"),
  email: shown(z.string(), "Contact e-mail.", "office@example.com"),
  plan: shown(z.string(), "Slug of its plan.", "start"),
  suspended: shown(z.boolean(), "Makes and takes no calls.", false),
  balance_eur: eurOut("Wallet balance."),
  created_at: timeOut("When it was made."),
});

/** What protects a tenant from toll fraud (decisions.md 9, 12). */
const Dialing = z.strictObject({
  tenant_id: z.int(),
  allowed_prefixes: shown(z.array(z.string()).nullable(), "null: the country of the caller id."),
  short_numbers: shown(z.array(z.string()).nullable(), "null: none."),
  calls_per_minute_max: z.int(),
  daily_spend_max_eur: shown(z.number().nullable(), "null: `[limits] daily_spend_eur`."),
});

const presentTenant = (tenant: AdminTenant) =>
  wireOf(Tenant, tenant, { balance_eur: microToEur(tenant.balance) });

const presentDialing = (tenantId: number, settings: TenantSettings) => ({
  tenant_id: tenantId,
  allowed_prefixes: settings.allowedPrefixes && [...settings.allowedPrefixes],
  short_numbers: settings.shortNumbers && [...settings.shortNumbers],
  calls_per_minute_max: settings.callsPerMinuteMax,
  daily_spend_max_eur: settings.dailySpendMax === null ? null : microToEur(settings.dailySpendMax),
});

export const tenantOperations = {
  "tenant.create": operation({
    input: z.strictObject({
      name: z.string().max(500),
      email: z.string().max(500),
      plan: shown(z.string().max(100).nullable(), "null: the first configured one."),
    }),
    output: Tenant,
    role: "operator",
    run: async ({ tenants }, draft) => presentTenant(await tenants.create(draft)),
  }),
  "tenant.list": operation({
    input: nothing,
    output: z.array(Tenant),
    role: "operator",
    run: async ({ tenants }) => (await tenants.list()).map(presentTenant),
  }),
  "tenant.plan": operation({
    input: z.strictObject({ tenant: id, plan: z.string().max(100) }),
    output: Tenant,
    role: "operator",
    run: async ({ tenants }, { tenant, plan }) =>
      presentTenant(await tenants.setPlan(tenant, plan)),
  }),
  "tenant.suspend": operation({
    input: ofTenant,
    output: Tenant,
    role: "operator",
    run: async ({ tenants }, { tenant }) => presentTenant(await tenants.setSuspended(tenant, true)),
  }),
  "tenant.resume": operation({
    input: ofTenant,
    output: Tenant,
    role: "operator",
    run: async ({ tenants }, { tenant }) =>
      presentTenant(await tenants.setSuspended(tenant, false)),
  }),
  /** Changes what is given, answers all. Calls that begin from now on heed it. */
  "tenant.dialing": operation({
    input: z.strictObject({
      tenant: id,
      allowed_prefixes: z.array(z.string().regex(PREFIX_PATTERN)).min(1).max(50).nullish(),
      short_numbers: z.array(z.string().regex(SHORT_NUMBER_PATTERN)).min(1).max(50).nullish(),
      calls_per_minute_max: z.int().min(1).max(600).optional(),
      daily_spend_max_eur: z.number().min(0).max(100_000).nullish(),
    }),
    output: Dialing,
    role: "operator",
    run: async ({ tenantSettings }, { tenant, ...changes }) => {
      const spend = changes.daily_spend_max_eur;
      const settings = await tenantSettings.update(tenant, {
        allowedPrefixes: changes.allowed_prefixes,
        shortNumbers: changes.short_numbers,
        callsPerMinuteMax: changes.calls_per_minute_max,
        dailySpendMax: spend == null ? spend : eurToMicro(spend),
      });
      return presentDialing(tenant, settings);
    },
  }),
  credit: operation({
    input: z.strictObject({ tenant: id, eur: z.number(), note: z.string().max(500) }),
    output: z.strictObject({ balance_eur: eurOut("Wallet balance now.") }),
    role: "operator",
    run: async ({ tenants }, { tenant, eur, note }) => ({
      balance_eur: microToEur(await tenants.credit(tenant, eur, note)),
    }),
  }),
} as const;
