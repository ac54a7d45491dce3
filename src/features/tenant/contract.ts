/** Tenants, for the operator: `linevoice tenant` and `credit`, and the dashboard's operator pages. */
import { z } from "zod";
import { eurToMicro, type MicroEur, microToEur } from "../../core/money.ts";
import { shownFields } from "../../core/schema.ts";
import { recordOf, wireOf } from "../../core/wire-names.ts";
import { id, nothing, ofTenant, operation } from "../../http/contracts/operation.ts";
import {
  atMost,
  eurOut,
  field,
  filled,
  integer,
  nameIn,
  shown,
  timeOut,
} from "../../http/contracts/schema.ts";
import { PREFIX_PATTERN, SHORT_NUMBER_PATTERN, type TenantSettings } from "./tenant-settings.ts";
import type { AdminTenant } from "./tenants.ts";

export const Tenant = z.strictObject({
  id: shown(z.int(), "Id of the tenant.", 1),
  name: shown(z.string(), "Company name.", "Example UAB"),
  email: shown(z.string(), "Email address for contact.", "office@example.com"),
  plan: shown(z.string(), "Slug of the tenant's plan.", "start"),
  suspended: shown(
    z.boolean(),
    "Whether the tenant is suspended: it can't make or receive calls.",
    false,
  ),
  balance_eur: eurOut("Wallet balance."),
  created_at: timeOut("Time of creation."),
});

const planSlug = field(z.string().min(1).max(100), {
  description: "Slug of a configured plan.",
  example: "start",
  must: "be the slug of a plan",
});

const CONTACT_EMAIL = /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u;

/** A tenant's name and contact address. The tenant may change them in its settings. */
export const contactFields = {
  name: nameIn(120, "Company name.", "Example UAB"),
  email: field(z.string().check(atMost(254), z.email({ pattern: CONTACT_EMAIL })), {
    description: "Email address for contact.",
    example: "office@example.com",
    must: "be an email address such as desk@example.com",
  }),
};

const creditFields = {
  eur: field(
    z
      .number()
      .min(-1_000_000)
      .max(1_000_000)
      .refine((eur) => Math.abs(eur) >= 0.000001),
    {
      description: "Amount in EUR. Negative to deduct.",
      example: 10,
      must: "be an amount of EUR from -1000000 to 1000000; the smallest is 0.000001",
      reason: "amount",
      params: { from: -1_000_000, to: 1_000_000 },
    },
  ),
  note: filled(500, "Reason; shown to the tenant.", "Goodwill"),
};

/** Protects a tenant from toll fraud (decisions 9, 12). Only the operator may change it. */
export const dialingFields = {
  allowed_prefixes: field(z.array(z.string().regex(PREFIX_PATTERN)).min(1).max(50), {
    description: "Allowed prefixes. `null`: the country of the caller ID.",
    example: ["+370", "+371"],
    must: "be a list of 1 to 50 prefixes such as +370, or null for the country of the caller ID",
  }).nullable(),
  short_numbers: field(z.array(z.string().regex(SHORT_NUMBER_PATTERN)).min(1).max(50), {
    description: "Allowed short numbers, star codes and extensions. `null`: none.",
    example: ["112", "1xxx"],
    must: "be a list of 1 to 50 short numbers of digits, *, # and x (any one digit), or null for none",
  }).nullable(),
  calls_per_minute_max: integer(1, 600, "Maximum outbound calls per minute.", 30),
  daily_spend_max_eur: field(z.number().min(0).max(100_000).multipleOf(0.01), {
    description:
      "Maximum spending per day, EUR. `null`: the default of the appliance. Running calls continue above it.",
    example: 50,
    must: "be an amount of EUR from 0 to 100000, in whole cents, or null",
    reason: "amount",
    params: { from: 0, to: 100_000 },
  }).nullable(),
};

export const dialingOut = shownFields(dialingFields);
const Dialing = z.strictObject({ tenant_id: z.int(), ...dialingOut });

export const presentTenant = (tenant: AdminTenant) =>
  wireOf(Tenant, tenant, { balance_eur: microToEur(tenant.balance) });

export const eurOrNull = (amount: MicroEur | null) => (amount === null ? null : microToEur(amount));

const presentDialing = (tenantId: number, settings: TenantSettings) =>
  wireOf(Dialing, settings, {
    tenant_id: tenantId,
    daily_spend_max_eur: eurOrNull(settings.dailySpendMax),
  });

/** Converts the changes for the service, with the daily spend in micro-euro. */
export const settingsChangesOf = <Changes extends { daily_spend_max_eur?: number | null }>({
  daily_spend_max_eur: spend,
  ...changes
}: Changes) => ({
  ...recordOf(changes),
  ...(spend === undefined ? {} : { dailySpendMax: spend === null ? null : eurToMicro(spend) }),
});

export const tenantOperations = {
  "tenant.create": operation({
    input: z.strictObject({ ...contactFields, plan: planSlug.nullable().default(null) }),
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
    input: z.strictObject({ tenant: id, plan: planSlug }),
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
  /** Changes the given fields and returns all. Applies to calls that begin afterwards. */
  "tenant.dialing": operation({
    input: z
      .strictObject({ tenant: id, ...dialingFields })
      .partial()
      .required({ tenant: true }),
    output: Dialing,
    role: "operator",
    run: async ({ tenantSettings }, { tenant, ...changes }) =>
      presentDialing(tenant, await tenantSettings.update(tenant, settingsChangesOf(changes))),
  }),
  credit: operation({
    input: z.strictObject({ tenant: id, ...creditFields }),
    output: z.strictObject({ balance_eur: eurOut("Current wallet balance.") }),
    role: "operator",
    run: async ({ tenants }, { tenant, eur, note }) => ({
      balance_eur: microToEur(await tenants.credit(tenant, eur, note)),
    }),
  }),
} as const;
