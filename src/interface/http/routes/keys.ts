/** API keys over HTTP: the secret is in the answer of their creation only. */
import { isoUtc } from "../../../core/clock.ts";
import type { ApiKeyRecord } from "../../../domain/tenant/api-keys.ts";
import { requireWithin } from "../../../domain/tenant/key-limits.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/keys.ts";
import type { RouteContext } from "./context.ts";
import { isoOrNull } from "./present.ts";

const present = (key: ApiKeyRecord) => ({
  id: key.id,
  label: key.label,
  prefix: key.prefix,
  scopes: key.scopes && [...key.scopes],
  expires_at: isoOrNull(key.expiresAt),
  networks: key.networks && [...key.networks],
  created_at: isoUtc(key.createdAt),
});

export const keyRoutes = ({ apiKeys }: RouteContext) => [
  route(contracts.createKey)(async ({ tenantId, keyLimits, body }) => {
    const limits = {
      scopes: body.scopes ?? null,
      expiresAt: body.expires_at == null ? null : Date.parse(body.expires_at),
      networks: body.networks ?? null,
    };
    requireWithin(limits, keyLimits);
    const key = await apiKeys.create(tenantId, body.label, limits);
    return { ok: true, key: { ...present(key), secret: key.secret } };
  }),
  route(contracts.listKeys)(async ({ tenantId }) => ({
    ok: true,
    keys: (await apiKeys.list(tenantId)).map((key) => ({
      ...present(key),
      last_used_at: isoOrNull(key.lastUsedAt),
    })),
  })),
  route(contracts.revokeKey)(async ({ tenantId, query }) => {
    await apiKeys.revoke(tenantId, query.id);
    return { ok: true, id: query.id, revoked: true };
  }),
];
