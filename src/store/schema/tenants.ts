/** Tenants, their API keys and trunks. */
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { KeyScope } from "../../features/key/key-limits.ts";
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
  /** Legacy tenant-wide webhook secret, sealed; and its first 8 characters. */
  webhookSecretSealed: text("webhook_secret_sealed").notNull(),
  webhookSecretPrefix: text("webhook_secret_prefix").notNull(),
  /** True: `agent.webhook_url` gets `call.completed` instead of `call.ended` (specification 6). */
  legacyWebhook: flag("legacy_webhook").notNull().default(false),
  /** Comma-separated prefixes, e.g. `+370,+371`; null: only the country of the caller ID. */
  allowedPrefixes: text("allowed_prefixes"),
  /** Comma-separated allowed short numbers, e.g. `112,1xxx`; null: none. */
  shortNumbers: text("short_numbers"),
  callsPerMinuteMax: integer("calls_per_minute_max").notNull().default(30),
  /** Null: `[limits] daily_spend_eur`. */
  dailySpendMax: money("daily_spend_max"),
  /** Time of the owner's last notice about stopped calls to new destinations. */
  burstToldAt: time("burst_told_at"),
  /** Paid extra 30-day transcript blocks, 0 to 5. */
  retentionBlocks: integer("retention_blocks").notNull().default(0),
  /** True if members must use a passkey or an authenticator. */
  requiresSecondFactor: flag("requires_second_factor").notNull().default(false),
  createdAt: time("created_at").notNull(),
});

/** Reference to the tenant that owns the row. */
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
    /** Allowed scopes; null: all. */
    scopes: json<readonly KeyScope[]>("scopes"),
    /** Expiry of the key; null: never. */
    expiresAt: time("expires_at"),
    /** Allowed addresses and networks (CIDR); null: any. */
    networks: json<readonly string[]>("networks"),
    createdAt: time("created_at").notNull(),
    /** User who created it, directly or with a key; null: the operator, or unknown. */
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
    /** 0: not set, found by DNS. */
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
    /** Additional addresses and networks (CIDR) of the carrier's calls; null: none. */
    extraNetworks: json<readonly string[]>("extra_networks"),
    /**
     * True if the operator set server and proxy: they may then be any address. Those of a tenant must pass
     * the address rules.
     */
    setByOperator: flag("set_by_operator").notNull().default(true),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [uniqueIndex("trunks_tenant").on(t.tenantId)],
);

/** Notices about calls that could not be assigned, for the trunk's owner and the operator; one row per subject. */
export const callNotices = sqliteTable(
  "call_notices",
  {
    id: id(),
    tenantId: tenantId(),
    /**
     * `number_conflict`: several trunks claim the called number.
     * `number_claimed`: the tenant requested a number of another tenant.
     * `unknown_source`: the address used the trunk's Contact user but does not belong to the trunk.
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
