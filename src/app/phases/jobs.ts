/** Last phase: repairs the state after a crash, then accepts calls and starts due jobs. */

import { deleteMailedRecordings } from "../../call/ended/mailed-recordings.ts";
import { InboundCalls } from "../../call/inbound/inbound.ts";
import { startHeartbeat } from "../../call/recovery/heartbeat.ts";
import { recoverCalls, watchLeftCalls } from "../../call/recovery/recovery.ts";
import { callStores } from "../../call/store/call-stores.ts";
import { dropDeadLeases } from "../../features/appliance/lease-store.ts";
import { startBillingJobs } from "../../features/billing/billing-jobs.ts";
import { billingStores } from "../../features/billing/billing-stores.ts";
import { startCallIndexing } from "../call-indexing.ts";
import { createSiteReader } from "../knowledge.ts";
import type { HttpPhase } from "./services.ts";

/**
 * The audio workers start in the background, after the main thread's own work. Otherwise they would
 * compete with that work and with the first requests for the CPU.
 */
export async function startJobs(phase: HttpPhase): Promise<void> {
  const { settings, database, context, registry, delivery, audio, sip, stops } = phase;
  const { trunks, leases, scheduler, callerParts, clock, log } = phase;
  const mailedRecordings = deleteMailedRecordings(context);
  stops.add(() => mailedRecordings.cancel());
  // Without its old id, a node looks like another node. But no other node uses this database.
  if (!settings.storage.shared)
    await database.tx(async (queries) => {
      await dropDeadLeases(queries);
      await callStores.calls(queries).adoptOrphaned(phase.node);
    });
  await phase.knowledge.tidy();
  await recoverCalls(context);
  audio.start();
  delivery.start();
  const heartbeat = startHeartbeat({ registry, database, stores: callStores, clock, log });
  stops.add(() => heartbeat.cancel());
  const inboundCalls = new InboundCalls(context);
  sip.onIncoming((leg) => void inboundCalls.handle(leg));
  await (leases ? leases.start() : trunks.loadAll());
  const leftCalls = watchLeftCalls(context);
  stops.add(() => leftCalls.cancel());
  scheduler.start();
  callerParts.start();
  const siteReader = createSiteReader({
    sites: phase.services.sites,
    client: delivery.client,
    database,
    clock,
    log,
    reader: phase.knowledge.reader,
  });
  siteReader.start();
  stops.add(() => siteReader.stop());
  stops.add(() => callerParts.stop());
  const billingJobs = startBillingJobs({
    database,
    stores: billingStores,
    plans: settings.plans,
    mails: delivery.mails,
    thresholds: settings.lowBalanceThresholds ?? [],
    events: delivery.events,
    clock,
    trust: phase.clockWatch,
    log,
  });
  stops.add(() => billingJobs.stop());
  const callIndexing = startCallIndexing({ database, clock, log });
  stops.add(() => callIndexing.stop());
}
