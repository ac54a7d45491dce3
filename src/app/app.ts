/**
 * The composition root: builds, connects, starts and stops all parts. It contains no rules about
 * calls, money or people. Each phase uses the results of the previous phases: store → telephony
 * (SIP, audio, figures) → calls → services → HTTP → jobs (recovery first, then trunks and the
 * scheduler). Each part registers its stop when it has started; parts stop in reverse order.
 */

import type { CallService } from "../call/ports.ts";
import type { CallConfig } from "../conversation/call-config.ts";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import type { Services } from "../features/appliance/services.ts";
import type { TurnEvents } from "../features/call-log/turn-events.ts";
import type { BirthdayCalls } from "../features/contact/birthday-calls.ts";
import type { EventSink } from "../features/webhook/ports.ts";
import { askServices, COMMAND_LINE } from "../http/contracts/ask.ts";
import type { Ask } from "../http/contracts/operations.ts";
import type { FreeDiskBytes } from "../ops/disk-watch.ts";
import { type HostPort, hostPortText } from "../platform/config/formats.ts";
import type { Doctor } from "./dashboard.ts";
import type { HealthCheck } from "./health.ts";
import { prepareCalls } from "./phases/calls.ts";
import { startJobs } from "./phases/jobs.ts";
import { type HttpPhase, openHttp, prepareServices } from "./phases/services.ts";
import { openStorePhase } from "./phases/store.ts";
import { openTelephony } from "./phases/telephony.ts";
import type { PhoneProgram } from "./rehearsal-process.ts";
import type { AppSettings, Tuning } from "./settings.ts";
import { createShutdown, type Shutdown } from "./shutdown.ts";

export interface App extends Shutdown {
  readonly addresses: { readonly http: string; readonly sip: string };
  readonly database: Database;
  readonly calls: CallService;
  /** Services that the command line, the dashboard and the REST API call. */
  readonly services: Services;
  /** Runs operations of the contracts as the operator. */
  readonly ask: Ask;
  /** Resolves when calls can be carried. */
  ready(): Promise<void>;
  liveCalls(): number;
  /** Checks for birthdays now instead of within ten minutes. */
  readonly birthdays: Pick<BirthdayCalls, "look">;
  /** Takes effect immediately. Live calls are not affected. */
  retune(tuning: Tuning): void;
  readonly health: HealthCheck;
  /** The address for Prometheus; null: metrics are off. */
  readonly metricsAddress: HostPort | null;
  /** Live turns of every call, for subscribers. */
  readonly turns: TurnEvents;
  /** Receives the webhook events. */
  readonly events: EventSink;
}

interface AppDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Default: free bytes of the data directory's file system. */
  readonly freeDiskBytes?: FreeDiskBytes;
  /** Whether a time server keeps the clock correct. Default: as systemd reports. */
  readonly isSynchronised?: () => Promise<boolean | null>;
  /** The checks of `linevoice doctor`, for the operator's dashboard. Default: it has none. */
  readonly doctor?: Doctor;
  /** Changes the configuration of rehearsal calls. Default: no change. */
  readonly adaptCall?: (config: CallConfig) => CallConfig;
  /** Program that runs telephone rehearsals. Default: not available. */
  readonly phones?: PhoneProgram;
}

export async function startApp(settings: AppSettings, given: AppDependencies): Promise<App> {
  const store = await openStorePhase(settings, given);
  const telephony = await openTelephony(store, given.adaptCall);
  const services = prepareServices(prepareCalls(telephony));
  const phase = await openHttp(services, given.doctor ?? null, given.phones ?? null);
  await startJobs(phase);
  await phase.http.server.loadRoutes();
  const sip = hostPortText(phase.sip.localAddress);
  phase.log.info("app.started", { sip });
  return {
    addresses: { http: phase.http.baseUrl, sip },
    database: phase.database,
    calls: phase.calls,
    services: phase.services,
    ask: askServices(phase.services, COMMAND_LINE),
    ready: () => phase.audio.ready(),
    liveCalls: () => phase.registry.size,
    birthdays: phase.callerParts.birthdays,
    retune(next) {
      phase.run.retune({ ...next, ...renewCertificates(phase, next) });
    },
    health: phase.health,
    metricsAddress: phase.monitoring.address,
    turns: phase.turns,
    events: phase.delivery.events,
    ...createShutdown(phase),
  };
}

/** Replaces the certificates in use. A listener without TLS needs a restart first. */
function renewCertificates(
  { run, http, sip, log }: HttpPhase,
  next: Tuning,
): Pick<Tuning, "tls" | "sipTls"> {
  const used = run.tuning();
  const renewed = <Pair extends { readonly cert: string }>(
    of: "http" | "sip",
    pairs: readonly [used: Pair | null, next: Pair | null],
    renew: (pair: Pair) => void,
  ): Pair | null => {
    const [used, next] = pairs;
    if (!used || !next || used.cert === next.cert) return used;
    renew(next);
    log.info("tls.certificate_renewed", { of });
    return next;
  };
  return {
    tls: renewed("http", [used.tls, next.tls], (pair) => http.server.renewCertificate(pair)),
    sipTls: renewed("sip", [used.sipTls, next.sipTls], (pair) => sip.renewCertificate(pair)),
  };
}
