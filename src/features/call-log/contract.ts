/** Placing and following calls from the console: `linevoice call`. */
import { z } from "zod";
import { id, operation } from "../../http/contracts/operation.ts";
import { e164In } from "../../http/contracts/schema.ts";
import type { Services } from "../appliance/services.ts";
import type { CallProgress as Step } from "./follow-call.ts";

export const callOperations = {
  /** Places a call now. The call belongs to the agent's tenant. */
  "call.place": operation({
    input: z.strictObject({ agent: id, to: e164In("Number to call.") }),
    output: z.strictObject({ tenant_id: id, call_uuid: z.uuid() }),
    role: "member",
    needsServer: true,
    run: async ({ calls }, { agent, to }) => {
      const { tenantId, callUuid } = await calls.place(agent, to);
      return { tenant_id: tenantId, call_uuid: callUuid };
    },
  }),

  /** Converts a past call into a scenario for `linevoice rehearse`; numbers and names are replaced. */
  "call.scenario": operation({
    input: z.strictObject({ call_uuid: z.uuid() }),
    output: z.strictObject({ yaml: z.string() }),
    role: "operator",
    run: async ({ calls }, { call_uuid: callUuid }) => ({ yaml: await calls.scenario(callUuid) }),
  }),
} as const;

const CallProgress = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("status"),
    status: z.string(),
    ended_reason: z.string().nullable(),
  }),
  z.strictObject({
    type: z.literal("turn"),
    speaker: z.enum(["agent", "customer"]),
    text: z.string(),
    start_ms: z.number(),
    latency_ms: z.number().nullable(),
  }),
]);
export type CallProgress = z.output<typeof CallProgress>;

const presentStep = (step: Step): CallProgress =>
  step.type === "status"
    ? { type: "status", status: step.status, ended_reason: step.endedReason }
    : {
        type: "turn",
        speaker: step.turn.speaker,
        text: step.turn.text,
        start_ms: step.turn.startMs,
        latency_ms: step.turn.latencyMs,
      };

/** Streams the steps of a call until the call ends or the signal aborts. */
export const followCall = {
  name: "call.follow",
  input: z.strictObject({ tenant: id, call_uuid: z.uuid() }),
  item: CallProgress,
  async *run(
    { calls }: Pick<Services, "calls">,
    { tenant, call_uuid }: { tenant: number; call_uuid: string },
    signal: AbortSignal,
  ): AsyncGenerator<CallProgress> {
    for await (const step of calls.follow(tenant, call_uuid, signal)) yield presentStep(step);
  },
} as const;
