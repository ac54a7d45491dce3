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
import { type AgentOfCall, agentOfCall } from "../agent/agent-split.ts";
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
    Pick<CallSettings, "voiceAliases" | "callerTagKey" | "knowledgeTokens">;
  readonly billing: LiveCallPorts["billing"] & Pick<Billing, "planNamed" | "hold">;
  readonly admission: Pick<Admission, "inbound" | "loadOf" | "transfer">;
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
  /** Where it was going, as far as that is known. */
  route: Route | null = null;

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
  readonly agent: AgentOfCall | undefined;
  /** As networks show numbers (number/national-form.ts); empty: none was named. */
  readonly toNumber: string;
  /** The same; empty: withheld, or no number. */
  readonly fromNumber: string;
}

/** A trunk's calls are its own tenant's: a number is never reached through somebody else's trunk. */
async function findRoute(
  { settings, random }: Pick<InboundPorts, "settings" | "random">,
  setup: CallSetupRecords,
  leg: IncomingLeg,
  trunk: TrunkSettings,
): Promise<Route> {
  const called = await calledNumber(setup, leg, trunk);
  if (!called) throw new Error(`trunk ${trunk.trunkId} has no tenant`);
  const { tenant, number, shown } = called;
  const caller = leg.callerNumber;
  const fromNumber = (caller && networkNumber(caller, countryOf(trunk.callerId))) || "";
  const sharing = { key: settings.callerTagKey, number: fromNumber, random };
  return {
    ...{ tenant, number, toNumber: shown, fromNumber },
    agent: number?.agent ? agentOfCall(number.agent, number.split, sharing) : undefined,
  };
}

