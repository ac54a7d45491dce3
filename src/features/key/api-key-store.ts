/** API keys: rows of `api_keys`. Only the SHA-256 of a secret is stored. */
import { and, asc, count, eq, isNull, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "../../store/query/prepared.ts";
import { apiKeys, tenants, users } from "../../store/schema/index.ts";
import type { ApiKeyRecords } from "./api-keys.ts";

const limits = {
  scopes: apiKeys.scopes,
  expiresAt: apiKeys.expiresAt,
  networks: apiKeys.networks,
};

const live = (tenantId: number) => and(eq(apiKeys.tenantId, tenantId), isNull(apiKeys.revokedAt));

export function apiKeyStore(queries: Queries): ApiKeyRecords {
  return {
    ...keysInUse(queries),

    async insert(tenantId, key, { kind, id }) {
      const createdBy =
        kind === "key"
          ? sql<number | null>`(SELECT created_by FROM api_keys WHERE id = ${id})`
          : kind === "member"
            ? id
            : null;
      const [row] = await queries
        .insert(apiKeys)
        .values({ ...key, tenantId, createdBy })
        .returning({ id: apiKeys.id });
      if (!row) throw new Error("insert answered no row");
      return row.id;
    },

    async list(tenantId) {
      return await queries
        .select({
          id: apiKeys.id,
          label: apiKeys.label,
          prefix: apiKeys.prefix,
          ...limits,
          createdAt: apiKeys.createdAt,
          createdBy: users.email,
          lastUsedAt: apiKeys.lastUsedAt,
        })
        .from(apiKeys)
        .leftJoin(users, eq(users.id, apiKeys.createdBy))
        .where(live(tenantId))
        .orderBy(asc(apiKeys.id));
    },

    async count(tenantId) {
      const row = await queries.select({ n: count() }).from(apiKeys).where(live(tenantId)).get();
      return row?.n ?? 0;
    },

    async revoke(tenantId, id, nowMs) {
      const [row] = await queries
        .update(apiKeys)
        .set({ revokedAt: nowMs })
        .where(and(eq(apiKeys.id, id), live(tenantId)))
        .returning({ hash: apiKeys.secretHash, label: apiKeys.label });
      return row ?? null;
    },
  };
}

/** Finding a key by its hash, and recording its use. */
const findKey = statement((queries) =>
  queries
    .select({
      keyId: apiKeys.id,
      tenantId: apiKeys.tenantId,
      secretHash: apiKeys.secretHash,
      ...limits,
    })
    .from(apiKeys)
    .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
    .where(
      and(
        eq(apiKeys.secretHash, arg("secretHash")),
        isNull(apiKeys.revokedAt),
        eq(tenants.suspended, false),
      ),
    )
    .prepare(),
);

const touchKey = statement((queries) =>
  queries
    .update(apiKeys)
    .set({ lastUsedAt: sql`${arg("usedAt")}` })
    .where(eq(apiKeys.id, arg("id")))
    .prepare(),
);

function keysInUse(queries: Queries): Pick<ApiKeyRecords, "findByHash" | "touch"> {
  return {
    async findByHash(secretHash) {
      return await findKey(queries).get({ secretHash });
    },

    async touch(id, usedAt) {
      await touchKey(queries).run({ id, usedAt });
    },
  };
}
