/**
 * An outbound call: a due schedule entry becomes one INVITE. `dialing` is stored in one transaction with the
 * entry's `fired`, before anything is sent. A later crash makes the call `interrupted`; it is never dialled
 * twice.
 */

import { join } from "node:path";
import type { CallConfig } from "../../conversation/call-config.ts";
import { ahead, type Queries } from "../../core/database.ts";
import { e164 } from "../../core/e164.ts";
import { AppError, describeError } from "../../core/errors.ts";
import { conversationRateHz } from "../../core/media-plan.ts";
import type { Random } from "../../core/random.ts";
import { type AgentOfCall, agentOfCall } from "../../features/agent/agent-split.ts";
import type { Billing } from "../../features/billing/billing.ts";
import type { Callers } from "../../features/contact/caller-identification.ts";
import type { ScheduleEntry } from "../../features/schedule/scheduler.ts";
import { callStarted } from "../../features/webhook/catalogue.ts";
import { type Admission, rulesOf } from "../admission/admission.ts";
import { type DialingRules, isTransferTarget } from "../admission/dialing-rules.ts";
import { buildCallConfig } from "../call-config.ts";
import type { CallIdentity } from "../call-identity.ts";
import type { CallSettings } from "../call-settings.ts";
import { endingByUs, endingUnopened } from "../ending.ts";
import { LiveCall, type LiveCallPorts } from "../live/live-call.ts";
import type { CallMedia } from "../media-port.ts";
import type { CallTenant, CallTrunk, StoredCall } from "../stores.ts";
import { isTrusted } from "../trusted-trunk.ts";
import { TrunkUnreachable } from "./abandoned-schedule.ts";

export interface DialerPorts extends LiveCallPorts {
  readonly settings: LiveCallPorts["settings"] &
    Pick<CallSettings, "voiceAliases" | "callerTagKey" | "knowledgeTokens">;
  readonly billing: LiveCallPorts["billing"] & Pick<Billing, "hold">;
  readonly admission: Pick<Admission, "askFire" | "fire" | "transfer">;
  readonly media: Pick<CallMedia, "open">;
  readonly callers: LiveCallPorts["callers"] & Pick<Callers, "contextOf" | "mayDial">;
  readonly random: Random;
  readonly node: string;
  readonly mayRecord: () => boolean;
}

interface Fired {
  readonly identity: CallIdentity;
  readonly config: CallConfig;
  readonly trunkId: number | null;
  readonly rules: DialingRules;
}

/** Specification 3: a call without a time begins within 60 s. */
const IMMEDIATE_MS_MAX = 60_000;

/**
 * A due entry waits for its trunk within its grace period: after a start, or while the carrier does not answer.
 * An immediate request waits one minute; a campaign call waits as long as any other.
 */
async function whenReachable(
  context: Pick<DialerPorts, "sip" | "stores" | "clock">,
  queries: Queries,
  entry: ScheduleEntry,
  trunkId: number,
): Promise<void> {
  const registration = context.sip.trunk(trunkId)?.registration;
  if (registration?.name === "registered" || registration?.name === "not_required") return;
  const why = registration?.name === "failed" ? registration.explanation : "Try again in a minute.";
  const isLate = context.clock.now() - entry.scheduleAt >= IMMEDIATE_MS_MAX;
  if (!entry.immediate || !isLate) throw new TrunkUnreachable(why, true);
  const purpose = await context.stores.purposes(queries).purpose(entry.tenantId, entry.callUuid);
  throw new TrunkUnreachable(why, purpose?.origin === "campaign");
}

/** The codec is unknown before the answer. The codec of the trunk's last call is the best guess. */
function expectedRateHz({ sip }: Pick<DialerPorts, "sip">, trunkId: number | null): 8000 | 16000 {
  const trunk = trunkId === null ? undefined : sip.trunk(trunkId);
  return conversationRateHz(trunk?.lastCodec ?? null);
}

/** Another process changed the entry first. This transaction is rolled back. */
class EntryGone extends Error {
  override readonly name = "EntryGone";
}

interface Fireable {
  readonly tenant: CallTenant;
  readonly agent: AgentOfCall;
  readonly trunk: CallTrunk | undefined;
  readonly call: StoredCall;
  readonly fromNumber: string;
}

/** Loads the current tenant, agent, trunk and call of the entry. */
async function fireable(
  { stores, settings, random }: Pick<DialerPorts, "stores" | "settings" | "random">,
  queries: Queries,
  { id, tenantId, agentId, callUuid, toNumber, fromNumber }: ScheduleEntry,
): Promise<Fireable> {
  const setup = stores.setup(queries);
  const [tenant, call, shared, trunk, own] = await Promise.all([
    setup.tenant(tenantId),
    stores.calls(queries).find(tenantId, callUuid),
    agentId === null ? undefined : setup.sharedAgent(tenantId, agentId),
    setup.trunk(tenantId),
    setup.numberByE164(tenantId, fromNumber),
  ]);
  if (!tenant || !call) throw new Error(`schedule ${id} lost its tenant or call`);
  if (!shared)
    throw new AppError({
      code: "valid_agent_id_required",
      publicMessage: "The agent of this call was deleted.",
    });
  const sharing = { key: settings.callerTagKey, number: toNumber, random };
  return {
    tenant,
    agent: agentOfCall(shared.agent, shared.split, sharing),
    trunk,
    call,
    // The number may belong to another tenant by now, and the trunk to another provider.
    fromNumber: own || !trunk ? fromNumber : trunk.callerId,
  };
}

