/** Second phase: SIP and audio are created and measured. No call is answered yet. */

import { hostname } from "node:os";
import { createCallClaims } from "../../call/inbound/called-number.ts";
import {
  createDiagnosticsRecorder,
  type DiagnosticsRecorder,
} from "../../call/live/diagnostics-recorder.ts";
import { CallRegistry } from "../../call/live/registry.ts";
import type { SipStack } from "../../call/sip-port.ts";
import { callSetupStore } from "../../call/store/call-setup-store.ts";
import { callStores } from "../../call/store/call-stores.ts";
import type { CallConfig } from "../../conversation/call-config.ts";
import { createTurnEvents, type TurnEvents } from "../../features/call-log/turn-events.ts";
import { createStallMonitor, type StallMonitor } from "../../ops/event-loop-stall-monitor.ts";
import { createProviderHealth, type ProviderHealth } from "../../ops/provider-health.ts";
import { createSipMessageTracer } from "../../sip/message-trace.ts";
import { createSipStack } from "../../sip/stack.ts";
import { type Audio, createAudio } from "../audio.ts";
import { createCallNotices } from "../call-notices.ts";
import { createHealthCheck, type HealthCheck } from "../health.ts";
import { createKnowledge, type Knowledge } from "../knowledge.ts";
import { createLiveCalls, type LiveCallsFeed } from "../live-calls.ts";
import { type Monitoring, startMonitoring } from "../metrics.ts";
import { startTracing, type Tracing } from "../tracing.ts";
import { type OwnNode, TrunkLeases } from "../trunk-leases.ts";
import { createTrunkLoader, type TrunkLoader } from "../trunks.ts";
import type { StorePhase } from "./store.ts";

export interface TelephonyPhase extends StorePhase {
  readonly knowledge: Knowledge;
  readonly audio: Audio;
  readonly providerHealth: ProviderHealth;
  readonly stalls: StallMonitor;
  readonly sip: SipStack;
  readonly diagnostics: DiagnosticsRecorder;
  readonly registry: CallRegistry;
  readonly live: LiveCallsFeed;
  /** Live turns of every call, for subscribers. */
  readonly turns: TurnEvents;
  readonly trunks: TrunkLoader;
  /** null if no other node shares the store. */
  readonly leases: TrunkLeases | null;
  readonly health: HealthCheck;
  readonly monitoring: Monitoring;
  readonly tracing: Tracing | null;
}

export async function openTelephony(
  store: StorePhase,
  adaptCall?: (config: CallConfig) => CallConfig,
): Promise<TelephonyPhase> {
  const { settings, database, vault, maintenance, descriptors } = store;
  const { stops, clock, log } = store;
  const providerHealth = createProviderHealth(settings.callWorker.engine);
  const stalls = createStallMonitor(clock);
  const knowledge = createKnowledge(settings, store.paths.knowledge, { database, clock, log });
  stops.add(() => knowledge.stop());
  const audio = createAudio(settings, {
    clock,
    log,
    onProviderTrouble: providerHealth.report,
    onStall: stalls.report,
    adaptCall,
    searchKnowledge: (...asked) => knowledge.index.search(...asked),
    askTopics: (...asked) => knowledge.index.askTopics(...asked),
  });
  stops.add(() => audio.stop());
  const { sip, diagnostics } = await openSip(store);
  const registry = new CallRegistry();
  const live = createLiveCalls({ registry, clock });
  const trunks = createTrunkLoader({
    database,
    sip,
    vault,
    log,
    onRegistration: (tenantId, status) => live.registered(tenantId, status),
  });
  const leases = settings.storage.shared ? leasesOf(store, registry, trunks) : null;
  const health = createHealthCheck({
    database,
    audio,
    sip,
    maintenance,
    descriptors,
    isStoreRemote: settings.storage.remote != null,
    liveCalls: () => registry.size,
  });
  const held = {
    ...store,
    providerHealth,
    stalls,
    knowledge,
    audio,
    sip,
    diagnostics,
    registry,
    live,
    trunks,
    leases,
    health,
  };
  return { ...held, turns: createTurnEvents(), ...watch(held) };
}

async function openSip({ settings, database, stops, clock, random, log }: StorePhase) {
  const messageTrace = createSipMessageTracer(clock);
  const diagnostics = createDiagnosticsRecorder({
    database,
    stores: callStores,
    messageTrace,
    clock,
    log,
  });
  stops.add(() => diagnostics.stop());
  const sip = await createSipStack(settings.sip, {
    clock,
    random,
    log,
    seen: messageTrace.record,
    claims: createCallClaims(() => callSetupStore(database.read)),
    ...createCallNotices({ database, clock, log }),
  });
  stops.add(() => sip.close());
  return { sip, diagnostics };
}

const leasesOf = (store: StorePhase, registry: CallRegistry, trunks: TrunkLoader): TrunkLeases =>
  new TrunkLeases({
    database: store.database,
    trunks,
    clock: store.clock,
    log: store.log,
    self: () => ownNode(store, registry),
    hasCalls: (tenantId) => registry.all.some((call) => call.identity.tenantId === tenantId),
  });

/** Data about this node for the other nodes and the operator. */
export const ownNode = (
  { settings, run, node }: Pick<StorePhase, "settings" | "run" | "node">,
  registry: Pick<CallRegistry, "size">,
): OwnNode => ({
  id: node,
  name: hostname(),
  version: settings.version,
  weight: run.tuning().concurrentCallsMax,
  calls: registry.size,
});

/** Metrics, and traces of calls if they are configured. */
function watch({
  settings,
  database,
  audio,
  sip,
  registry,
  health,
  node,
  freeDiskBytes,
  clockWatch,
  stops,
  clock,
  random,
  log,
}: Omit<TelephonyPhase, "turns" | "monitoring" | "tracing">) {
  const tracing = startTracing(settings, node, { clock, random, log });
  if (tracing) stops.add(() => tracing.stop());
  const monitoring = startMonitoring(settings, {
    database,
    clock,
    log,
    registrations: () => sip.registrations(),
    liveCalls: () => registry.size,
    callCapacity: () => audio.capacity(),
    speechLoad: () => audio.speechLoad(),
    tooManyTalk: () => audio.tooManyTalk(),
    diskFreeBytes: freeDiskBytes,
    clockAheadMs: () => clockWatch.aheadMs(),
    nodeName: hostname(),
    problems: () => health.problems(),
  });
  stops.add(() => monitoring.stop());
  return { tracing, monitoring };
}
