/** [mail], [payments], [[plans]]. */
import { z } from "zod";
import { isHost, isHttpUrl, isMailbox } from "../formats.ts";
import {
  decimal,
  integer,
  listOf,
  oneOf,
  optionalText,
  secret,
  section,
  tables,
  text,
} from "../key.ts";

export const mail = section({
  provider: oneOf(["outbox", "smtp", "resend"], "outbox"),
  from: text("Linevoice <linevoice@localhost>", {
    allowed: 'an address, e.g. "Calls <calls@example.com>"',
    matches: isMailbox,
  }),
  attachment_bytes_max: integer(18_000_000, 0, 100_000_000),
  outbox_keep_days: integer(7, 1, 3650),
  smtp: section({
    host: optionalText({ allowed: "a host name", matches: isHost }),
    port: integer(587, 1, 65_535),
    security: oneOf(["starttls", "tls", "none"], "starttls"),
    username: optionalText({ allowed: "a user name", charactersMax: 320 }),
    password: secret({ allowed: "a password" }),
    timeout_ms: integer(30_000, 1000, 300_000),
  }),
  resend: section({
    api_key: secret({ allowed: "an API key" }),
    base_url: text("https://api.resend.com", { allowed: "an https:// URL", matches: isHttpUrl }),
    timeout_ms: integer(30_000, 1000, 300_000),
  }),
});

const line = (what: string) => optionalText({ allowed: what, charactersMax: 200 });

export const payments = section({
  provider: oneOf(["manual", "stripe"], "manual"),
  low_balance_eur: listOf(
    z.number().min(0.01).max(1_000_000),
    [10, 2],
    "balances below which a tenant gets a mail, e.g. [10, 2], or [] for none",
    { max: 10 },
  ),
  manual: section({
    beneficiary: line("the account holder's name"),
    iban: optionalText({ allowed: "an IBAN", matches: /^[A-Z]{2}\d{2}[ A-Z0-9]{8,40}$/ }),
    bic: optionalText({ allowed: "a BIC", matches: /^[A-Z0-9]{8}(?:[A-Z0-9]{3})?$/ }),
    bank: line("the bank's name"),
    instructions: optionalText({ allowed: "what payers should know", charactersMax: 2000 }),
  }),
  stripe: section({
    secret_key: secret({ allowed: "a Stripe secret key" }),
    webhook_secret: secret({ allowed: "a Stripe webhook signing secret" }),
    base_url: text("https://api.stripe.com", { allowed: "an https:// URL", matches: isHttpUrl }),
  }),
});

const plan = z.strictObject({
  slug: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/)
    .meta({ allowed: "lower-case letters, digits, - and _, at most 40", kind: "text" }),
  name: z.string().min(1).max(120).meta({ allowed: "1 to 120 characters", kind: "text" }),
  included_minutes: integer(0, 0, 1_000_000),
  price_eur_per_month: decimal(0, 0, 1_000_000),
  overage_eur_per_min: decimal(0, 0, 1000),
  max_concurrent_calls: integer(5, 1, 5000),
  max_agents: integer(10, 1, 10_000),
  max_phone_numbers: integer(10, 1, 10_000),
  max_files: integer(100, 0, 100_000),
  max_webhooks: integer(10, 0, 1000),
  max_contacts: integer(100_000, 0, 1_000_000),
  max_tools: integer(100, 0, 1000),
  max_campaigns: integer(500, 0, 10_000),
  max_schedules: integer(10_000, 0, 1_000_000),
  max_knowledge_bytes: integer(50_000_000, 0, 1_000_000_000),
});

export const BUILT_IN_PLANS: z.input<typeof plan>[] = [
  {
    slug: "start",
    name: "Start",
    included_minutes: 100,
    price_eur_per_month: 29,
    overage_eur_per_min: 0.15,
    max_concurrent_calls: 2,
    max_agents: 3,
    max_phone_numbers: 3,
    max_files: 20,
    max_webhooks: 3,
  },
  {
    slug: "business",
    name: "Business",
    included_minutes: 1000,
    price_eur_per_month: 149,
    overage_eur_per_min: 0.12,
    max_concurrent_calls: 10,
    max_agents: 20,
    max_phone_numbers: 20,
    max_files: 200,
    max_webhooks: 10,
  },
  {
    slug: "scale",
    name: "Scale",
    included_minutes: 5000,
    price_eur_per_month: 499,
    overage_eur_per_min: 0.09,
    max_concurrent_calls: 50,
    max_agents: 200,
    max_phone_numbers: 200,
    max_files: 2000,
    max_webhooks: 50,
  },
];

export const plans = tables(plan, BUILT_IN_PLANS, {
  min: 1,
  max: 50,
  allowed: "1 to 50 plans; the first is what new tenants get",
});
