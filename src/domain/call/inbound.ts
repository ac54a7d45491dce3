/**
 * An inbound call: called number → tenant's number → agent → admission and hold → ring → answer.
 *
 * A call that cannot be taken is declined, stored as a failed call and reported (decisions.md 5):
 * the tenant sees what it missed and why.
 */

import { join } from "node:path";
import type { Queries } from "../../core/database.ts";
import type { EndedReason } from "../../core/ended-reason.ts";
import { AppError, describeError } from "../../core/errors.ts";
import { uuidV7 } from "../../core/ids.ts";
import { conversationRateHz } from "../../core/media-plan.ts";
import { microEur } from "../../core/money.ts";
import type { Random } from "../../core/random.ts";
import type { AgentRecord } from "../agent/agent-schema.ts";
import type { Billing } from "../billing/billing.ts";
import type { Callers } from "../contact/callers.ts";
import type { CallConfig } from "../conversation/call-config.ts";
import { countryOf, networkNumber } from "../number/national-form.ts";
import { callFailed, callStarted } from "../webhook/catalogue.ts";
import type { Admission } from "./admission.ts";
import { buildCallConfig } from "./call-config.ts";
import type { CallIdentity } from "./call-identity.ts";
import type { CallSettings } from "./call-settings.ts";
import { calledNumber } from "./called-number.ts";
import { endingByUs, endingUnanswered } from "./ending.ts";
import { NO_FIGURES } from "./final-figures.ts";
import { LegEnded } from "./leg-ended.ts";
import { LiveCall, type LiveCallPorts } from "./live-call.ts";
import type { CallMedia } from "./media-port.ts";
import type { IncomingLeg, TrunkSettings } from "./sip-port.ts";
import type { CallNumber, CallSetupRecords, CallTenant } from "./stores.ts";
import { isTrusted } from "./trusted-trunk.ts";
import type { UnknownCalls } from "./unknown-calls.ts";

export interface InboundPorts extends LiveCallPorts {
  readonly settings: LiveCallPorts["settings"] &
    Pick<CallSettings, "voiceAliases" | "callerTagKey">;
  readonly billing: LiveCallPorts["billing"] & Pick<Billing, "planNamed" | "hold">;
  readonly admission: Pick<Admission, "inbound" | "transfer">;
  readonly media: Pick<CallMedia, "open">;
  readonly callers: LiveCallPorts["callers"] & Pick<Callers, "contextOf" | "lookUp">;
  readonly random: Random;
  /** This process among those that share the store; stays the same over restarts. */
  readonly node: string;
  /** False while the disk is nearly full: calls go on without a recording. */
  readonly mayRecord: () => boolean;
  /** Missing: every call to a number that is not set up is stored. */
  readonly unknownCalls?: UnknownCalls;
}

const TEMPORARILY_UNAVAILABLE = 480;
const SERVICE_UNAVAILABLE = 503;

/** Why a call is not taken. */
class Declined extends Error {
  constructor(
    readonly reason: EndedReason,
    readonly explanation: string,
    readonly sipCode = TEMPORARILY_UNAVAILABLE,
  ) {
    super(explanation);
  }
}

interface Route {
  readonly tenant: CallTenant;
  readonly number: CallNumber | undefined;
  readonly agent: AgentRecord | undefined;
  /** As networks show numbers (number/national-form.ts); empty: none was named. */
  readonly toNumber: string;
  /** The same; empty: withheld, or no number. */
  readonly fromNumber: string;
}

/** A trunk's calls are its own tenant's: a number is never reached through somebody else's trunk. */
async function findRoute(
  setup: CallSetupRecords,
  leg: IncomingLeg,
  trunk: TrunkSettings,
): Promise<Route> {
  const called = await calledNumber(setup, leg, trunk);
  if (!called) throw new Error(`trunk ${trunk.trunkId} has no tenant`);
  const { tenant, number, shown } = called;
  const caller = leg.callerNumber;
  return {
    ...{ tenant, number, toNumber: shown },
    agent: number?.agent ?? undefined,
    fromNumber: (caller && networkNumber(caller, countryOf(trunk.callerId))) || "",
  };
}

function requireAgent(route: Route): AgentRecord {
  if (!route.number)
    throw new Declined(
      "declined",
      `No phone number ${route.toNumber} is set up; add it under phone numbers.`,
    );
  if (!route.number.inboundEnabled)
    throw new Declined("declined", "Inbound calls are switched off for this number.");
  if (!route.agent)
    throw new Declined("declined", "The number has no agent; assign one under phone numbers.");
  return route.agent;
}

/** A call without an agent is declined: nobody talks in it. */
const NO_AGENT = { language: "en", maxDurationSeconds: 0 } as const;

async function insertCall(
  context: Pick<InboundPorts, "stores" | "clock" | "random" | "billing" | "node">,
  queries: Queries,
  route: Route,
  leg: IncomingLeg,
): Promise<CallIdentity> {
  const { clock, random, billing } = context;
  const callUuid = uuidV7(clock, random);
  const nowMs = clock.now();
  const plan = billing.planNamed(route.tenant.plan);
  const agentId = route.agent?.id ?? null;
  const { language, maxDurationSeconds } = route.agent ?? NO_AGENT;
  const parties = {
    callUuid,
    direction: "inbound" as const,
    fromNumber: route.fromNumber,
    toNumber: route.toNumber,
    agentId,
  };
  const rowId = await context.stores.calls(queries).insert(route.tenant.id, {
    ...parties,
    status: "ringing",
    language: route.agent?.language ?? null,
    createdAt: nowMs,
    ringingAt: nowMs,
    heartbeatAt: nowMs,
    node: context.node,
    recordingStatus: "none",
    overageRate: plan.overagePerMinute,
    cost: microEur(0),
    sipCallId: leg.sipCallId,
  });
  return {
    ...parties,
    tenantId: route.tenant.id,
    rowId,
    language,
    maxDurationSeconds,
    overageRate: plan.overagePerMinute,
  };
}

