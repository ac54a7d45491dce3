/** Trunks: the shape that the dashboard and `linevoice trunk` share, and the operator's operations. */
import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { wireOf } from "../../core/wire-names.ts";
import { EXTRA_NETWORKS_MAX, TRUNK_CHANNELS_MAX } from "../../domain/call/sip-port.ts";
import type { TrunkState, TrunkTest as TrunkTestResult } from "../../operations/admin/trunks.ts";
import { isNetwork } from "../../platform/config/formats.ts";
import { e164Text, id, nothing, operation } from "./operation.ts";
import { shown } from "./schema.ts";

export const TRUNK_TRANSPORTS = ["udp", "tcp", "tls", "auto"] as const;

/** What everybody who may see a trunk sees. The password only goes in. */
export const trunkFields = {
  id: shown(z.int(), "Id of the trunk.", 1),
  server: shown(z.string(), "SIP host of the carrier.", "sip.example.com"),
  port: shown(z.int(), "SIP port; 0: not stated, found by DNS.", 5060),
  transport: shown(z.enum(TRUNK_TRANSPORTS), "SIP transport; auto: found by DNS.", "udp"),
  username: shown(z.string(), "SIP user.", "100200"),
  caller_id: shown(z.string(), "Default caller id, E.164.", "+37060000001"),
  register: shown(z.boolean(), "False: IP peering.", true),
  channels: shown(
    z.int().nullable(),
    "Calls that the carrier carries at once; null: not stated.",
    null,
  ),
  extra_networks: shown(
    z.array(z.string()),
    "Addresses and networks that calls come from besides the server's.",
    ["192.0.2.7"],
  ),
  status: shown(
    z.enum(["registered", "registering", "failed", "unregistered", "not_required", "unknown"]),
    "Registration now; not_required: IP peering; unknown: it does not run.",
    "registered",
  ),
  last_code: shown(z.int().nullable(), "SIP code of the last failed REGISTER.", null),
  explanation: shown(z.string().nullable(), "What it means and what to check.", null),
  next_attempt_at: shown(
    z.iso.datetime({ offset: true }).nullable(),
    "When it is tried again. ISO 8601, UTC.",
    null,
  ),
};

export const TrunkTest = z
  .strictObject({
    result: shown(z.enum(["ok", "warning", "failed"]), "The worst of the checks.", "ok"),
    checks: z.array(
      z.strictObject({
        name: shown(z.string(), "What was checked.", "registration"),
        result: shown(z.enum(["ok", "warning", "failed", "unknown"]), "Its result.", "ok"),
        finding: shown(z.string(), "What was found.", "Registered."),
        remedy: shown(z.string().nullable(), "What fixes it.", null),
      }),
    ),
    options_code: shown(z.int().nullable(), "Final code of OPTIONS; null: no answer.", 200),
    round_trip_ms: shown(z.number().nullable(), "Of OPTIONS.", 12.5),
    local_address: shown(z.string(), "Our address on this machine.", "10.0.0.5:5060"),
    advertised_address: shown(z.string(), "Our address as we tell it.", "192.0.2.1:5060"),
    seen_as: shown(z.string().nullable(), "Our address as the far end sees it.", null),
    codecs: shown(z.array(z.string()).nullable(), "What the far end speaks.", ["PCMA"]),
  })
  .meta({ id: "TrunkTest" });

const { id: trunkId, ...otherFields } = trunkFields;
const OperatorTrunk = z.strictObject({ id: trunkId, tenant_id: id, ...otherFields });
export type OperatorTrunk = z.output<typeof OperatorTrunk>;

const OperatorTrunkTest = z.strictObject({ trunk: OperatorTrunk, ...TrunkTest.shape });

export function presentTrunk({ trunk, port, registration }: TrunkState) {
  const failed = registration?.name === "failed" ? registration : null;
  return wireOf(OperatorTrunk, trunk, {
    port,
    extra_networks: [...(trunk.extraNetworks ?? [])],
    status: registration?.name ?? "unknown",
    last_code: failed?.lastCode ?? null,
    explanation: failed?.explanation ?? null,
    next_attempt_at: failed ? isoUtc(failed.nextAttemptAtMs) : null,
  });
}

export const presentTrunkTest = (test: TrunkTestResult) =>
  wireOf(TrunkTest, test, { checks: test.checks.map((check) => ({ ...check })) });

export const trunkOperations = {
  "trunk.set": operation({
    input: z.strictObject({
      tenant: id,
      server: z.string().min(1).max(253),
      port: z.int().min(0).max(65_535),
      transport: z.enum(TRUNK_TRANSPORTS),
      username: z.string().min(1).max(200),
      password: z.string().max(1000),
      realm: z.string().max(200).nullable(),
      outbound_proxy: z.string().max(300).nullable(),
      caller_id: e164Text,
      register: z.boolean(),
      channels: z.int().min(1).max(TRUNK_CHANNELS_MAX).nullable(),
      extra_networks: z.array(z.string().refine(isNetwork)).max(EXTRA_NETWORKS_MAX).optional(),
    }),
    output: OperatorTrunk,
    role: "operator",
    run: async ({ tenants, trunks }, input) => {
      const { tenant, caller_id: callerId, outbound_proxy: outboundProxy, ...rest } = input;
      const { extra_networks: networks, ...fields } = rest;
      await tenants.require(tenant);
      const extraNetworks = networks?.length ? networks : null;
      const draft = { ...fields, callerId, outboundProxy, extraNetworks };
      return presentTrunk(await trunks.set(tenant, draft, true));
    },
  }),
  "trunk.list": operation({
    input: nothing,
    output: z.array(OperatorTrunk),
    role: "operator",
    run: async ({ trunks }) => (await trunks.list()).map(presentTrunk),
  }),
  "trunk.test": operation({
    input: z.strictObject({ trunk: id, calls: z.boolean().default(true) }),
    output: OperatorTrunkTest,
    role: "operator",
    needsServer: true,
    run: async ({ trunks }, { trunk, calls }) => {
      const test = await trunks.test(trunk, calls);
      return { trunk: presentTrunk(test), ...presentTrunkTest(test) };
    },
  }),
} as const;
