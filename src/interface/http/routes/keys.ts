/** API keys over HTTP: the secret is in the answer of their creation only. */
import { wireOf } from "../../../core/wire-names.ts";
import { requireWithin } from "../../../domain/tenant/key-limits.ts";
import { keyLimitsOf } from "../../contracts/keys.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/keys.ts";
import type { RouteContext } from "./context.ts";

export const keyRoutes = ({ apiKeys }: RouteContext) => [
  route(contracts.createKey)(async ({ tenantId, keyLimits, body }) => {
    const limits = keyLimitsOf(body);
    requireWithin(limits, keyLimits);
    const key = await apiKeys.create(tenantId, body.label, limits);
    return { ok: true, key: wireOf(contracts.NewApiKey, key) };
  }),
  route(contracts.listKeys)(async ({ tenantId }) => ({
    ok: true,
    keys: (await apiKeys.list(tenantId)).map((key) => wireOf(contracts.ApiKey, key)),
  })),
  route(contracts.revokeKey)(async ({ tenantId, query }) => {
    await apiKeys.revoke(tenantId, query.id);
    return { ok: true, id: query.id, revoked: true };
  }),
];