/** Stores and reports a call that was not taken. */
async function decline(
  context: InboundPorts,
  route: Route,
  leg: IncomingLeg,
  declined: Declined,
): Promise<void> {
  leg.reject(declined.sipCode);
  const ending = endingByUs("failed", declined.reason, declined.explanation, declined.sipCode);
  const declinedCall = await context.database.tx(async (queries) => {
    const call = await insertCall(context, queries, route, leg);
    await context.stores
      .calls(queries)
      .finish(call.tenantId, call.callUuid, ending, context.clock.now(), null, NO_FIGURES, null);
    await context.events.emit(queries, call.tenantId, callStarted(call, "ringing"));
    await context.events.emit(queries, call.tenantId, callFailed(call, ending));
    return call;
  });
  context.events.wake();
  await context.diagnostics?.record(declinedCall, { sipCallId: leg.sipCallId, quality: [] });
}

function asDeclined(error: unknown): Declined | null {
  if (error instanceof Declined) return error;
  if (!(error instanceof AppError)) return null;
  const reason = error.code === "insufficient_balance" ? "balance_exhausted" : "declined";
  const sipCode = error.code === "unavailable" ? SERVICE_UNAVAILABLE : TEMPORARILY_UNAVAILABLE;
  return new Declined(reason, error.publicMessage, sipCode);
}

/** One transaction: admits the call, stores it, holds its money and says what the worker is told. */
function setUp(
  context: InboundPorts,
  leg: IncomingLeg,
  route: Route,
  agent: AgentRecord,
): Promise<{ readonly identity: CallIdentity; readonly config: CallConfig }> {
  const { database, billing, events, settings } = context;
  return database.tx(async (queries) => {
    await context.admission.inbound(queries, route.tenant);
    const call = await insertCall(context, queries, route, leg);
    await billing.hold(queries, route.tenant.id, call.callUuid);
    await events.emit(queries, route.tenant.id, callStarted(call, "ringing"));
    const callerContext = await context.callers.contextOf(
      queries,
      route.tenant,
      agent,
      remotePartyOf(call),
    );
    return {
      identity: {
        ...call,
        callerLevel: callerContext.level,
        trustedTrunk: isTrusted(context.sip.trunk(leg.trunkId), route.tenant.id),
      },
      config: await buildCallConfig(
        { setup: context.stores.setup(queries), log: context.log },
        route.tenant,
        agent,
        {
          callerContext,
          callId: call.callUuid,
          direction: "inbound",
          fromNumber: call.fromNumber,
          toNumber: call.toNumber,
          rtpHost: settings.rtpHost,
          sampleRateHz: conversationRateHz(leg.offeredCodec ?? null),
          recordingPath: context.mayRecord()
            ? join(settings.recordingsDir, `${call.callUuid}.wav`)
            : null,
          voiceAliases: settings.voiceAliases,
          callerTagKey: settings.callerTagKey,
        },
      ),
    };
  });
}

async function take(context: InboundPorts, leg: IncomingLeg, route: Route): Promise<void> {
  const { identity, config } = await setUp(context, leg, route, requireAgent(route));
  context.events.wake();
  const call = new LiveCall(identity, context, "ringing");
  call.attachLeg(leg);
  leg.ring();
  try {
    const fromCrm = await context.callers.lookUp(route.tenant, remotePartyOf(identity));
    const channel = await context.media.open({
      ...config,
      callerData: [...(config.callerData ?? []), ...fromCrm],
    });
    call.attachChannel(channel);
    if (!call.isLive) return;
    const { plan } = await leg.answer({ host: context.settings.rtpHost, port: channel.rtpPort });
    call.answered(plan);
  } catch (error) {
    context.log.warn("call.answer_failed", {
      call_id: identity.callUuid,
      error: describeError(error),
    });
    call.end(
      error instanceof LegEnded
        ? endingUnanswered(error.end)
        : endingByUs("failed", "engine_failure", undefined, SERVICE_UNAVAILABLE),
    );
  }
}

const remotePartyOf = ({ fromNumber, callUuid }: CallIdentity) =>
  ({ direction: "inbound", number: fromNumber, callUuid }) as const;

/** Takes or declines one inbound leg. Never rejects. */
export async function handleIncoming(context: InboundPorts, leg: IncomingLeg): Promise<void> {
  try {
    const trunk = context.sip.trunk(leg.trunkId);
    if (!trunk) {
      leg.reject(TEMPORARILY_UNAVAILABLE);
      return;
    }
    const route = await findRoute(context.stores.setup(context.database.read), leg, trunk.settings);
    try {
      await take(context, leg, route);
    } catch (error) {
      const declined = asDeclined(error);
      if (!declined) throw error;
      if (
        !route.number &&
        context.unknownCalls?.isToBeStored(leg.trunkId, route.toNumber) === false
      ) {
        leg.reject(declined.sipCode);
        return;
      }
      context.log.info("call.declined", { reason: declined.reason, tenant: route.tenant.id });
      await decline(context, route, leg, declined);
    }
  } catch (error) {
    context.log.error("call.inbound_failed", { error: describeError(error) });
    leg.reject(500);
  }
}
