/** Tables for users: roles, sign-in methods, sessions and the audit log. */
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { AuditDetails } from "../../features/identity/stores.ts";
import { flag, id, json, time } from "./columns.ts";
import { tenantId, tenants } from "./tenants.ts";

export const users = sqliteTable(
  "users",
  {
    id: id(),
    /** Lower case. */
    email: text("email").notNull(),
    name: text("name").notNull(),
    locale: text("locale", { enum: ["en", "lt", "lv", "ru"] })
      .notNull()
      .default("en"),
    /** Argon2id, PHC string; null: the user signs in by link or passkey until a password is set. */
    passwordHash: text("password_hash"),
    /** True for an operator, who has all rights on this appliance. */
    operator: flag("operator").notNull().default(false),
    /** AES-256-GCM under the master key, bound to this row; null: no second factor. */
    totpSealed: text("totp_sealed"),
    /** Sealed secret that a first code has not confirmed yet. */
    totpPendingSealed: text("totp_pending_sealed"),
    /** Time step of the last used code, so that no code works twice. */
    totpLastStep: integer("totp_last_step").notNull().default(0),
    createdAt: time("created_at").notNull(),
    lastSeenAt: time("last_seen_at"),
  },
  (t) => [uniqueIndex("users_email").on(t.email)],
);

const userId = () =>
  integer("user_id")
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

export const memberships = sqliteTable(
  "memberships",
  {
    userId: userId(),
    tenantId: tenantId(),
    role: text("role", { enum: ["owner", "member", "viewer"] }).notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.tenantId] }),
    index("memberships_tenant").on(t.tenantId),
  ],
);

export const sessions = sqliteTable(
  "sessions",
  {
    id: id(),
    userId: userId(),
    /** SHA-256 of the cookie's token, hex. */
    tokenHash: text("token_hash").notNull(),
    /** The token before the last rotation, valid for some seconds for requests in progress. */
    formerHash: text("former_hash"),
    formerUntil: time("former_until"),
    /** `totp`: the password was correct, but the second factor is missing, so there is no access yet. */
    stage: text("stage", { enum: ["totp", "full"] }).notNull(),
    method: text("method", { enum: ["password", "passkey", "link"] }).notNull(),
    tenantId: integer("tenant_id").references(() => tenants.id),
    /** End of an operator's impersonation of the tenant; null if the user is a member. */
    actingUntil: time("acting_until"),
    /** True: the next request gets a new token. */
    rotate: flag("rotate").notNull().default(false),
    ip: text("ip").notNull(),
    userAgent: text("user_agent").notNull(),
    createdAt: time("created_at").notNull(),
    /** Time of the user's last confirmation; null: none since the session began. */
    confirmedAt: time("confirmed_at"),
    lastSeenAt: time("last_seen_at").notNull(),
    expiresAt: time("expires_at").notNull(),
  },
  (t) => [
    uniqueIndex("sessions_token").on(t.tokenHash),
    index("sessions_former").on(t.formerHash),
    index("sessions_user").on(t.userId),
    index("sessions_age").on(t.expiresAt),
  ],
);

export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    id: id(),
    userId: userId(),
    /** HMAC-SHA-256 under a separate key, hex. */
    codeHash: text("code_hash").notNull(),
    usedAt: time("used_at"),
  },
  (t) => [index("recovery_codes_user").on(t.userId)],
);

export const passkeys = sqliteTable(
  "passkeys",
  {
    id: id(),
    userId: userId(),
    /** Base64url. */
    credentialId: text("credential_id").notNull(),
    /** COSE key, base64url. */
    publicKey: text("public_key").notNull(),
    counter: integer("counter").notNull(),
    transports: json<readonly string[]>("transports").notNull(),
    name: text("name").notNull(),
    createdAt: time("created_at").notNull(),
    lastUsedAt: time("last_used_at"),
  },
  (t) => [
    uniqueIndex("passkeys_credential").on(t.credentialId),
    index("passkeys_user").on(t.userId),
  ],
);

/** Links that work once: owner, sign-in, new password, invitation. */
export const oneTimeLinks = sqliteTable(
  "one_time_links",
  {
    id: id(),
    kind: text("kind", { enum: ["owner", "sign_in", "reset", "invitation"] }).notNull(),
    /** SHA-256 of the token, hex. */
    tokenHash: text("token_hash").notNull(),
    /** User to sign in, user whose password to set, or the inviting user. */
    userId: integer("user_id").references(() => users.id, { onDelete: "cascade" }),
    tenantId: integer("tenant_id").references(() => tenants.id),
    email: text("email"),
    role: text("role", { enum: ["owner", "member", "viewer"] }),
    createdAt: time("created_at").notNull(),
    expiresAt: time("expires_at").notNull(),
    usedAt: time("used_at"),
  },
  (t) => [
    uniqueIndex("one_time_links_token").on(t.tokenHash),
    index("one_time_links_tenant").on(t.tenantId, t.kind),
    index("one_time_links_user").on(t.userId),
    index("one_time_links_age").on(t.expiresAt),
  ],
);

/** Failed sign-ins, by account (known or not) and by source. */
export const signInAttempts = sqliteTable(
  "sign_in_attempts",
  {
    /** `account:` and an HMAC of the address, or `source:` and the network address. */
    key: text("key").primaryKey(),
    failures: integer("failures").notNull(),
    lastAt: time("last_at").notNull(),
    lockedUntil: time("locked_until").notNull(),
  },
  (t) => [index("sign_in_attempts_age").on(t.lastAt)],
);

/** Used passkey challenges, to reject repeated use. Kept until their expiry. */
export const usedChallenges = sqliteTable(
  "used_challenges",
  {
    challenge: text("challenge").primaryKey(),
    expiresAt: time("expires_at").notNull(),
  },
  (t) => [index("used_challenges_age").on(t.expiresAt)],
);

/** Audit log of changes. Rows are only added, and deleted after their retention. */
export const auditEntries = sqliteTable(
  "audit_entries",
  {
    id: id(),
    /** Null if no tenant is involved, or an unknown user tried to sign in. */
    tenantId: integer("tenant_id").references(() => tenants.id),
    userId: integer("user_id"),
    userEmail: text("user_email"),
    /** The operation's name. */
    action: text("action").notNull(),
    target: text("target").notNull(),
    ip: text("ip").notNull(),
    outcome: text("outcome", { enum: ["done", "refused", "failed"] }).notNull(),
    /** Changed object and values; never a secret. */
    details: json<AuditDetails>("details"),
    at: time("at").notNull(),
  },
  (t) => [index("audit_entries_tenant").on(t.tenantId, t.id), index("audit_entries_age").on(t.at)],
);
