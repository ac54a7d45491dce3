/** The dashboard's own parts, given the rest of the appliance. */
import { listBackups } from "../backup/backups.ts";
import { type AgentChats, createAgentChats } from "../call/chat.ts";
import type { CallContext } from "../call/context.ts";
import { type AgentTalks, createAgentTalks } from "../call/talk.ts";
import type { CheckResult } from "../doctor/check.ts";
import type { DashboardParts } from "../http/dashboard/ports.ts";
import type { OperatorPort } from "../ops/control/operator-port.ts";
import type { LogRing } from "../ops/log-ring.ts";
import { mailAdminStore } from "../store/mail-admin-store.ts";
import type { Audio } from "./audio.ts";
import { createCallsElsewhere } from "./calls-elsewhere.ts";
import type { Delivery } from "./delivery.ts";
import type { LiveCallsFeed } from "./live-calls.ts";
import type { AppSettings } from "./settings.ts";
import { createTrunkDesk } from "./trunk-desk.ts";
import { createTrunkProbe } from "./trunk-test.ts";
import type { TrunkLoader } from "./trunks.ts";
import type { Upkeep } from "./upkeep.ts";

/** The doctor, who needs the configuration as it was written. */
export type Doctor = (
  operator: Pick<OperatorPort, "listTrunks" | "testTrunk">,
) => Promise<readonly CheckResult[]>;

export interface Dashboard {
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
    readonly upkeep: Upkeep;
    readonly logs: LogRing;
    readonly vault: { seal(plain: string, binding: string): string };
    readonly isRefusing: () => boolean;
    /** Made after the server that this is for. */
    readonly trunks: () => Pick<TrunkLoader, "reload" | "remove">;
    readonly operator: () => OperatorPort;
    readonly doctor: Doctor | null;
  },
): Dashboard {
  const { context, live, delivery, audio, upkeep, logs, vault, operator, doctor } = deps;
  const { database, sip, clock } = context;
  const talks: AgentTalks = createAgentTalks(context, deps.isRefusing);
  const chats: AgentChats = createAgentChats(context, {
    replays: settings.engineLabel === "embedded",
  });
  const backups = () => listBackups(settings.dataDir);
  return {
    parts: {
      toolRunner: delivery.tools,
      webhookTester: delivery.tester,
      trunks: createTrunkDesk({
        ...{ database, vault, sip, clock, trunks: deps.trunks },
        allowNetworks: settings.sip.allowNetworks,
        probe: createTrunkProbe(sip, settings.sip),
      }),
      ...{ live, talks, chats, operator, logs, backups },
      elsewhere: settings.storage.shared ? createCallsElsewhere(context) : null,
      mailTest: delivery.mailTest,
      wakeMails: () => delivery.mails.wake(),
      checks: doctor && (() => doctor(operator())),
      dailySpendDefault: () => context.admission.dialing().dailySpendMax,
      disclosureDefault: settings.callWorker.conversation.disclosure,
      lamps: {
        engine: () => audio.problem(),
        disk() {
          const refusal = upkeep.disk.refusal();
          const sentence = refusal ?? upkeep.disk.warning();
          return sentence === null ? null : { failed: refusal !== null, sentence };
        },
        backup: () => ({
          problem: upkeep.backupProblem(),
          newest: backups()[0] ?? null,
          automatic: settings.storage.backupAt !== null,
        }),
        async mail() {
          const store = mailAdminStore(database.read);
          return { dead: await store.total("dead"), ...(await store.failing()) };
        },
        mailProvider: settings.mail.provider.kind,
        outboxKeepDays: settings.mail.outboxKeepDays,
      },
    },
    async stop() {
      chats.close();
      await talks.close();
    },
  };
}
