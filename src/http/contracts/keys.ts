/** API keys (specification 4 and 5, decisions.md 10). */
import { z } from "zod";
import { contract } from "../contract.ts";
import { idIn, idOut, label, okReply, okTrue, shown, timeOut } from "../schema.ts";

const keyShape = {
  id: idOut("key"),
  label: shown(z.string(), "Your name for it.", "Billing system"),
  prefix: shown(z.string(), "First 16 characters, to tell keys apart.", "lv_live_0f3a9c1e"),
  created_at: timeOut("When it was made."),
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
  description: "The secret is in this answer only.",
  body: z.strictObject({ label: label("Your name for it.") }).meta({ id: "NewKeyRequest" }),
  reply: okReply({ key: NewApiKey }),
  errors: ["valid_label_required", "plan_limit_reached", "unknown_field"],
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
