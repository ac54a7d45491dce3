/**
 * One life of a simulated appliance: the real call service, scheduler, dialer, live calls, billing,
 * events, mail queue and recovery on a real database file. `die` ends it like kill −9: its timers
 * never fire again, its open transaction is not committed, and pending operations have no effect.
 */

import { appendFileSync, copyFileSync, existsSync } from "node:fs";
import { Admission } from "../../../src/call/admission/admission.ts";
import { deleteMailedRecordings } from "../../../src/call/ended/mailed-recordings.ts";
import { InboundCalls } from "../../../src/call/inbound/inbound.ts";
import { CallRegistry } from "../../../src/call/live/registry.ts";
import { abandonSchedule } from "../../../src/call/outbound/abandoned-schedule.ts";
import { fireSchedule } from "../../../src/call/outbound/dialer.ts";
import { startHeartbeat } from "../../../src/call/recovery/heartbeat.ts";
import { recoverCalls, watchLeftCalls } from "../../../src/call/recovery/recovery.ts";
import { createCallService } from "../../../src/call/service/call-service.ts";
import type { CallContext } from "../../../src/call/service/context.ts";
import { callStores } from "../../../src/call/store/call-stores.ts";
import type { Clock } from "../../../src/core/clock.ts";
import type { Database, Queries } from "../../../src/core/database.ts";
import { silentLog as log } from "../../../src/core/log.ts";
import type { Random } from "../../../src/core/random.ts";
import { dropDeadLeases } from "../../../src/features/appliance/lease-store.ts";
import { Billing } from "../../../src/features/billing/billing.ts";
import { billingStores } from "../../../src/features/billing/billing-stores.ts";
import type { Plan } from "../../../src/features/billing/ports.ts";
import { quotaStore } from "../../../src/features/billing/quota-store.ts";
import { createQuotas } from "../../../src/features/billing/quotas.ts";
import { MailQueue } from "../../../src/features/mail/mail-queue.ts";
import { mailStore } from "../../../src/features/mail/mail-store.ts";
import { scheduleStore } from "../../../src/features/schedule/schedule-store.ts";
import { Scheduler } from "../../../src/features/schedule/scheduler.ts";
import { DeliveryWorker } from "../../../src/features/webhook/delivery.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { repairWav } from "../../../src/media/recording/wav.ts";
import { AddressRules } from "../../../src/platform/net/address-rules.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { wideDialing } from "../plans.ts";
import { UNKNOWN_CALLERS } from "../sip/unknown-callers.ts";
import { plainVault } from "../store/plain-vault.ts";
import type { Outside } from "./outside.ts";

export interface ProcessOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly outside: Outside;
  readonly databasePath: string;
  readonly recordingsDir: string;
  readonly plan: Plan;
  /** Number of next transactions that fail, as on a full disk. Shared with the simulation. */
  readonly trouble: { transactions: number };
}

class DiskFull extends Error {
  readonly code = "SQLITE_FULL";
}

/** Timers that end with the process. */
function mortalClock(clock: Clock, isAlive: () => boolean): Clock {
  const guarded = (task: () => void) => () => {
    if (isAlive()) task();
  };
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, task) => clock.after(delayMs, guarded(task)),
    every: (periodMs, task) => {
      const timer = clock.every(periodMs, () => (isAlive() ? task() : timer.cancel()));
      return timer;
    },
  };
}

/** Counts accesses, fails on request, and never answers a dead process. */
function watched(database: Database, trouble: ProcessOptions["trouble"], isAlive: () => boolean) {
  const state = { asked: 0 };
  const { promise: never } = Promise.withResolvers<never>();
  async function tx<Result>(body: (queries: Queries) => Promise<Result>): Promise<Result> {
    state.asked++;
    if (!isAlive()) return never;
    const result = await database.tx(async (queries) => {
      const made = await body(queries);
      if (!isAlive()) throw new Error("killed in mid-transaction");
      if (trouble.transactions > 0) {
        trouble.transactions--;
        throw new DiskFull("database or disk is full");
      }
      return made;
    });
    return isAlive() ? result : never;
  }
  return { state, database: { ...database, read: database.read, tx } satisfies Database };
}

