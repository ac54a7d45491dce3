/** Third phase: calls can be placed and handled, and events can be delivered. No job runs yet. */

import { Admission } from "../../call/admission/admission.ts";
import { createBurstNotice } from "../../call/admission/burst-notice.ts";
import type { CallIdentity } from "../../call/call-identity.ts";
import { createUnknownCalls } from "../../call/inbound/unknown-calls.ts";
import { abandonSchedule } from "../../call/outbound/abandoned-schedule.ts";
import { fireSchedule } from "../../call/outbound/dialer.ts";
import type { CallService } from "../../call/ports.ts";
import { createCallService } from "../../call/service/call-service.ts";
import type { CallContext } from "../../call/service/context.ts";
import { callStores } from "../../call/store/call-stores.ts";
import { describeError } from "../../core/errors.ts";
import { leaseOwner } from "../../core/ids.ts";
import { quotaStore } from "../../features/billing/quota-store.ts";
import { createQuotas } from "../../features/billing/quotas.ts";
import { createIdentityMailer } from "../../features/identity/identity-mailer.ts";
import { identityStores } from "../../features/identity/identity-stores.ts";
import { userStore } from "../../features/identity/user-store.ts";
import { createCallConfirmation } from "../../features/number/claims.ts";
import { scheduleStore } from "../../features/schedule/schedule-store.ts";
import { Scheduler } from "../../features/schedule/scheduler.ts";
import { numberClaimStore } from "../../features/tenant/number-claim-store.ts";
import { tenantAdminStore } from "../../features/tenant/tenant-admin-store.ts";
import { createRecordingLinks, RECORDING_LINK_PURPOSE } from "../../http/recording-links.ts";
import { createProviderNotice } from "../../ops/provider-notice.ts";
import { AddressRules } from "../../platform/net/address-rules.ts";
import {
  type CallerJobs,
  type CallerParts,
  createCallerJobs,
  createCallerParts,
} from "../caller-services.ts";
import { createDelivery, type Delivery } from "../delivery.ts";
import type { TelephonyPhase } from "./telephony.ts";

const DAY_MS = 86_400_000;

/**
 * Purpose for `vault.lastingKey`: the hash of a caller stays the same after a rotation of the
 * master key.
 */
const CALLER_TAG_PURPOSE = "calls: caller tags";

export interface CallPhase extends TelephonyPhase {
  readonly delivery: Delivery;
  readonly context: CallContext;
  readonly scheduler: Scheduler;
  readonly calls: CallService;
  readonly callerParts: CallerParts & CallerJobs;
}

export function prepareCalls(telephony: TelephonyPhase): CallPhase {
  const { database, billing, vault, registry, run, stops } = telephony;
  const { clock, clockWatch: trust, random, log } = telephony;
  const links = createRecordingLinks(
    () => vault.deriveKey(RECORDING_LINK_PURPOSE),
    run.publicUrl,
    clock,
  );
  const delivery = deliveryOf(telephony, links);
  stops.add(() => delivery.stop());
  telephony.providerHealth.onTrouble(
    createProviderNotice({
      users: () => userStore(database.read).all(),
      mailer: createIdentityMailer({
        database,
        stores: identityStores,
        mails: delivery.mails,
        log,
      }),
      clock,
      log,
    }),
  );
  const callerParts = createCallerParts({
    database,
    vault,
    client: delivery.client,
    clock,
    random,
    log,
  });
  const context = contextOf(telephony, { delivery, links, callerParts });
  const scheduler = schedulerOf(telephony, context);
  registry.onRemoved((call) => scheduler.freed(call.identity.tenantId));
  const calls = createCallService({
    context,
    quotas: createQuotas(billing, quotaStore),
    targetAddresses: new AddressRules(telephony.settings.sip.allowNetworks),
    wakeScheduler: () => scheduler.wake(),
    isDraining: run.isDraining,
  });
  const callerJobs = createCallerJobs(callerParts, {
    database,
    billing,
    vault,
    calls,
    admission: context.admission,
    clock,
    trust,
    log,
  });
  return {
    ...telephony,
    delivery,
    context,
    scheduler,
    calls,
    callerParts: { ...callerParts, ...callerJobs },
  };
}

type RecordingLinks = ReturnType<typeof createRecordingLinks>;

function deliveryOf(telephony: TelephonyPhase, links: RecordingLinks): Delivery {
  const { settings, database, vault, paths, node, monitoring } = telephony;
  const { clock, clockWatch: trust, random, log } = telephony;
  const recordingMs = settings.storage.recordingsRetentionDays * DAY_MS;
  return createDelivery(settings, {
    database,
    vault,
    clock,
    trust,
    random,
    log,
    recordingLink: (callUuid) =>
      recordingMs === 0 ? null : links.urlFor(callUuid, recordingMs).url,
    recordingsDir: paths.recordings,
    outboxDir: paths.outbox,
    node: settings.storage.shared ? node : null,
    attempted: (attempt) => monitoring.webhookAttempted(attempt),
  });
}

