/**
 * The composition root: builds, starts and stops everything, in a stated order. Nothing here
 * decides anything about calls, money or people; it only says who talks to whom.
 *
 * Start: storage → money, events, mail → SIP → HTTP → audio (in the background) → calls (recovery first) →
 * trunks → scheduler. Stop is the way back.
 */

import { createSipMessageTracer } from "../adapter/sip/message-trace.ts";
import { createSipStack } from "../adapter/sip/stack.ts";
import { apiKeyStore } from "../adapter/store/api-key-store.ts";
import { billingStores } from "../adapter/store/billing-stores.ts";
import { callSetupStore } from "../adapter/store/call-setup-store.ts";
import { callStores } from "../adapter/store/call-stores.ts";
import { userStore } from "../adapter/store/identity-user-store.ts";
import { dropDeadLeases } from "../adapter/store/lease-store.ts";
import { quotaStore } from "../adapter/store/quota-store.ts";
import { scheduleStore } from "../adapter/store/schedule-store.ts";
import { tenantAdminStore } from "../adapter/store/tenant-admin-store.ts";
import { type Clock, sleep } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { describeError } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import { createBilling } from "../domain/billing/billing.ts";
import { startBillingJobs } from "../domain/billing/billing-jobs.ts";
import { createQuotas } from "../domain/billing/quotas.ts";
import { abandonSchedule } from "../domain/call/abandoned-schedule.ts";
import { createAdmission } from "../domain/call/admission.ts";
import { createBurstNotice } from "../domain/call/burst-notice.ts";
import { createCallService } from "../domain/call/call-service.ts";
import { createCallClaims } from "../domain/call/called-number.ts";
import type { CallContext } from "../domain/call/context.ts";
import { createDiagnosticsRecorder } from "../domain/call/diagnostics-recorder.ts";
import { fireSchedule } from "../domain/call/dialer.ts";
import { endingByUs } from "../domain/call/ending.ts";
import { startHeartbeat } from "../domain/call/heartbeat.ts";
import { handleIncoming } from "../domain/call/inbound.ts";
import type { CallIdentity } from "../domain/call/live-call.ts";
import { deleteMailedRecordings } from "../domain/call/mailed-recordings.ts";
import type { CallService } from "../domain/call/ports.ts";
import { recoverCalls, watchLeftCalls } from "../domain/call/recovery.ts";
import { CallRegistry } from "../domain/call/registry.ts";
import { createUnknownCalls } from "../domain/call/unknown-calls.ts";
import type { BirthdayCalls } from "../domain/contact/birthday-calls.ts";
import { type Scheduler, startScheduler } from "../domain/schedule/scheduler.ts";
import { createApiKeys } from "../domain/tenant/api-keys.ts";
import type { EventSink } from "../domain/webhook/ports.ts";
import { type Ask, askServices } from "../interface/contracts/operations.ts";
import { createRecordingLinks, RECORDING_LINK_PURPOSE } from "../interface/http/recording-links.ts";
import type { Services } from "../operations/admin/services.ts";
import { createTurnFeed, type TurnFeed } from "../operations/admin/turn-feed.ts";
import { type FreeDiskBytes, freeBytesOf } from "../operations/ops/disk-watch.ts";
import { createLogRing } from "../operations/ops/log-ring.ts";
import { createAudio } from "./audio.ts";
import { createCallNotices } from "./call-notices.ts";
import { createCallerParts } from "./caller-services.ts";
import { createDashboard, type Doctor } from "./dashboard.ts";
import { createDelivery } from "./delivery.ts";
import { createHealthCheck, type HealthCheck } from "./health.ts";
import { startHttp } from "./http.ts";
import { createLiveCalls } from "./live-calls.ts";
import { startMaintenance } from "./maintenance.ts";
import { startMonitoring } from "./metrics.ts";
import { createPayments } from "./payments.ts";
import { createPeople, reachable } from "./people.ts";
import { logRevocations, openRevocations } from "./revocations.ts";
import { createServices } from "./services.ts";
import { type AppSettings, type HostPort, type Tuning, tuningOf } from "./settings.ts";
import { nodeIdOf, openStore, prepareDataDir } from "./storage.ts";
import { startTracing } from "./tracing.ts";
import { createTrunkLeases } from "./trunk-leases.ts";
import { createTrunkLoader, runningTrunks } from "./trunks.ts";
import { openVault } from "./vault.ts";

