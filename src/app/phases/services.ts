/** Fourth phase: services for command line, dashboard and REST, and the HTTP server. */

import type { Services } from "../../features/appliance/services.ts";
import { apiKeyStore } from "../../features/key/api-key-store.ts";
import { ApiKeys } from "../../features/key/api-keys.ts";
import {
  createScenarioReader,
  type ScenarioReader,
} from "../../features/rehearsal/scenario-reader.ts";
import { spawnScenarioWorker } from "../../workers.ts";
import { createDashboard, type Doctor } from "../dashboard.ts";
import { type Http, startHttp } from "../http.ts";
import { createPeople, reachable } from "../identity-composition.ts";
import { createPayments, type Payments } from "../payments.ts";
import { createRehearsals } from "../rehearsal.ts";
import type { PhoneProgram } from "../rehearsal-process.ts";
import { createServices } from "../services.ts";
import { registrationWarning, runningTrunks } from "../trunks.ts";
import type { CallPhase } from "./calls.ts";
import { ownNode } from "./telephony.ts";

interface ServicePhase extends CallPhase {
  readonly payments: Payments;
  readonly services: Services;
  readonly scenarioReader: ScenarioReader;
}

export function prepareServices(phase: CallPhase): ServicePhase {
  const { settings, database, vault, delivery, sip, trunks, leases, run, stops } = phase;
  const { clock, random, log, logs, calls, turns, billing, paths } = phase;
  const payments = createPayments(settings, {
    database,
    publicUrl: run.publicUrl,
    clock,
    random,
    log,
  });
  const identity = createPeople({
    database,
    vault,
    plans: settings.plans,
    mails: delivery.mails,
    clock,
    random,
    log,
    trust: phase.clockWatch,
    publicUrl: () => reachable(run.publicUrl()),
  });
  stops.add(() => identity.stop());
  const apiKeys = new ApiKeys({ database, records: apiKeyStore, clock, random, log });
  const scenarioReader = createScenarioReader(spawnScenarioWorker, clock);
  stops.add(() => scenarioReader.close());
  const reload = (tenantId: number) => (leases ? leases.round() : trunks.reload(tenantId));
  const services = createServices(settings, {
    identity,
    database,
    vault,
    billing,
    apiKeys,
    paths,
    clock,
    random,
    knowledgeIndex: phase.knowledge.index,
    documentReader: phase.knowledge.reader,
    scenarioReader,
    checkouts: payments.checkouts,
    campaigns: phase.callerParts.campaigns,
    backups: phase.maintenance.backups,
    running: {
      logs,
      calls,
      turns,
      clockWatch: phase.clockWatch,
      trunks: runningTrunks(sip, settings.sip, reload),
      nodes: {
        self: () => ownNode(phase, phase.registry),
        isSilent: leases && ((id) => leases.isSilent(id)),
      },
    },
  });
  return { ...phase, payments, services, scenarioReader };
}

export interface HttpPhase extends ServicePhase {
  readonly http: Http;
}

/** Binds and serves. Afterwards the appliance's address is known. */
export async function openHttp(
  phase: ServicePhase,
  doctor: Doctor | null,
  phones: PhoneProgram | null,
): Promise<HttpPhase> {
  const {
    settings,
    maintenance,
    descriptors,
    clockWatch,
    monitoring,
    providerHealth,
    stalls,
    run,
    stops,
  } = phase;
  const dashboard = createDashboard(settings, { ...phase, doctor, isDraining: run.isDraining });
  const rehearsals = createRehearsals(settings, phase.context, phase.services, phones, {
    meter: phase.trials,
    scenarioReader: phase.scenarioReader,
  });
  const http = startHttp(settings, {
    ...phase,
    identity: phase.services.identity,
    dashboard: dashboard.parts,
    rehearsals,
    get tuning() {
      return run.tuning();
    },
    warnings: () => [
      ...maintenance.warnings(),
      ...[
        descriptors.warning(),
        clockWatch.warning(),
        stalls.warning(),
        phase.audio.hearingWarning(),
      ].filter((sentence) => sentence !== null),
      ...monitoring.warnings(),
      ...providerHealth.warnings(),
      ...phase.audio
        .failedVoices()
        .map(({ language, voice }) => `The voice file of ${voice} (${language}) cannot be used.`),
      ...[phase.knowledge.index.problem(), registrationWarning(phase.sip)].filter(
        (sentence) => sentence !== null,
      ),
    ],
    recordingsDir: phase.paths.recordings,
  });
  run.listensAt(http.baseUrl);
  stops.add(() => http.server.stop());
  stops.add(() => dashboard.stop());
  stops.add(() => rehearsals.stop());
  return { ...phase, http };
}