function schedulerOf(telephony: TelephonyPhase, context: CallContext): Scheduler {
  const { settings, database, node, clock, clockWatch: trust, random, log } = telephony;
  return new Scheduler({
    records: scheduleStore,
    database,
    clock,
    trust,
    log,
    owner: leaseOwner(random),
    node: settings.storage.shared ? node : null,
    isDraining: telephony.run.isDraining,
    fire: (entry) => fireSchedule(context, entry),
    abandon: (entry, status, error) => abandonSchedule(context, entry, status, error),
  });
}

function contextOf(
  telephony: TelephonyPhase,
  parts: { delivery: Delivery; links: RecordingLinks; callerParts: CallerParts },
): CallContext {
  const { settings, database, node, billing, sip, audio, registry, diagnostics } = telephony;
  const { vault } = telephony;
  const { maintenance, monitoring, tracing, clock, random, log } = telephony;
  const { delivery, links, callerParts } = parts;
  return {
    settings: {
      rtpHost: settings.sip.bind.host,
      ringTimeoutMs: settings.sip.ringTimeoutMs,
      recordingsDir: telephony.paths.recordings,
      voiceAliases: settings.voiceAliases,
      callerTagKey: vault.lastingKey(CALLER_TAG_PURPOSE),
      knowledgeTokens: settings.callWorker.conversation.knowledgeTokens ?? 0,
      prices: settings.prices,
    },
    stores: callStores,
    database,
    node,
    billing,
    sip,
    links,
    registry,
    diagnostics,
    clock,
    random,
    log,
    media: audio,
    encoder: audio.encoder,
    recordingsInWork: new Set(),
    mayRecord: () => maintenance.disk.mayRecord(),
    events: delivery.events,
    mails: delivery.mails,
    knowledgeIndex: telephony.knowledge.index,
    tools: monitoring.watched(tracing?.watched(delivery.tools) ?? delivery.tools),
    admission: admissionOf(telephony, delivery),
    callers: callerParts.callers,
    unknownCalls: createUnknownCalls(clock),
    onNumberConfirmed: createCallConfirmation({ database, records: numberClaimStore, clock, log }),
    ...listenersOf(telephony, callerParts),
  };
}

function admissionOf(telephony: TelephonyPhase, delivery: Delivery) {
  const { run, billing, database, registry, maintenance, descriptors, clock, log } = telephony;
  const { mails, events } = delivery;
  return new Admission({
    stores: callStores,
    billing,
    clock,
    get concurrentCallsMax() {
      return run.tuning().concurrentCallsMax;
    },
    heardCallsMax: telephony.settings.heardCallsMax,
    tooManyTalk: () => telephony.audio.tooManyTalk(),
    dialing: () => run.tuning().dialing,
    onBurstStop: createBurstNotice({
      stores: { tenants: tenantAdminStore, users: userStore },
      database,
      mails,
      events,
      clock,
      log,
    }),
    liveCalls: () => registry.size,
    roomRejection: () =>
      maintenance.disk.rejection() ?? descriptors.rejection() ?? telephony.audio.rejection(),
  });
}

/** Listeners for call events. */
function listenersOf(
  { registry, turns, live, monitoring, tracing, log }: TelephonyPhase,
  { callers }: CallerParts,
): Pick<CallContext, "onTurn" | "onOptOut" | "onChange" | "onEnded"> {
  /**
   * Records that the person wants no more calls. A key press also ends a greeting or campaign call.
   */
  async function noteDoNotCall(call: CallIdentity, by: "key" | "voice") {
    const { tenantId, callUuid, direction } = call;
    if (direction !== "outbound") return;
    const remoteParty = { tenantId, callUuid, number: call.toNumber };
    const isDoNotCall = await callers.handleOptOut(remoteParty).catch((error) => {
      log.error("call.do_not_call_not_stored", { call_id: callUuid, error: describeError(error) });
      return false;
    });
    if (isDoNotCall && by === "key") registry.find(tenantId, callUuid)?.endPolitely("agent_hangup");
  }
  return {
    onTurn(call, turn) {
      turns.emit("turn", { call, turn });
      live.spoke(call, turn);
    },
    onOptOut: (call, by) => void noteDoNotCall(call, by),
    onChange(call) {
      live.changed(call);
      tracing?.callChanged(call);
    },
    onEnded(call, end) {
      monitoring.callEnded(call, end);
      tracing?.callEnded(call, end);
    },
  };
}