/** How long a polite end may take before media is cut. */
const GOODBYE_MS = 8_000;
const DRAIN_POLL_MS = 100;
const DAY_MS = 86_400_000;

export interface App {
  readonly addresses: { readonly http: string; readonly sip: string };
  readonly database: Database;
  readonly calls: CallService;
  /** What command line, dashboard and REST call. */
  readonly services: Services;
  /** The operations of the contracts on these services, as the operator. */
  readonly ask: Ask;
  /** Resolves when calls can be carried. */
  ready(): Promise<void>;
  liveCalls(): number;
  /** Looks for birthdays now instead of within ten minutes. */
  readonly birthdays: Pick<BirthdayCalls, "look">;
  /** Takes effect at once; nothing that is live is touched. */
  retune(tuning: Tuning): void;
  readonly health: HealthCheck;
  /** Where Prometheus may look; null: nowhere. */
  readonly metricsAddress: HostPort | null;
  /** Live turns of every call, for followers. */
  readonly turns: TurnFeed;
  /** Where webhook events enter. */
  readonly events: EventSink;
  /** Refuses new calls, un-registers, waits for live calls. */
  drain(): Promise<void>;
  /** Ends live calls politely, then everything. Idempotent. */
  stop(): Promise<void>;
}

interface AppDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Default: of the data directory's file system. */
  readonly freeDiskBytes?: FreeDiskBytes;
  /** The checks of `linevoice doctor`, for the operator's dashboard. Default: it has none. */
  readonly doctor?: Doctor;
}

