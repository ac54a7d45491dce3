/** Tenants, their API keys and trunks. */
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { KeyScope } from "../../../domain/tenant/key-limits.ts";
import { flag, id, json, money, time } from "./columns.ts";

export const tenants = sqliteTable("tenants", {
  id: id(),
  name: text("name").notNull(),
  email: text("email").notNull(),
  plan: text("plan").notNull(),
  /** IANA time zone: for calendar months of the plan and dates in prompts. */
  timeZone: text("time_zone").notNull(),
  suspended: flag("suspended").notNull().default(false),
  callbackMemory: flag("callback_memory").notNull().default(false),
  namedGreeting: flag("named_greeting").notNull().default(false),
  cliIdentity: flag("cli_identity").notNull().default(false),
  birthdayCalls: flag("birthday_calls").notNull().default(false),
  crmBridge: flag("crm_bridge").notNull().default(false),
  /** The legacy tenant-wide webhook secret, sealed, and its first 8 characters. */
  webhookSecretSealed: text("webhook_secret_sealed").notNull(),
  webhookSecretPrefix: text("webhook_secret_prefix").notNull(),
  /** `call.completed` instead of `call.ended` to `agent.webhook_url` (specification 6). */
  legacyWebhook: flag("legacy_webhook").notNull().default(false),
  /** Comma-separated prefixes, e.g. `+370,+371`; null: the country of the caller ID. */
  allowedPrefixes: text("allowed_prefixes"),
  /** Comma-separated short numbers that may be dialled, e.g. `112,1xxx`; null: none. */
  shortNumbers: text("short_numbers"),
  callsPerMinuteMax: integer("calls_per_minute_max").notNull().default(30),
  /** Null: `[limits] daily_spend_eur`. */
  dailySpendMax: money("daily_spend_max"),
  /** When the owner was last notified that calls to new destinations were stopped. */
  burstToldAt: time("burst_told_at"),
  /** Extra 30-day transcript blocks paid for, 0 to 5. */
  retentionBlocks: integer("retention_blocks").notNull().default(0),
  /** Members must sign in with a passkey or have an authenticator. */
  requiresSecondFactor: flag("requires_second_factor").notNull().default(false),
  createdAt: time("created_at").notNull(),
});

/** Of a row that belongs to one tenant. */
export const tenantId = () =>
  integer("tenant_id")
    .notNull()
    .references(() => tenants.id);

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: id(),
    tenantId: tenantId(),
    label: text("label").notNull(),
    /** SHA-256 of the secret, hex. */
    secretHash: text("secret_hash").notNull(),
    /** First 16 characters, to distinguish keys. */
    prefix: text("prefix").notNull(),
    /** Allowed scopes; null: everything. */
    scopes: json<readonly KeyScope[]>("scopes"),
    /** When the key stops working; null: never. */
    expiresAt: time("expires_at"),
    /** Addresses and networks (CIDR) that may use it; null: any. */
    networks: json<readonly string[]>("networks"),
    createdAt: time("created_at").notNull(),
    /** The user who made it, or whose key did; null: the operator, or nobody noted it. */
    createdBy: integer("created_by"),
    lastUsedAt: time("last_used_at"),
    revokedAt: time("revoked_at"),
  },
  (t) => [uniqueIndex("api_keys_hash").on(t.secretHash), index("api_keys_tenant").on(t.tenantId)],
);

export const trunks = sqliteTable(
  "trunks",
  {
    id: id(),
    tenantId: tenantId(),
    server: text("server").notNull(),
    /** 0: not given, found by DNS. */
    port: integer("port").notNull(),
    transport: text("transport", { enum: ["udp", "tcp", "tls", "auto"] }).notNull(),
    username: text("username").notNull(),
    /** AES-256-GCM under the master key, bound to this row. */
    passwordSealed: text("password_sealed").notNull(),
    realm: text("realm"),
    outboundProxy: text("outbound_proxy"),
    callerId: text("caller_id").notNull(),
    register: flag("register").notNull(),
    /** Concurrent calls that the carrier allows; null: as many as the plan allows. */
    channels: integer("channels"),
    /** Addresses and networks (CIDR) that the carrier also sends calls from; null: none. */
    extraNetworks: json<readonly string[]>("extra_networks"),
    /**
     * True if the operator set server and proxy, which may then be any address; those of a tenant
     * must pass the address rules.
     */
    setByOperator: flag("set_by_operator").notNull().default(true),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [uniqueIndex("trunks_tenant").on(t.tenantId)],
);

/**
 * Notices about calls that could not be assigned, for the owner of a trunk and for the operator;
 * one row per subject.
 */
export const callNotices = sqliteTable(
  "call_notices",
  {
    id: id(),
    tenantId: tenantId(),
    /**
     * `number_conflict`: several trunks claim the called number. `number_claimed`: the tenant
     * requested a number of another tenant. `unknown_source`: the address used the trunk's Contact
     * user but does not belong to the trunk.
     */
    kind: text("kind", { enum: ["number_conflict", "number_claimed", "unknown_source"] }).notNull(),
    /** The number or the address. */
    subject: text("subject").notNull(),
    times: integer("times").notNull(),
    firstAt: time("first_at").notNull(),
    lastAt: time("last_at").notNull(),
  },
  (t) => [uniqueIndex("call_notices_subject").on(t.tenantId, t.kind, t.subject)],
);
