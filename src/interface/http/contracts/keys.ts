/** API keys (specification 4 and 5, decisions.md 10 and 12). */
import { z } from "zod";
import { isKeyNetwork, KEY_NETWORKS_MAX, KEY_SCOPES } from "../../../domain/tenant/key-limits.ts";
import {
  field,
  idIn,
  idOut,
  label,
  okReply,
  okTrue,
  shown,
  timeOut,
} from "../../contracts/schema.ts";
import { contract } from "../contract.ts";

const keyShape = {
  id: idOut("key"),
  label: shown(z.string(), "Your name for it.", "Billing system"),
  prefix: shown(z.string(), "First 16 characters, to tell keys apart.", "lv_live_0f3a9c1e"),
  scopes: shown(
    z.array(z.enum(KEY_SCOPES)).nullable(),
    "What it may do: `read` shows, `calls` places and ends calls, `manage` changes everything else. null: all.",
    ["read"],
  ),
  expires_at: shown(
    z.iso.datetime({ offset: true }).nullable(),
    "From then on it is answered like an unknown key; null: never. ISO 8601, UTC.",
    null,
  ),
  networks: shown(
    z.array(z.string()).nullable(),
    "Where it may come from; from elsewhere it is answered like an unknown key. null: anywhere.",
    ["192.0.2.0/24"],
  ),
  created_at: timeOut("When it was made."),
};

const limitsIn = {
  scopes: field(z.array(z.enum(KEY_SCOPES)).min(1).max(KEY_SCOPES.length), {
    description: "What the key may do. Left out or null: everything.",
    example: ["read", "calls"],
    must: `be a list of one or more of ${KEY_SCOPES.join(", ")}, or null`,
  })
    .nullable()
    .default(null),
  expires_at: field(z.iso.datetime({ offset: true }), {
    description: "When it ends, at most ten years from now. Left out or null: never.",
    example: "2027-11-21T00:00:00Z",
    must: "be a time in the future with a zone, such as 2027-11-21T00:00:00Z, at most ten years from now, or null",
  })
    .nullable()
    .default(null),
  networks: field(z.array(z.string().max(50).refine(isKeyNetwork)).min(1).max(KEY_NETWORKS_MAX), {
    description: "Addresses and networks (CIDR) it may come from. Left out or null: everywhere.",
    example: ["192.0.2.0/24"],
    must: `be a list of 1 to ${KEY_NETWORKS_MAX} addresses or networks such as 192.0.2.7 or 10.0.0.0/8, or null`,
  })
    .nullable()
    .default(null),
};

export const ApiKey = z
  .strictObject({
    ...keyShape,
    last_used_at: shown(
      z.iso.datetime({ offset: true }).nullable(),
      "When it was last used; null: never. ISO 8601, UTC.",
      null,
    ),
  })
  .meta({ id: "ApiKey" });

export const NewApiKey = z
  .strictObject({
    ...keyShape,
    secret: shown(z.string(), "The key. Shown now and never again.", `lv_live_${"0".repeat(64)}`),
  })
  .meta({ id: "NewApiKey" });

export const createKey = contract({
  operationId: "createKey",
  role: "owner",
  method: "POST",
  path: "/keys",
  tag: "API keys",
  summary: "Create a key",
  description:
    "The secret is in this answer only. A key that is limited makes only keys within its own limits.",
  body: z
    .strictObject({ label: label("Your name for it."), ...limitsIn })
    .meta({ id: "NewKeyRequest" }),
  reply: okReply({ key: NewApiKey }),
  errors: ["plan_limit_reached"],
});

export const listKeys = contract({
  operationId: "listKeys",
  method: "GET",
  path: "/keys",
  tag: "API keys",
  summary: "List keys that are not revoked, without secrets",
  reply: okReply({ keys: z.array(ApiKey) }),
  errors: [],
});

export const revokeKey = contract({
  operationId: "revokeKey",
  role: "owner",
  method: "DELETE",
  path: "/keys",
  tag: "API keys",
  summary: "Revoke a key",
  description: "From now on the key answers 401. A key may revoke itself.",
  query: z.strictObject({ id: idIn("keys") }),
  reply: z
    .strictObject({ ok: okTrue, id: z.int().positive(), revoked: z.literal(true) })
    .meta({ id: "RevokedKey" }),
  errors: ["valid_id_required", "not_found"],
});
