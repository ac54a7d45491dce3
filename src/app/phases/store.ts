/** First phase: the data directory, the database, their maintenance, and the vault. */

import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import { Billing } from "../../features/billing/billing.ts";
import { billingStores } from "../../features/billing/billing-stores.ts";
import { trialStore } from "../../features/billing/trial-store.ts";
import { Trials } from "../../features/billing/trials.ts";
import { type ClockSanity, watchClock } from "../../ops/clock-sanity.ts";
import {
  type DescriptorWatch,
  descriptorsOf,
  watchDescriptors,
} from "../../ops/descriptor-watch.ts";
import { type FreeDiskBytes, freeBytesOf } from "../../ops/disk-watch.ts";
import { createLogRing, type LogRing } from "../../ops/log-ring.ts";
import { detectSuspensions } from "../../ops/suspend-detector.ts";
import { isSynchronised } from "../../ops/time-server.ts";
import type { Vault } from "../../platform/secrets/vault.ts";
import { type Maintenance, startMaintenance } from "../maintenance.ts";
import { logRevocations, openRevocations } from "../revocations.ts";
import { RunState } from "../run-state.ts";
import type { AppSettings } from "../settings.ts";
import { StopOrder } from "../stop-order.ts";
import { type DataPaths, nodeIdOf, openStore, prepareDataDir } from "../storage.ts";
import { openVault } from "../vault.ts";

export interface StorePhase {
  readonly settings: AppSettings;
  readonly clock: Clock;
  readonly random: Random;
  /** Also keeps its newest lines in `logs`. */
  readonly log: Log;
  readonly logs: LogRing;
  readonly run: RunState;
  readonly stops: StopOrder;
  readonly paths: DataPaths;
  /** Id of this process among those that share the store. */
  readonly node: string;
  readonly database: Database;
  readonly vault: Vault;
  readonly billing: Billing;
  readonly trials: Trials;
  readonly freeDiskBytes: FreeDiskBytes;
  readonly clockWatch: ClockSanity;
  readonly maintenance: Maintenance;
  readonly descriptors: DescriptorWatch;
}

export async function openStorePhase(
  settings: AppSettings,
  given: {
    readonly clock: Clock;
    readonly random: Random;
    readonly log: Log;
    readonly freeDiskBytes?: FreeDiskBytes;
    readonly isSynchronised?: () => Promise<boolean | null>;
  },
): Promise<StorePhase> {
  const { clock, random, freeDiskBytes = freeBytesOf(settings.dataDir) } = given;
  const { dataDir, storage } = settings;
  const logs = createLogRing(clock);
  const log = logs.through(given.log);
  const stops = new StopOrder();
  const paths = prepareDataDir(dataDir);
  const node = nodeIdOf(dataDir, random);
  const database = await openStore(paths.database, storage.remote, { node, clock, random });
  stops.add(() => database.close());
  const { isSynchronised: synchronised = () => isSynchronised(clock) } = given;
  const clockWatch = watchClock({ dataDir, clock, log, isSynchronised: synchronised });
  stops.add(() => clockWatch.stop());
  const standstills = detectSuspensions(clock, log);
  stops.add(() => standstills.cancel());
  const maintenance = startMaintenance(settings, paths, {
    database,
    clock,
    trust: clockWatch,
    log,
    freeDiskBytes,
  });
  stops.add(() => maintenance.stop());
  const run = new RunState(settings);
  const descriptors = watchDescriptorsOf(run, { clock, log });
  stops.add(() => descriptors.stop());
  const vault = await openVault(database, settings.masterKey, random);
  const { shared } = storage;
  const revoking = { dataDir, paths, shared, database, vault, clock, random };
  const revocations = await openRevocations(revoking);
  stops.add(() => revocations.close());
  logRevocations(revocations, log);
  return {
    settings,
    clock,
    random,
    log,
    logs,
    stops,
    paths,
    node,
    database,
    vault,
    freeDiskBytes,
    clockWatch,
    maintenance,
    descriptors,
    run,
    ...billingOf(settings, database, { clock, random }),
  };
}

function billingOf(
  { plans, prices, trialMinutesPerDay: freeMinutes }: AppSettings,
  database: Database,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
) {
  const stores = billingStores;
  const billing = new Billing({ database, stores, plans, clock, random });
  const rows = { database, stores, records: trialStore };
  return { billing, trials: new Trials({ ...rows, billing, prices, freeMinutes, clock }) };
}

function watchDescriptorsOf(
  run: RunState,
  { clock, log }: { clock: Clock; log: Log },
): DescriptorWatch {
  return watchDescriptors({
    descriptors: descriptorsOf(),
    demand: () => ({ concurrentCalls: run.tuning().concurrentCallsMax }),
    clock,
    log,
  });
}
