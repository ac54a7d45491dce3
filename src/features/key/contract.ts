/** API keys: the shape shared by REST and `linevoice key`, and the operator's operation. */
import { z } from "zod";
import { wireOf } from "../../core/wire-names.ts";
import { id, operation } from "../../http/contracts/operation.ts";
import {
  atMost,
  field,
  idOut,
  label,
  shown,
  timeIn,
  timeOrNull,
  timeOut,
} from "../../http/contracts/schema.ts";
import { isKeyNetwork, KEY_NETWORKS_MAX, KEY_SCOPES } from "./key-limits.ts";

export const keyShape = {
  id: idOut("key"),
  label: shown(z.string(), "Label of your choice.", "Billing system"),
  prefix: shown(
    z.string(),
    "First 16 characters of the key, to distinguish keys.",
    "lv_live_0f3a9c1e",
  ),
  scopes: shown(
    z.array(z.enum(KEY_SCOPES)).nullable(),
    "Scopes of the key. `read`: view. `calls`: place and end calls. `manage`: change everything else. `null`: all scopes.",
    ["read"],
  ),
  expires_at: timeOrNull(
    "Time when the key expires. Requests then get 401. `null` if it never expires.",
  ),
  networks: shown(
    z.array(z.string()).nullable(),
    "Addresses and networks (CIDR) from which the key can be used. Requests from others get 401. `null`: everywhere.",
    ["192.0.2.0/24"],
  ),
  created_at: timeOut("Time of creation."),
};

export const newKeyShape = {
  label: label("Label of your choice."),
  scopes: field(z.array(z.enum(KEY_SCOPES)).min(1).max(KEY_SCOPES.length), {
    description: "Scopes of the key. Missing or `null`: all scopes.",
    example: ["read", "calls"],
    must: `be a list of one or more of ${KEY_SCOPES.join(", ")}, or null`,
  })
    .nullable()
    .default(null),
  expires_at: field(timeIn(), {
    description:
      "Time when the key expires, at most ten years from now. Without a zone it is UTC. Missing or `null`: never.",
    example: "2027-11-21T00:00:00Z",
    must: "be a time in the future, such as 2027-11-21T00:00:00Z, at most ten years from now, or null",
  })
    .nullable()
    .default(null),
  networks: field(
    z
      .array(z.string().check(atMost(50)).refine(isKeyNetwork))
      .min(1)
      .max(KEY_NETWORKS_MAX),
    {
      description:
        "Addresses and networks (CIDR) from which the key can be used. Missing or `null`: everywhere.",
      example: ["192.0.2.0/24"],
      must: `be a list of 1 to ${KEY_NETWORKS_MAX} addresses or networks such as 192.0.2.7 or 10.0.0.0/8, or null`,
    },
  )
    .nullable()
    .default(null),
};

/** Limits of a key in the stored format. */
export const keyLimitsOf = ({
  scopes,
  expires_at: expires,
  networks,
}: Pick<z.output<z.ZodObject<typeof newKeyShape>>, "scopes" | "expires_at" | "networks">) => ({
  scopes,
  networks,
  expiresAt: expires === null ? null : Date.parse(expires),
});

export const keySecret = shown(
  z.string(),
  "Secret of the key. Shown only in this response.",
  `lv_live_${"0".repeat(64)}`,
);

const CreatedKey = z.strictObject({ ...keyShape, secret: keySecret });

export const keyOperations = {
  "key.create": operation({
    input: z.strictObject({ tenant: id, ...newKeyShape }),
    output: CreatedKey,
    role: "operator",
    run: async ({ tenants, apiKeys }, { tenant, ...key }) => {
      await tenants.require(tenant);
      return wireOf(CreatedKey, await apiKeys.create(tenant, key.label, keyLimitsOf(key)));
    },
  }),
} as const;
