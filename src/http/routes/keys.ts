/** API keys over HTTP: the secret is in the answer of their creation only. */
import { isoUtc } from "../../core/clock.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/keys.ts";
import type { RouteContext } from "./context.ts";
import { isoOrNull } from "./present.ts";

export const keyRoutes = ({ apiKeys }: RouteContext) => [
  route(contracts.createKey)(async ({ tenantId, body }) => {
    const key = await apiKeys.create(tenantId, body.label);
    return {
      ok: true,
      key: {
        id: key.id,
        label: key.label,
        prefix: key.prefix,
        secret: key.secret,
        created_at: isoUtc(key.createdAt),
      },
    };
  }),
  route(contracts.listKeys)(async ({ tenantId }) => ({
    ok: true,
    keys: (await apiKeys.list(tenantId)).map((key) => ({
      id: key.id,
      label: key.label,
      prefix: key.prefix,
      created_at: isoUtc(key.createdAt),
      last_used_at: isoOrNull(key.lastUsedAt),
    })),
  })),
  route(contracts.revokeKey)(async ({ tenantId, query }) => {
    await apiKeys.revoke(tenantId, query.id);
    return { ok: true, id: query.id, revoked: true };
  }),
];
