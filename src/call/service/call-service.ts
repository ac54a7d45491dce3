/** The call service: request, end, transfer and cancel calls (specification 3, 4). */

import { ahead, type Queries } from "../../core/database.ts";
import { AppError, invalidField, notFound } from "../../core/errors.ts";
import { uuidV7 } from "../../core/ids.ts";
import { microEur } from "../../core/money.ts";
import type { Random } from "../../core/random.ts";
import type { AgentRecord } from "../../features/agent/agent-schema.ts";
import type { Billing } from "../../features/billing/billing.ts";
import type { Quotas } from "../../features/billing/quotas.ts";
import type { EventSink } from "../../features/webhook/ports.ts";
import type { AddressRules } from "../../platform/net/address-rules.ts";
import type { Admission } from "../admission/admission.ts";
import { endingByUs } from "../ending.ts";
import type { CallRegistry } from "../live/registry.ts";
import { type TransferPorts, transferCall } from "../live/transfer.ts";
import { endAbandonedSchedule } from "../outbound/abandoned-schedule.ts";
import type { CallService, CreateCallInput, RequestedCall } from "../ports.ts";
import type { CallNumber, CallSetupRecords, CallTrunk } from "../stores.ts";

const PAST_MS_MAX = 60_000;

export interface CallServicePorts extends TransferPorts {
  readonly admission: Pick<Admission, "askRequest" | "request" | "transfer">;
  readonly billing: Pick<Billing, "planNamed">;
  readonly registry: Pick<CallRegistry, "find">;
  readonly events: EventSink;
  readonly random: Random;
}

interface CallServiceOptions {
  readonly context: CallServicePorts;
  readonly quotas: Quotas;
  /** Address rules, including `[sip] allow_networks`. */
  readonly targetAddresses: Pick<AddressRules, "check">;
  /** Called after an immediate call was stored, so that the scheduler runs now. */
  readonly wakeScheduler: () => void;
  /** True while draining. */
  readonly isDraining: () => boolean;
}

/** The tenant's own number, else its default caller ID (specification 4). */
function callerIdFor(own: CallNumber | undefined, trunk: CallTrunk | undefined): string {
  if (own) return own.numberE164;
  if (trunk) return trunk.callerId;
  throw invalidField(
    "from_number",
    "There is no default caller ID yet. Set up a trunk, or send one of your registered numbers.",
  );
}

/** Default agent: that of the caller's number, else the tenant's only one (decisions 6). */
async function agentFor(
  setup: CallSetupRecords,
  tenantId: number,
  own: CallNumber | undefined,
  fromNumber: string,
): Promise<AgentRecord> {
  const [number, [only, second]] = await Promise.all([
    own ?? setup.numberByE164(tenantId, fromNumber),
    setup.firstAgents(tenantId),
  ]);
  if (number?.agentId) {
    const agent = await setup.agent(tenantId, number.agentId);
    if (agent) return agent;
  }
  if (only && !second) return only;
  throw invalidField("agent_id", "Send `agent_id`: the calling agent cannot be determined.", {
    reason: "choice",
  });
}

function checkTime(scheduleAtMs: number | null, nowMs: number): void {
  if (scheduleAtMs === null) return;
  if (scheduleAtMs < nowMs - PAST_MS_MAX)
    throw invalidField("schedule_at", "`schedule_at` is in the past. Choose a later time.");
  if (scheduleAtMs > new Date(nowMs).setUTCFullYear(new Date(nowMs).getUTCFullYear() + 1))
    throw invalidField("schedule_at", "`schedule_at` can be at most one year ahead.");
}

/** In one transaction: checks the request, then stores the schedule entry, the call and its purpose. */
async function storeRequest(
  { context, quotas }: CallServiceOptions,
  queries: Queries,
  tenantId: number,
  input: CreateCallInput,
  nowMs: number,
): Promise<RequestedCall> {
  const { clock, random, stores, admission, billing } = context;
  const immediate = input.scheduleAtMs === null;
  const setup = stores.setup(queries);
  const asked = admission.askRequest(queries, tenantId, input.toNumber, immediate);
  const room = immediate ? null : ahead(quotas.require(queries, tenantId, "schedules", 1));
  const [tenant, trunk, own, named] = await Promise.all([
    setup.tenant(tenantId),
    setup.trunk(tenantId),
    input.fromNumber === null ? undefined : setup.numberByE164(tenantId, input.fromNumber),
    input.agentId === null ? undefined : setup.agent(tenantId, input.agentId),
  ]);
  if (!tenant) throw notFound("tenant");
  const fromNumber = callerIdFor(own, trunk);
  if (input.agentId !== null && !named) throw notFound("agent");
  const agent = named ?? (await agentFor(setup, tenantId, own, fromNumber));
  await admission.request(queries, tenant, trunk, input.toNumber, immediate, asked);
  await room;
  const callUuid = uuidV7(clock, random);
  const scheduleId = await stores.schedules(queries).insert(tenantId, {
    callUuid,
    agentId: agent.id,
    toNumber: input.toNumber,
    fromNumber,
    scheduleAt: input.scheduleAtMs ?? nowMs,
    status: "pending",
    immediate,
    createdAt: nowMs,
  });
  const plan = billing.planNamed(tenant.plan);
  await stores.calls(queries).add(tenantId, {
    callUuid,
    agentId: agent.id,
    scheduleId,
    direction: "outbound",
    fromNumber,
    toNumber: input.toNumber,
    status: "queued",
    language: agent.language,
    createdAt: nowMs,
    recordingStatus: "none",
    overageRate: plan.overagePerMinute,
    cost: microEur(0),
  });
  if (input.purpose)
    await stores
      .purposes(queries)
      .putPurpose(tenantId, { callUuid, createdAt: nowMs, ...input.purpose });
  await input.stored?.(queries, callUuid);
  return { callUuid, scheduleId, fromNumber, scheduledAtMs: input.scheduleAtMs };
}

