/** Trunks: the shape shared by the dashboard and `linevoice trunk`, and the operator's operations. */
import { z } from "zod";
import { REGISTRATION_PROBLEMS } from "../../call/sip-port.ts";
import { isoUtc } from "../../core/clock.ts";
import { shownFields } from "../../core/schema.ts";
import { recordOf, wireOf } from "../../core/wire-names.ts";
import { id, nothing, operation } from "../../http/contracts/operation.ts";
import { shown, timeOrNull } from "../../http/contracts/schema.ts";
import { operatorTrunkShape, trunkShape } from "./trunk-schema.ts";
import type { TrunkState, TrunkTest as TrunkTestResult } from "./trunks.ts";

/** Fields that every permitted person sees. */
export const OperatorTrunk = z.strictObject({
  id: shown(z.int(), "Id of the trunk.", 1),
  tenant_id: id,
  ...shownFields(trunkShape),
  port: shown(z.int(), "SIP port. 0 if DNS gives it.", 5060),
  extra_networks: shown(
    z.array(z.string()),
    "Further addresses and networks from which calls come.",
    ["192.0.2.7"],
  ),
  status: shown(
    z.enum(["registered", "registering", "failed", "unregistered", "not_required", "unknown"]),
    "Registration status. `not_required`: IP peering. `unknown`: the trunk does not run.",
    "registered",
  ),
  last_code: shown(
    z.int().nullable(),
    "SIP code of the last failed REGISTER. `null` if there was none.",
    null,
  ),
  reason: shown(
    z.enum(REGISTRATION_PROBLEMS).nullable(),
    "Reason of the failure. `null` if the SIP code explains it, or nothing failed.",
    null,
  ),
  explanation: shown(
    z.string().nullable(),
    "Meaning of the failure, and what to check. `null` if registration did not fail.",
    null,
  ),
  next_attempt_at: timeOrNull("Time of the next attempt. `null` if there is none."),
});
export type OperatorTrunk = z.output<typeof OperatorTrunk>;
export const trunkFields = OperatorTrunk.omit({ tenant_id: true }).shape;

export const TrunkTest = z
  .strictObject({
    result: shown(z.enum(["ok", "warning", "failed"]), "Worst result of the checks.", "ok"),
    checks: z.array(
      z.strictObject({
        name: shown(
          z.enum([
            "registration",
            "options",
            "servers",
            "nat",
            "calls",
            "codecs",
            "dtmf",
            "hold",
            "transfer",
            "session_timer",
            "alg",
          ]),
          "Name of the check.",
          "registration",
        ),
        result: shown(z.enum(["ok", "warning", "failed", "unknown"]), "Result of the check.", "ok"),
        finding: shown(z.string(), "Finding of the check.", "Registered."),
        remedy: shown(
          z.string().nullable(),
          "How to fix it. `null` if there is nothing to fix.",
          null,
        ),
      }),
    ),
    pending: shown(
      z.enum(["options", "call"]).nullable(),
      "Request in progress. `null` if the test is over.",
      null,
    ),
    options_code: shown(
      z.int().nullable(),
      "Final code of OPTIONS. `null` if nobody answered.",
      200,
    ),
    round_trip_ms: shown(
      z.number().nullable(),
      "Round-trip time of OPTIONS in ms. `null` if nobody answered.",
      12.5,
    ),
    local_address: shown(z.string(), "Our address on this machine.", "10.0.0.5:5060"),
    advertised_address: shown(
      z.string(),
      "Our address as we send it to the far end.",
      "192.0.2.1:5060",
    ),
    seen_as: shown(
      z.string().nullable(),
      "Our address as the far end sees it. `null` if it does not report it.",
      null,
    ),
    codecs: shown(z.array(z.string()).nullable(), "Codecs of the far end. `null` if unknown.", [
      "PCMA",
    ]),
  })
  .meta({ id: "TrunkTest" });

const OperatorTrunkTest = z.strictObject({ trunk: OperatorTrunk, ...TrunkTest.shape });

export function presentTrunk({ trunk, port, registration }: TrunkState) {
  const failed = registration?.name === "failed" ? registration : null;
  return wireOf(OperatorTrunk, trunk, {
    port,
    extra_networks: [...(trunk.extraNetworks ?? [])],
    status: registration?.name ?? "unknown",
    last_code: failed?.lastCode ?? null,
    reason: failed?.reason ?? null,
    explanation: failed?.explanation ?? null,
    next_attempt_at: failed ? isoUtc(failed.nextAttemptAtMs) : null,
  });
}

export const presentTrunkTest = (test: TrunkTestResult) =>
  wireOf(TrunkTest, test, { checks: test.checks.map((check) => ({ ...check })) });

export const trunkOperations = {
  "trunk.set": operation({
    input: z.strictObject({ tenant: id, ...operatorTrunkShape }),
    output: OperatorTrunk,
    role: "owner",
    run: async ({ tenants, trunks }, { tenant, ...trunk }, { isOperator }) => {
      await tenants.require(tenant);
      return presentTrunk(await trunks.set(tenant, recordOf(trunk), isOperator));
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
