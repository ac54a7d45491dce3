/** [mail], [payments], [[plans]]. */
import { z } from "zod";
import { isHost, isHttpUrl, isMailbox } from "../../../platform/config/formats.ts";
import {
  eur,
  integer,
  listOf,
  oneOf,
  optionalText,
  secret,
  section,
  tables,
  text,
} from "../../../platform/config/key.ts";

export const mail = section({
  provider: oneOf(
    'Mail provider. "outbox" writes .eml files to <data>/outbox and sends nothing.',
    ["outbox", "smtp", "resend"],
    "outbox",
  ),
  from: text("Sender of emails after calls.", "Linevoice <linevoice@localhost>", {
    allowed: 'an address, e.g. "Calls <calls@example.com>"',
    matches: isMailbox,
  }),
  attachment_bytes_max: integer(
    "Maximum size of an attached recording. For a larger one, the email contains a signed link, and the recording is stored until its retention ends.",
    18_000_000,
    0,
    100_000_000,
  ),
  outbox_keep_days: integer(
    'Days that .eml files of "outbox" are stored, but not longer than transcripts.',
    7,
    1,
    3650,
  ),
  smtp: section({
    host: optionalText("The mail server.", { allowed: "a host name", matches: isHost }),
    port: integer("Its port.", 587, 1, 65_535),
    security: oneOf(
      '"starttls" encrypts after the greeting, "tls" from the first byte, "none" never.',
      ["starttls", "tls", "none"],
      "starttls",
    ),
    username: optionalText("User name.", { allowed: "a user name", charactersMax: 320 }),
    password: secret("Password.", { allowed: "a password" }),
    timeout_ms: integer(
      "Timeout of the connection and of the greeting. Sending an email can take ten minutes, plus one minute per megabyte.",
      30_000,
      1000,
      300_000,
    ),
  }),
  resend: section({
    api_key: secret("API key of the Resend account.", { allowed: "an API key" }),
    base_url: text("Base url.", "https://api.resend.com", {
      allowed: "an https:// URL",
      matches: isHttpUrl,
    }),
    timeout_ms: integer(
      "Timeout of an email without attachment. Attachments add one minute per megabyte.",
      30_000,
      1000,
      300_000,
    ),
  }),
});

const line = (description: string, what: string) =>
  optionalText(description, { allowed: what, charactersMax: 200 });

export const payments = section({
  provider: oneOf(
    '"manual" shows bank details, and the operator confirms each payment. "stripe" uses Stripe Checkout.',
    ["manual", "stripe"],
    "manual",
  ),
  low_balance_eur: listOf(
    "Balances in EUR. A tenant gets an email when its balance falls below one of them.",
    z.number().min(0.01).max(1_000_000),
    [10, 2],
    "balances below which a tenant gets an email, e.g. [10, 2], or [] for none",
    { max: 10 },
  ),
  manual: section({
    beneficiary: line("Bank details: account holder.", "the account holder's name"),
    iban: optionalText("Bank details: IBAN.", {
      allowed: "an IBAN",
      matches: /^[A-Z]{2}\d{2}[ A-Z0-9]{8,40}$/,
    }),
    bic: optionalText("Bank details: BIC.", {
      allowed: "a BIC",
      matches: /^[A-Z0-9]{8}(?:[A-Z0-9]{3})?$/,
    }),
    bank: line("Bank details: name of the bank.", "the bank's name"),
    instructions: optionalText(
      "Note below the bank details, or instead of them if no IBAN is set.",
      { allowed: "a note to payers", charactersMax: 2000 },
    ),
  }),
  stripe: section({
    secret_key: secret("Secret key of the Stripe account.", { allowed: "a Stripe secret key" }),
    webhook_secret: secret("Signing secret of the webhook that Stripe calls.", {
      allowed: "a Stripe webhook signing secret",
    }),
    base_url: text("Base url.", "https://api.stripe.com", {
      allowed: "an https:// URL",
      matches: isHttpUrl,
    }),
  }),
});

const plan = z.strictObject({
  slug: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/)
    .meta({
      description: "Name of the plan in the API.",
      allowed: "lower-case letters, digits, - and _, at most 40",
      kind: "text",
    }),
  name: z.string().min(1).max(120).meta({
    description: "Name of the plan in the dashboard.",
    allowed: "1 to 120 characters",
    kind: "text",
  }),
  included_minutes: integer("Minutes per month included in the price.", 0, 0, 1_000_000),
  price_eur_per_month: eur("Price per month in EUR.", 1_000_000),
  overage_eur_per_min: eur("Price per further minute in EUR.", 1000),
  max_concurrent_calls: integer("Maximum number of concurrent calls.", 5, 1, 5000),
  max_agents: integer("Maximum number of agents of a tenant.", 10, 1, 10_000),
  max_phone_numbers: integer("Maximum number of phone numbers of a tenant.", 10, 1, 10_000),
  max_files: integer("Maximum number of knowledge files of a tenant.", 100, 0, 100_000),
  max_webhooks: integer("Maximum number of webhooks of a tenant.", 10, 0, 1000),
  max_contacts: integer(
    "Maximum number of contacts of a tenant. Above it, the API returns 403 plan_limit_reached with the name of the limit.",
    100_000,
    0,
    1_000_000,
  ),
  max_tools: integer("Maximum number of tools of a tenant.", 100, 0, 1000),
  max_campaigns: integer("Maximum number of campaigns of a tenant.", 500, 0, 10_000),
  max_schedules: integer(
    "Maximum number of pending scheduled calls of a tenant.",
    10_000,
    0,
    1_000_000,
  ),
  max_knowledge_bytes: integer(
    "Maximum total size of knowledge files of a tenant in bytes.",
    50_000_000,
    0,
    1_000_000_000,
  ),
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
  allowed: "1 to 50 plans; new tenants get the first plan",
  description: "Plans for tenants.",
});