function requireAgent(route: Route): AgentOfCall {
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

const partiesOf = ({ fromNumber, toNumber, agent }: Route, callUuid: string) => ({
  ...{ callUuid, direction: "inbound" as const, fromNumber, toNumber },
  agentId: agent?.id ?? null,
  ...(agent?.version ? { agentVersion: agent.version } : {}),
});

/** Stores a call that begins, with its event. */
async function storeCall(
  context: Pick<InboundPorts, "stores" | "clock" | "billing" | "node" | "events">,
  queries: Queries,
  route: Route,
  leg: IncomingLeg,
  callUuid: string,
): Promise<CallIdentity> {
  const { clock, billing, events } = context;
  const nowMs = clock.now();
  const plan = billing.planNamed(route.tenant.plan);
  const parties = partiesOf(route, callUuid);
  const inserting = context.stores.calls(queries).insert(route.tenant.id, {
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
  const emitting = events.emit(queries, route.tenant.id, callStarted(parties, "ringing"));
  const [rowId] = await Promise.all([inserting, emitting]);
  return identityOf(context, route, callUuid, rowId);
}

function identityOf(
  { billing }: Pick<InboundPorts, "billing">,
  route: Route,
  callUuid: string,
  rowId: number,
): CallIdentity {
  const { language, maxDurationSeconds } = route.agent ?? NO_AGENT;
  return {
    ...partiesOf(route, callUuid),
    ...{ tenantId: route.tenant.id, rowId, language, maxDurationSeconds },
    overageRate: billing.planNamed(route.tenant.plan).overagePerMinute,
  };
}

/** The call as it was stored, if what storing it returned was lost on the way. */
async function storedCall(
  context: Pick<InboundPorts, "stores" | "billing" | "database">,
  route: Route,
  callUuid: string,
): Promise<CallIdentity> {
  const { stores, database } = context;
  const stored = await stores.calls(database.read).find(route.tenant.id, callUuid);
  if (!stored) throw new Error("the call was stored, and is not there");
  return identityOf(context, route, callUuid, stored.id);
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
  const callUuid = uuidV7(context.clock, context.random);
  const declinedCall = await context.database.tx(async (queries) => {
    const call = await storeCall(context, queries, route, leg, callUuid);
    await context.stores
      .calls(queries)
      .finish(call.tenantId, call.callUuid, ending, context.clock.now(), null, NO_FIGURES, null);
    await context.events.emit(queries, call.tenantId, callFailed(call, ending));
    return call;
  });
  context.events.wake();
  await context.diagnostics?.record(declinedCall, {
    ...{ sipCallId: leg.sipCallId, quality: [], packetHeaders: null },
  });
}

function asDeclined(error: unknown): Declined | null {
  if (error instanceof Declined) return error;
  if (!(error instanceof AppError)) return null;
  const reason = error.code === "insufficient_balance" ? "balance_exhausted" : "declined";
  const sipCode = error.code === "unavailable" ? SERVICE_UNAVAILABLE : TEMPORARILY_UNAVAILABLE;
  return new Declined(reason, error.publicMessage, sipCode);
}

/** What the worker is told. Read beside the transaction that stores the call. */
function configOf(
  context: InboundPorts,
  leg: IncomingLeg,
  { tenant, fromNumber, toNumber }: Route,
  agent: AgentOfCall,
  callUuid: string,
): Promise<CallConfig> {
  const { database, settings } = context;
  const remoteParty = { direction: "inbound", number: fromNumber, callUuid } as const;
  return buildCallConfig(
    {
      setup: context.stores.setup(database.read),
      knowledgeIndex: context.knowledgeIndex,
      log: context.log,
    },
    tenant,
    agent,
    {
      callerContext: context.callers.contextOf(database.read, tenant, agent, remoteParty),
      ...{ callId: callUuid, direction: "inbound", fromNumber, toNumber },
      rtpHost: settings.rtpHost,
      sampleRateHz: conversationRateHz(leg.offeredCodec ?? null),
      recordingPath: context.mayRecord() ? join(settings.recordingsDir, `${callUuid}.wav`) : null,
      voiceAliases: settings.voiceAliases,
      callerTagKey: settings.callerTagKey,
      knowledgeTokens: settings.knowledgeTokens,
    },
  );
}

interface Taken {
  readonly route: Route;
  readonly identity: CallIdentity;
  readonly config: Promise<CallConfig>;
}

/**
 * One transaction of two round trips: finds who is called, admits the call, holds its money and stores
 * it. Throws Declined if it is not taken.
 */
async function setUp(
  context: InboundPorts,
  leg: IncomingLeg,
  trunk: TrunkSettings,
): Promise<Taken> {
  const { database, billing, admission } = context;
  const callUuid = uuidV7(context.clock, context.random);
  const { tenantId } = trunk;
  let found: Route | null = null;
  try {
    return await database.tx(async (queries) => {
      const load = admission.loadOf(queries, { id: tenantId });
      const holding = billing.hold(queries, tenantId, callUuid);
      // The first reason for which a call is not taken is the one to tell.
      for (const early of [load, holding]) early.catch(() => undefined);
      const route = await findRoute(context, context.stores.setup(queries), leg, trunk);
      found = route;
      const agent = requireAgent(route);
      await admission.inbound(queries, route.tenant, load);
      await holding;
      const config = configOf(context, leg, route, agent, callUuid);
      config.catch(() => undefined);
      const identity = await database.finish(
        queries,
        () => storeCall(context, queries, route, leg, callUuid),
        () => storedCall(context, route, callUuid),
      );
      return { route, config, identity };
    }, "urgent");
  } catch (error) {
    const declined = asDeclined(error);
    if (!declined) throw error;
    declined.route = found;
    throw declined;
  }
}

async function take(context: InboundPorts, leg: IncomingLeg, trunk: TrunkSettings): Promise<void> {
  const { route, identity, ...pending } = await setUp(context, leg, trunk);
  context.events.wake();
  leg.ring();
  const config = await pending.config.catch((error: unknown) => {
    context.log.warn("call.config_failed", {
      call_id: identity.callUuid,
      error: describeError(error),
    });
    return null;
  });
  const trustedTrunk = isTrusted(context.sip.trunk(leg.trunkId), route.tenant.id);
  const known = { ...identity, callerLevel: config?.callerLevel ?? 0, trustedTrunk };
  const call = new LiveCall(known, context, "ringing");
  call.attachLeg(leg);
  if (config) await answer(context, leg, call, config, route);
  else call.end(endingByUs("failed", "engine_failure", undefined, SERVICE_UNAVAILABLE));
}

async function answer(
  context: InboundPorts,
  leg: IncomingLeg,
  call: LiveCall,
  config: CallConfig,
  { tenant, fromNumber }: Route,
): Promise<void> {
  const callUuid = config.callId;
  try {
    const remoteParty = { direction: "inbound", number: fromNumber, callUuid } as const;
    const fromCrm = await context.callers.lookUp(tenant, remoteParty);
    const channel = await context.media.open({
      ...config,
      callerData: [...(config.callerData ?? []), ...fromCrm],
    });
    call.attachChannel(channel);
    if (!call.isLive) return;
    const { plan } = await leg.answer({ host: context.settings.rtpHost, port: channel.rtpPort });
    call.answered(plan);
  } catch (error) {
    context.log.warn("call.answer_failed", { call_id: callUuid, error: describeError(error) });
    call.end(
      error instanceof LegEnded
        ? endingUnanswered(error.end)
        : endingByUs("failed", "engine_failure", undefined, SERVICE_UNAVAILABLE),
    );
  }
}

/** Takes or declines one inbound leg. Never rejects. */
export async function handleIncoming(context: InboundPorts, leg: IncomingLeg): Promise<void> {
  try {
    const trunk = context.sip.trunk(leg.trunkId);
    if (!trunk) {
      leg.reject(TEMPORARILY_UNAVAILABLE);
      return;
    }
    try {
      await take(context, leg, trunk.settings);
    } catch (error) {
      if (!(error instanceof Declined) || !error.route) throw error;
      const { route } = error;
      const isNumberUnknown = !route.number;
      if (
        isNumberUnknown &&
        context.unknownCalls?.isToBeStored(leg.trunkId, route.toNumber) === false
      ) {
        leg.reject(error.sipCode);
        return;
      }
      context.log.info("call.declined", { reason: error.reason, tenant: route.tenant.id });
      await decline(context, route, leg, error);
    }
  } catch (error) {
    context.log.error("call.inbound_failed", { error: describeError(error) });
    leg.reject(SERVICE_UNAVAILABLE); // another node, or a later try, may take it
  }
}