async function cancelSchedule(
  context: CallServicePorts,
  tenantId: number,
  scheduleId: number,
): Promise<void> {
  await context.database.tx(async (queries) => {
    const schedules = context.stores.schedules(queries);
    const entry = await schedules.find(tenantId, scheduleId);
    if (!entry) throw notFound("schedule");
    if (!(await schedules.leavePending(tenantId, scheduleId, "cancelled", {})))
      throw new AppError({
        code: "conflict",
        reason: "schedule_over",
        publicMessage: `This schedule entry is ${entry.status}. Only a pending entry can be cancelled.`,
      });
    const ending = endingByUs(
      "cancelled",
      "cancelled",
      "The schedule was cancelled before it was due.",
    );
    await endAbandonedSchedule(context, queries, tenantId, entry.callUuid, ending);
  });
  context.events.wake();
}

/** A host that needs no resolver: digits and dots, an address in brackets, or localhost (RFC 6761 6.3). */
const LITERAL_HOST = /^sip:[^@]*@(?:\[([^\]]*)\]|([\d.]+|(?:.+\.)?localhost\.?))(?::\d*)?$/i;

/**
 * Rejects a tenant's SIP URI if the trunk may not reach its address (decisions 12). The trunk's server is
 * always allowed. Targets in the configuration belong to the operator and are not checked.
 */
async function checkTargetAddress(
  { context, targetAddresses }: CallServiceOptions,
  tenantId: number,
  to: string,
): Promise<void> {
  const [, v6, v4] = LITERAL_HOST.exec(to) ?? [];
  const address = v6 ?? v4;
  if (address === undefined || targetAddresses.check(address).allowed) return;
  const trunk = await context.stores.setup(context.database.read).trunk(tenantId);
  if (trunk && context.sip.trunk(trunk.id)?.settings.server === address) return;
  throw invalidField(
    "to",
    "Trunks cannot use the address in `to`. For an address in your own network, ask the operator to add that network to [sip] allow_networks.",
    { reason: "transfer_to" },
  );
}

export function createCallService(options: CallServiceOptions): CallService {
  const { context } = options;
  const { clock, database, stores } = context;

  async function request(tenantId: number, input: CreateCallInput): Promise<RequestedCall> {
    if (options.isDraining())
      throw new AppError({
        code: "unavailable",
        publicMessage: "The appliance is shutting down; try again in a minute.",
        retryable: true,
      });
    const nowMs = clock.now();
    checkTime(input.scheduleAtMs, nowMs);
    const requested = await database.tx((queries) =>
      storeRequest(options, queries, tenantId, input, nowMs),
    );
    options.wakeScheduler();
    return requested;
  }

  async function liveCall(tenantId: number, callUuid: string, verb: string) {
    const live = context.registry.find(tenantId, callUuid);
    if (live?.isLive) return live;
    const row = await stores.calls(database.read).find(tenantId, callUuid);
    if (!row) throw notFound("call");
    throw new AppError({
      code: "conflict",
      reason: "call_over",
      publicMessage: `The call is ${row.status}. Only a live call can be ${verb}.`,
    });
  }

  return {
    request,

    async hangUp(tenantId, callUuid) {
      const call = await liveCall(tenantId, callUuid, "ended");
      const answered = call.state.name === "in_progress";
      call.end(
        answered
          ? endingByUs("completed", "operator_hangup")
          : endingByUs("cancelled", "cancelled", "The call was cancelled through the API."),
      );
      await call.finished;
    },

    async transfer(tenantId, callUuid, to, announcement = null) {
      const call = await liveCall(tenantId, callUuid, "transferred");
      await checkTargetAddress(options, tenantId, to);
      await transferCall(context, call, to, announcement);
    },

    cancelSchedule: (tenantId, scheduleId) => cancelSchedule(context, tenantId, scheduleId),
  };
}