/** Builds the worker's configuration, and how certain the callee's identity is. */
async function known(
  context: DialerPorts,
  { tenant, agent, trunk }: Fireable,
  identity: CallIdentity,
): Promise<Pick<Fired, "identity" | "config">> {
  const { settings } = context;
  const { read } = context.database;
  const { callUuid, fromNumber, toNumber } = identity;
  const remoteParty = { direction: "outbound", number: toNumber, callUuid } as const;
  const callerContext = ahead(context.callers.contextOf(read, tenant, agent, remoteParty));
  const config = await buildCallConfig(
    {
      setup: context.stores.setup(read),
      knowledgeIndex: context.knowledgeIndex,
      log: context.log,
    },
    tenant,
    agent,
    {
      callerContext,
      callId: callUuid,
      direction: "outbound",
      fromNumber,
      toNumber,
      rtpHost: settings.rtpHost,
      sampleRateHz: expectedRateHz(context, trunk?.id ?? null),
      recordingPath: context.mayRecord() ? join(settings.recordingsDir, `${callUuid}.wav`) : null,
      voiceAliases: settings.voiceAliases,
      callerTagKey: settings.callerTagKey,
      knowledgeTokens: settings.knowledgeTokens,
    },
  );
  const trustedTrunk = trunk !== undefined && isTrusted(context.sip.trunk(trunk.id), tenant.id);
  return {
    identity: { ...identity, callerLevel: config.callerLevel, trustedTrunk },
    config,
  };
}

/** Checks again, holds the money and changes the entry, in one transaction. Throws AppError to refuse. */
async function fire(context: DialerPorts, entry: ScheduleEntry): Promise<Fired> {
  const { clock, database, billing, events } = context;
  return database.tx(async (queries) => {
    const nowMs = clock.now();
    const { tenantId, callUuid, toNumber } = entry;
    const number = e164(toNumber);
    const asked = context.admission.askFire(queries, tenantId, number);
    const permission = ahead(context.callers.mayDial(queries, entry));
    const found = await fireable(context, queries, entry);
    const { tenant, agent, trunk, call, fromNumber } = found;
    if (trunk) await whenReachable(context, queries, entry, trunk.id);
    const toCountry = await context.admission.fire(queries, tenant, trunk, number, asked);
    await permission;
    const identity: CallIdentity = {
      tenantId,
      rowId: call.id,
      callUuid,
      direction: "outbound",
      fromNumber,
      toNumber,
      agentId: agent.id,
      agentVersion: agent.version,
      language: agent.language,
      maxDurationSeconds: agent.maxDurationSeconds,
      overageRate: call.overageRate,
    };
    const callee = ahead(known(context, found, identity));
    const leaving = context.stores
      .schedules(queries)
      .leavePending(tenantId, entry.id, "fired", { firedAt: nowMs, toCountry }, entry.leaseToken);
    const holding = ahead(billing.hold(queries, tenantId, callUuid));
    if (!(await leaving)) throw new EntryGone();
    await holding;
    const { node } = context;
    await context.stores
      .calls(queries)
      .markDialing(tenantId, callUuid, { node, fromNumber, agentVersion: agent.version, nowMs });
    await events.emit(queries, tenantId, callStarted(identity, "dialing"));
    return { ...(await callee), trunkId: trunk?.id ?? null, rules: rulesOf(tenant, trunk) };
  });
}

async function dial(
  context: DialerPorts,
  { identity, config, trunkId, rules }: Fired,
): Promise<void> {
  const { settings } = context;
  const call = new LiveCall(identity, context, "dialing");
  const trunk = trunkId === null ? undefined : context.sip.trunk(trunkId);
  const registration = trunk?.registration.name;
  if (!trunk || (registration !== "registered" && registration !== "not_required")) {
    const why = trunk
      ? "The trunk is not registered; see `linevoice trunk list`."
      : "The tenant has no trunk; set one with `linevoice trunk set`.";
    call.end(endingByUs("failed", "trunk_unavailable", why));
    return;
  }
  try {
    const channel = await context.media.open(config);
    call.attachChannel(channel);
    if (!call.isLive) return;
    const leg = trunk.place({
      to: e164(identity.toNumber),
      from: e164(identity.fromNumber),
      media: { host: settings.rtpHost, port: channel.rtpPort },
      ringTimeoutMs: settings.ringTimeoutMs,
      mayFollow: (uri) => isTransferTarget(uri, rules),
    });
    leg.on("ringing", ({ plan }) => call.ringing(plan));
    leg.on("answered", ({ plan }) => call.answered(plan));
    call.attachLeg(leg);
  } catch (error) {
    context.log.error("call.dial_failed", {
      call_id: identity.callUuid,
      error: describeError(error),
    });
    call.end(endingUnopened(error));
  }
}

type FireOutcome =
  | { readonly type: "dialed" }
  /** Another process changed the entry first. */
  | { readonly type: "gone" }
  /** A limit is reached or the trunk is not registered. The entry stays pending. */
  | { readonly type: "waits"; readonly error: AppError }
  | { readonly type: "refused"; readonly error: AppError };

/** Fires one claimed entry. Rejects only if the store does. */
export async function fireSchedule(
  context: DialerPorts,
  entry: ScheduleEntry,
): Promise<FireOutcome> {
  try {
    const fired = await fire(context, entry);
    context.events.wake();
    void dial(context, fired);
    return { type: "dialed" };
  } catch (error) {
    if (error instanceof EntryGone) return { type: "gone" };
    if (!(error instanceof AppError)) throw error;
    return { type: error.retryable ? "waits" : "refused", error };
  }
}