export async function startApp(settings: AppSettings, given: AppDependencies): Promise<App> {
  const logs = createLogRing(given.clock);
  const deps = { ...given, log: logs.through(given.log) };
  const { clock, random, log } = deps;
  const paths = prepareDataDir(settings.dataDir);
  const node = nodeIdOf(settings.dataDir, random);
  const { remote } = settings.storage;
  const database = await openStore(paths.database, remote, { node, clock, random });
  const maintenance = startMaintenance(settings, paths, { database, ...deps });
  const vault = await openVault(database, settings.masterKey, random);
  const revocations = await openRevocations({
    ...{ dataDir: settings.dataDir, paths, database, vault, clock, random },
    shared: settings.storage.shared,
  });
  logRevocations(revocations, log);
  const billing = createBilling({
    database,
    stores: billingStores,
    plans: settings.plans,
    clock,
    random,
  });
  let baseUrl = settings.http.publicUrl ?? "";
  const linkKey = () => vault.deriveKey(RECORDING_LINK_PURPOSE);
  const links = createRecordingLinks(linkKey, () => baseUrl, clock);
  const recordingMs = settings.storage.recordingsRetentionDays * DAY_MS;
  const delivery = createDelivery(settings, {
    database,
    vault,
    recordingLink: (callUuid) => links.urlFor(callUuid, recordingMs).url,
    recordingsDir: paths.recordings,
    outboxDir: paths.outbox,
    node: settings.storage.shared ? node : null,
    attempted: (attempt) => monitoring.webhookAttempted(attempt),
    ...deps,
  });
  const audio = createAudio(settings, { clock, log });
  const messageTrace = createSipMessageTracer(clock);
  const sip = await createSipStack(settings.sip, {
    ...{ clock, random, log, seen: messageTrace.record },
    claims: createCallClaims(() => callSetupStore(database.read)),
    ...createCallNotices({ database, clock, log }),
  });
  const registry = new CallRegistry((call) => scheduler?.freed(call.identity.tenantId));
  const health = createHealthCheck({
    ...{ database, audio, sip, maintenance },
    isStoreRemote: settings.storage.remote != null,
  });
  const monitoring = startMonitoring(settings, {
    ...{ database, clock, log },
    registrations: () => sip.registrations(),
    liveCalls: () => registry.size,
    callCapacity: () => audio.capacity(),
    diskFreeBytes: deps.freeDiskBytes ?? freeBytesOf(settings.dataDir),
    problems: () => health.problems(),
  });
  const tracing = startTracing(settings, node, { clock, random, log });
  const turns = createTurnFeed();
  const live = createLiveCalls({ registry, clock });
  const diagnostics = createDiagnosticsRecorder({
    ...{ database, stores: callStores, messageTrace, clock, log },
  });
  let refusing = false;
  let scheduler: Scheduler | null = null;
  const isDraining = () => refusing;
  let tuning = tuningOf(settings);

  const callerParts = createCallerParts({
    ...{ database, billing, vault, client: delivery.client, callService: () => calls },
    ...{ clock, random, log },
  });

  const context: CallContext = {
    settings: {
      rtpHost: settings.sip.bind.host,
      ringTimeoutMs: settings.sip.ringTimeoutMs,
      recordingsDir: paths.recordings,
      voiceAliases: settings.voiceAliases,
      prices: settings.prices,
    },
    database,
    stores: callStores,
    node,
    billing,
    sip,
    media: audio,
    mayRecord: () => maintenance.disk.mayRecord(),
    events: delivery.events,
    mails: delivery.mails,
    tools: monitoring.watched(tracing?.watched(delivery.tools) ?? delivery.tools),
    encoder: audio.encoder,
    links,
    admission: createAdmission({
      stores: callStores,
      billing,
      clock,
      get concurrentCallsMax() {
        return tuning.concurrentCallsMax;
      },
      dialing: () => tuning.dialing,
      onBurstStop: createBurstNotice({
        stores: { tenants: tenantAdminStore, users: userStore },
        ...{ database, mails: delivery.mails, events: delivery.events, clock, log },
      }),
      liveCalls: () => registry.size,
      storageRejection: () => maintenance.disk.rejection(),
    }),
    registry,
    clock,
    random,
    log,
    onTurn(call, turn) {
      turns.emit("turn", { call, turn });
      live.spoke(call, turn);
      if (turn.speaker === "customer") void noteDoNotCall(call, { text: turn.text });
    },
    onOptOut: (call) => void noteDoNotCall(call, "opt_out_key"),
    callers: callerParts.callers,
    onChange(call) {
      live.changed(call);
      tracing?.callChanged(call);
    },
    diagnostics,
    unknownCalls: createUnknownCalls(clock),
    onEnded(call, end) {
      monitoring.callEnded(call, end);
      tracing?.callEnded(call, end);
    },
  };

  /** "Don't call me" in a greeting or campaign call ends it. */
  async function noteDoNotCall(call: CallIdentity, what: "opt_out_key" | { text: string }) {
    const { tenantId, callUuid, direction } = call;
    if (direction !== "outbound") return;
    const remoteParty = { tenantId, callUuid, number: call.toNumber };
    const isDoNotCall = await callerParts.callers.handleOptOut(remoteParty, what).catch((error) => {
      log.error("call.do_not_call_not_stored", { call_id: callUuid, error: describeError(error) });
      return false;
    });
    if (isDoNotCall) registry.find(tenantId, callUuid)?.endPolitely("agent_hangup");
  }

  const payments = createPayments(settings, { database, publicUrl: () => baseUrl, ...deps });
  const calls = createCallService({
    context,
    quotas: createQuotas(billing, quotaStore),
    wakeScheduler: () => scheduler?.wake(),
    isDraining,
  });
  const identity = createPeople({
    ...{
      database,
      vault,
      plans: settings.plans,
      mails: delivery.mails,
      publicUrl: () => reachable(baseUrl),
    },
    ...deps,
  });
  const trunks = createTrunkLoader({
    ...{ database, sip, vault, log },
    onRegistration: (tenantId, status) => live.registered(tenantId, status),
  });
  const leases = settings.storage.shared
    ? createTrunkLeases({ database, node, trunks, clock, log })
    : null;
  const apiKeys = createApiKeys({ database, records: apiKeyStore, clock, random, log });
  const services = createServices(settings, {
    ...{ identity, database, vault, billing, apiKeys, paths, clock, random },
    checkouts: payments.checkouts,
    campaigns: callerParts.campaigns,
    backups: maintenance.backups,
    running: {
      ...{ logs, calls, turns },
      trunks: runningTrunks(sip, settings.sip, (tenantId) =>
        leases ? leases.round() : trunks.reload(tenantId),
      ),
    },
  });
  const dashboard = createDashboard(settings, {
    ...{ context, live, delivery, audio, maintenance, logs, services, isDraining },
    doctor: deps.doctor ?? null,
  });
  const http = await startHttp(settings, {
    ...{ services, identity },
    dashboard: dashboard.parts,
    ...{ database, billing, payments, calls, delivery, vault, sip, audio, health },
    callerParts,
    get tuning() {
      return tuning;
    },
    warnings: () => [...maintenance.warnings(), ...monitoring.warnings()],
    recordingsDir: paths.recordings,
    ...deps,
  });
  baseUrl = http.baseUrl;
  audio.start();

  const mailedRecordings = deleteMailedRecordings(context);
  if (!settings.storage.shared) await database.tx(dropDeadLeases);
  await recoverCalls(context);
  delivery.start();
  const heartbeat = startHeartbeat({ registry, database, stores: callStores, clock, log });
  sip.onIncoming((leg) => void handleIncoming(context, leg));
  await (leases ? leases.start() : trunks.loadAll());
  const leftCalls = watchLeftCalls(context);
  scheduler = startScheduler({
    records: scheduleStore,
    database,
    clock,
    log,
    owner: hex(random.bytes(8)),
    node: leases ? node : null,
    isDraining,
    fire: (entry) => fireSchedule(context, entry),
    abandon: (entry, status, error) => abandonSchedule(context, entry, status, error),
  });
  callerParts.start();
  const billingJobs = startBillingJobs({
    ...{ database, stores: billingStores, plans: settings.plans, mails: delivery.mails },
    thresholds: settings.lowBalanceThresholds ?? [],
    ...{ events: delivery.events, clock, log },
  });

  let leaving: Promise<void> = Promise.resolve();
  async function refuse(): Promise<void> {
    if (refusing) return;
    refusing = true;
    http.server.refuse();
    sip.rejectNewCalls();
    leaving = leaveCarriers();
    await scheduler?.stop();
  }

  /** New calls go elsewhere: to another node that takes the trunks over, or where the carrier says. */
  async function leaveCarriers(): Promise<void> {
    await sip.unregister();
    await leases?.stop();
  }

  async function liveCallsGone(deadlineMs: number): Promise<boolean> {
    const until = clock.monotonic() + deadlineMs;
    while (registry.size > 0) {
      if (clock.monotonic() >= until) return false;
      await sleep(clock, DRAIN_POLL_MS);
    }
    return true;
  }

  let stopping: Promise<void> | null = null;
  async function stopAll(): Promise<void> {
    await refuse();
    for (const call of registry.all) call.endPolitely("operator_hangup");
    if (!(await liveCallsGone(GOODBYE_MS)))
      for (const call of registry.all) call.end(endingByUs("completed", "operator_hangup"));
    await Promise.allSettled(registry.all.map((call) => call.finished));
    await dashboard.stop();
    heartbeat.cancel();
    leftCalls.cancel();
    mailedRecordings.cancel();
    await leaving;
    await callerParts.stop();
    await billingJobs.stop();
    await maintenance.stop();
    await sip.close();
    await diagnostics.stop();
    await audio.stop();
    await delivery.stop();
    await http.server.stop();
    await monitoring.stop();
    await tracing?.stop();
    revocations.close();
    await database.close();
  }

  log.info("app.started", { sip: `${sip.localAddress.host}:${sip.localAddress.port}` });
  return {
    addresses: {
      http: http.baseUrl,
      sip: `${sip.localAddress.host}:${sip.localAddress.port}`,
    },
    database,
    calls,
    services,
    ask: askServices(services),
    ready: () => audio.ready(),
    liveCalls: () => registry.size,
    birthdays: callerParts.birthdays,
    retune(next) {
      const { tls } = next;
      if (tls && tls.cert !== tuning.tls?.cert) http.server.renewCertificate(tls);
      tuning = next;
    },
    health,
    metricsAddress: monitoring.address,
    turns,
    events: delivery.events,
    async drain() {
      await refuse();
      await liveCallsGone(Number.POSITIVE_INFINITY);
    },
    stop() {
      stopping ??= stopAll();
      return stopping;
    },
  };
}