export type SimulatedProcess = Awaited<ReturnType<typeof startProcess>>;

export async function startProcess(options: ProcessOptions) {
  const { outside, random, recordingsDir, plan } = options;
  let alive = true;
  const isAlive = () => alive;
  const clock = mortalClock(options.clock, isAlive);
  const opened = openDatabase(options.databasePath, clock.now());
  const { database, state } = watched(opened, options.trouble, isAlive);
  const stores = webhookStores;
  const billing = new Billing({ database, stores: billingStores, plans: [plan], clock, random });
  const worker = new DeliveryWorker({
    database,
    stores,
    vault: plainVault,
    clock,
    random,
    log,
    pauseMs: 0,
    timeoutMs: 8_000,
    client: outside.http(isAlive),
  });
  const mails = new MailQueue({
    database,
    stores: mailStore,
    clock,
    random,
    log,
    recordingsDir,
    from: "a@voice.example",
    provider: outside.mailProvider(isAlive),
    attachmentBytesMax: 18_000_000,
    recordingLink: () => "",
  });
  const registry = new CallRegistry();
  const context = {
    settings: {
      rtpHost: "127.0.0.1",
      ringTimeoutMs: 30_000,
      recordingsDir,
      voiceAliases: {},
      callerTagKey: new Uint8Array(32),
      prices: {
        sttPerMinute: 0,
        llmInputPerMillionTokens: 0,
        llmOutputPerMillionTokens: 0,
        ttsPerMillionCharacters: 0,
        embeddingPerMillionTokens: 0,
        trunkPerMinute: 0,
      },
    },
    database,
    stores: callStores,
    node: "node",
    billing,
    registry,
    clock,
    random,
    log,
    mails,
    callers: UNKNOWN_CALLERS,
    sip: outside.sip(isAlive),
    media: outside.media(),
    mayRecord: () => true,
    recordingsInWork: new Set(),
    events: createEventSink({ stores, clock, random, wake: () => worker.wake() }),
    encoder: {
      repair: repairWav,
      async encode(wav: string, mp3: string) {
        if (outside.encoder !== "well") throw new Error("no encoder");
        if (!existsSync(wav)) throw new Error(`${wav} is not there`);
        copyFileSync(wav, mp3);
        appendFileSync(mp3, "mp3");
        return { durationMs: 125, bytes: 1 };
      },
    },
    links: {
      validMs: 0,
      urlFor: () => ({ url: "https://voice.example/r", expiresAtMs: clock.now() }),
    },
    admission: new Admission({
      stores: callStores,
      billing,
      clock,
      concurrentCallsMax: 10,
      dialing: () => wideDialing,
      liveCalls: () => registry.size,
    }),
    tools: { run: async () => Promise.reject(new Error("no tools")) },
  } as unknown as CallContext;

  deleteMailedRecordings(context);
  await database.tx(dropDeadLeases);
  await recoverCalls(context);
  worker.start();
  mails.start();
  startHeartbeat({ registry, database, stores: callStores, clock, log });
  watchLeftCalls(context);
  const scheduler = new Scheduler({
    records: scheduleStore,
    database,
    clock,
    log,
    owner: "node",
    isDraining: () => false,
    fire: (entry) => fireSchedule(context, entry),
    abandon: (entry, status, error) => abandonSchedule(context, entry, status, error),
  }).start();
  const inboundCalls = new InboundCalls(context);
  const desk = createCallService({
    context,
    quotas: createQuotas(billing, quotaStore),
    targetAddresses: new AddressRules([]),
    wakeScheduler: () => scheduler.wake(),
    isDraining: () => false,
  });

  return {
    desk,
    billing,
    registry,
    context,
    isAlive,
    /** Reads the disk directly, not through the process. */
    read: opened.read,
    get asked() {
      return state.asked;
    },
    inbound: (number: string, called: string) =>
      inboundCalls.handle(outside.comesIn(number, isAlive, called)),
    wake() {
      worker.wake();
      mails.wake();
      scheduler.wake();
    },
    async die() {
      alive = false;
      outside.processDied();
      await opened.close();
    },
  };
}
