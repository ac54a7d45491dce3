/** Builds the dashboard's own parts from the rest of the appliance. */

import type { DialingLimits } from "../call/admission/admission.ts";
import type { CallContext } from "../call/service/context.ts";
import { type AgentChats, WrittenAgentChats } from "../call/web/chat.ts";
import { createVoiceSamples } from "../call/web/voice-samples.ts";
import { createWebCalls, type WebCalls } from "../call/web/web-call.ts";
import { PARTS, type Part } from "../engine/provider.ts";
import { costsMoney } from "../engine/settings.ts";
import type { Services } from "../features/appliance/services.ts";
import { type TrialMeter, UNMETERED } from "../features/billing/trials.ts";
import { mailAdminStore } from "../features/mail/mail-admin-store.ts";
import { askServices, OPERATOR_PAGES } from "../http/contracts/ask.ts";
import type { Ask } from "../http/contracts/operations.ts";
import type { DashboardParts, FixedSettings } from "../http/dashboard/ports.ts";
import { listBackups } from "../ops/backup/backups.ts";
import type { CheckResult } from "../ops/doctor/check.ts";
import type { LogRing } from "../ops/log-ring.ts";
import type { ProviderHealth } from "../ops/provider-health.ts";
import type { Audio } from "./audio.ts";
import type { Delivery } from "./delivery.ts";
import type { LiveCallsFeed } from "./live-calls.ts";
import type { Maintenance } from "./maintenance.ts";
import { createRemoteNodeCalls } from "./remote-node-calls.ts";
import type { AppSettings } from "./settings.ts";

/** Runs the doctor's checks, which need the configuration file. */
export type Doctor = (ask: Ask) => Promise<readonly CheckResult[]>;

interface Dashboard {
  readonly parts: DashboardParts;
  /** Ends trial conversations. */
  stop(): Promise<void>;
}

export function createDashboard(
  settings: AppSettings,
  deps: {
    readonly context: CallContext;
    readonly live: LiveCallsFeed;
    readonly delivery: Delivery;
    readonly audio: Audio;
    readonly providerHealth: ProviderHealth;
    readonly maintenance: Maintenance;
    readonly logs: LogRing;
    readonly services: Services;
    readonly isDraining: () => boolean;
    readonly doctor: Doctor | null;
    readonly trials: TrialMeter;
  },
): Dashboard {
  const { context, live, delivery, audio, maintenance, logs, services, doctor } = deps;
  const { database } = context;
  const { webCalls, chats } = createTrials(settings, deps);
  const backups = () => listBackups(settings.dataDir);
  return {
    parts: {
      toolRunner: delivery.tools,
      webhookTester: delivery.tester,
      live,
      webCalls,
      chats,
      logs,
      backups,
      voiceSamples: createVoiceSamples(audio),
      remoteNodes: settings.storage.shared ? createRemoteNodeCalls(context) : null,
      mailTest: delivery.mailTest,
      wakeMails: () => delivery.mails.wake(),
      ...rememberedChecks(doctor && (() => doctor(askServices(services, OPERATOR_PAGES)))),
      fixedSettings: () => fixedSettingsOf(settings, context.admission.dialing()),
      dailySpendDefault: () => context.admission.dialing().dailySpendMax,
      transcriptsDays: settings.storage.transcriptsRetentionDays,
      disclosureDefault: settings.callWorker.conversation.disclosure,
      statusSources: {
        engine: () => audio.problem(),
        hasProviderTrouble: () => deps.providerHealth.warnings().length > 0,
        failedVoices: () => audio.failedVoices(),
        disk: () => diskProblem(maintenance),
        backup: () => ({
          problem: maintenance.backupProblem(),
          newest: backups()[0] ?? null,
          automatic: settings.storage.backupAt !== null,
        }),
        mail: () => mailAdminStore(database.read).troubled(),
        mailProvider: settings.mail.provider.kind,
        outboxKeepDays: settings.mail.outboxKeepDays,
      },
    },
    async stop() {
      chats.close();
      await webCalls.close();
    },
  };
}

/** The doctor's checks, and the result of their last run. */
function rememberedChecks(
  run: DashboardParts["checks"],
): Pick<DashboardParts, "checks" | "lastChecks"> {
  let last: ReturnType<DashboardParts["lastChecks"]> = [];
  const checks = async () => {
    last = (await run?.()) ?? [];
    return last;
  };
  return { checks: run && checks, lastChecks: () => last };
}

/** Trial calls and chats. They are metered if a part of the engine that they use may cost money. */
function createTrials(
  { engineLabel, callWorker: { engine } }: AppSettings,
  deps: {
    readonly context: CallContext;
    readonly isDraining: () => boolean;
    readonly trials: TrialMeter;
  },
): { readonly webCalls: WebCalls; readonly chats: AgentChats } {
  const { context, isDraining } = deps;
  const meterOf = (parts: readonly Part[]) => (costsMoney(engine, parts) ? deps.trials : UNMETERED);
  return {
    webCalls: createWebCalls(context, isDraining, meterOf(PARTS)),
    chats: new WrittenAgentChats(context, {
      replays: engineLabel === "embedded",
      trials: meterOf(["llm"]),
    }),
  };
}

function diskProblem({ disk }: Maintenance) {
  const rejection = disk.rejection();
  const sentence = rejection ?? disk.warning();
  return sentence === null ? null : { failed: rejection !== null, sentence };
}

function fixedSettingsOf(
  { bankDetails, callWorker: { engine }, mail, lowBalanceThresholds, stripe }: AppSettings,
  { burst }: DialingLimits,
): FixedSettings {
  const { stt, llm, tts } = engine.providers;
  const idsOf = (choices: typeof stt) => choices.map(({ id }) => id);
  return {
    engine: {
      providers: { stt: idsOf(stt), llm: idsOf(llm), tts: idsOf(tts) },
      takesMessages: engine.takesMessages,
    },
    mailFrom: mail.from,
    paymentsReady: stripe !== null || bankDetails !== null,
    warnings: { lowBalances: lowBalanceThresholds, burst },
  };
}
