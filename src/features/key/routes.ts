/** API keys (specification 4 and 5, decisions 10 and 12). */

import { z } from "zod";
import { wireOf } from "../../core/wire-names.ts";
import { authorOf, contract, route } from "../../http/contract.ts";
import { idIn, okReply, okTrue, shown, timeOrNull } from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { keyLimitsOf, keySecret, keyShape, newKeyShape } from "./contract.ts";
import { NO_LIMITS, requireWithin } from "./key-limits.ts";

export const ApiKey = z
  .strictObject({
    ...keyShape,
    created_by: shown(
      z.string().nullable(),
      "Email address of the person who created the key, directly or through another key. `null` if the operator did, or if unknown.",
      "owner@example.com",
    ),
    last_used_at: timeOrNull("Time of the last use. `null` if it was never used."),
  })
  .meta({ id: "ApiKey" });

export const NewApiKey = z
  .strictObject({ ...keyShape, secret: keySecret })
  .meta({ id: "NewApiKey" });

export const createKey = contract({
  operationId: "createKey",
  answersSecret: true,
  audited: true,
  notWhenActing: true,
  at: "POST /keys",
  role: "owner",
  tag: "API keys",
  summary: "Create an API key",
  description:
    "Only this response contains the secret. A limited key can create only keys within its own limits.",
  body: z.strictObject(newKeyShape).meta({ id: "NewKeyRequest" }),
  reply: okReply({ key: NewApiKey }),
  errors: ["plan_limit_reached"],
});

export const listKeys = contract({
  operationId: "listKeys",
  at: "GET /keys",
  tag: "API keys",
  summary: "List active keys, without secrets",
  reply: okReply({ keys: z.array(ApiKey) }),
});

export const revokeKey = contract({
  operationId: "revokeKey",
  audited: true,
  notWhenActing: true,
  at: "DELETE /keys",
  role: "owner",
  tag: "API keys",
  summary: "Revoke an API key",
  description:
    "Requests with the key then get 401. A key can revoke itself. A limited key can revoke only keys within its own limits.",
  query: z.strictObject({ id: idIn("keys") }),
  reply: z
    .strictObject({ ok: okTrue, id: z.int().positive(), revoked: z.literal(true) })
    .meta({ id: "RevokedKey" }),
  errors: ["valid_id_required", "not_found"],
});

export const keyRoutes = ({ apiKeys }: RouteContext) => [
  route(createKey)(async (request) => {
    const { tenantId, keyLimits, body } = request;
    const limits = keyLimitsOf(body);
    requireWithin(limits, keyLimits);
    const key = await apiKeys.create(tenantId, body.label, limits, authorOf(request));
    request.note({ subject: key.label });
    return { ok: true, key: wireOf(NewApiKey, key) };
  }),
  route(listKeys)(async ({ tenantId }) => ({
    ok: true,
    keys: (await apiKeys.list(tenantId)).map((key) => wireOf(ApiKey, key)),
  })),
  route(revokeKey)(async ({ tenantId, query, keyId, keyLimits, note }) => {
    const revoker = query.id === keyId ? NO_LIMITS : keyLimits;
    note({ subject: await apiKeys.revoke(tenantId, query.id, revoker) });
    return { ok: true, id: query.id, revoked: true };
  }),
];
