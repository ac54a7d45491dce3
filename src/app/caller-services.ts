/**
 * Builds contacts and the features that use them: memories, greetings, the CRM bridge, birthday
 * calls, campaigns.
 */

import { type Admission, rulesOf } from "../call/admission/admission.ts";
import { destinationRefusal } from "../call/admission/dialing-rules.ts";
import type { CallService } from "../call/ports.ts";
import { callSetupStore } from "../call/store/call-setup-store.ts";
import type { Clock, ClockTrust } from "../core/clock.ts";
import type { Database, Queries } from "../core/database.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import type { Billing } from "../features/billing/billing.ts";
import { quotaStore } from "../features/billing/quota-store.ts";
import { createQuotas } from "../features/billing/quotas.ts";
import { campaignStore } from "../features/campaign/campaign-store.ts";
import { Campaigns } from "../features/campaign/campaigns.ts";
import { CampaignRunner } from "../features/campaign/runner.ts";
import { BirthdayCalls } from "../features/contact/birthday-calls.ts";
import { birthdayStore } from "../features/contact/birthday-store.ts";
import { Callers, type EndListener } from "../features/contact/caller-identification.ts";
import { callerStore } from "../features/contact/caller-store.ts";
import { contactStore } from "../features/contact/contact-store.ts";
import { CrmOutbox } from "../features/contact/crm/crm-outbox.ts";
import { crmOutcomeReporter } from "../features/contact/crm/crm-outcome.ts";
import { CrmLookup } from "../features/contact/crm/lookup.ts";
import { type CrmTrial, crmTrial } from "../features/contact/crm/trial.ts";
import { crmStore } from "../features/contact/crm-store.ts";
import {
  createDoNotCallList,
  DO_NOT_CALL_PURPOSE,
  type DoNotCallList,
} from "../features/contact/do-not-call.ts";
import { doNotCallStore } from "../features/contact/do-not-call-store.ts";
import { createPinCheck } from "../features/contact/pin-check.ts";
import { pinStore } from "../features/contact/pin-store.ts";
import type { OutboundHttpClient } from "../platform/net/outbound-http.ts";
import type { Vault } from "../platform/secrets/vault.ts";

export const doNotCallListOf = (
  vault: Pick<Vault, "lastingKey">,
  database: Pick<Database, "revocations">,
): DoNotCallList =>
  createDoNotCallList(doNotCallStore, vault.lastingKey(DO_NOT_CALL_PURPOSE), database);

/** What calls need about the other party, and the listener that receives their results. */
export interface CallerParts {
  readonly callers: Callers;
  readonly crmPosts: CrmOutbox;
  readonly crmTrial: (tenantId: number, number: string) => Promise<CrmTrial>;
  /** Also notifies this listener of each call's end. */
  follow(listener: EndListener): void;
}

/** Jobs that place calls to contacts. */
export interface CallerJobs {
  readonly birthdays: BirthdayCalls;
  readonly campaigns: Campaigns;
  start(): void;
  stop(): Promise<void>;
}

interface CallerDependencies {
  readonly database: Database;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly log: Log;
}

export function createCallerParts(
  deps: CallerDependencies & { readonly client: OutboundHttpClient; readonly random: Random },
): CallerParts {
  const { database, vault, client, clock, random, log } = deps;
  // Billing sets this flag when the add-on is paid and clears it when the add-on expires.
  const isBridgeOn = async (queries: Queries, tenantId: number) =>
    (await callSetupStore(queries).tenant(tenantId))?.crmBridge ?? false;
  const crmPosts = new CrmOutbox({
    database,
    records: crmStore,
    isOn: isBridgeOn,
    vault,
    client,
    clock,
    random,
    log,
  });
  const crm = new CrmLookup({ database, records: crmStore, vault, client, clock, log });
  const crmNotifier = crmOutcomeReporter({
    records: crmStore,
    agentName: (queries, tenantId, agentId) => callerStore(queries).agentName(tenantId, agentId),
    clock,
    wake: () => crmPosts.wake(),
  });
  const listeners: EndListener[] = [crmNotifier];
  const doNotCallList = doNotCallListOf(vault, database);
  return {
    callers: new Callers({
      database,
      contacts: contactStore,
      records: callerStore,
      doNotCallList,
      clock,
      pins: createPinCheck({ database, contacts: contactStore, records: pinStore, clock }),
      crm,
      listeners,
    }),
    crmPosts,
    crmTrial: crmTrial({
      database,
      records: crmStore,
      lookup: crm,
      isOn: isBridgeOn,
      clock,
      random,
    }),
    follow: (listener) => void listeners.push(listener),
  };
}

export function createCallerJobs(
  { crmPosts, follow }: CallerParts,
  deps: CallerDependencies & {
    readonly billing: Pick<Billing, "planOf">;
    readonly calls: CallService;
    readonly admission: Pick<Admission, "standstill">;
    readonly trust?: Pick<ClockTrust, "isTrusted">;
  },
): CallerJobs {
  const { database, billing, vault, calls, admission, clock, trust, log } = deps;
  const callService = () => calls;
  const birthdays = new BirthdayCalls({
    database,
    records: birthdayStore,
    callService,
    clock,
    trust,
    log,
  });
  const runner = new CampaignRunner({
    database,
    records: campaignStore,
    callService,
    clock,
    trust,
    log,
    isDoNotCall: doNotCallListOf(vault, database).has,
  });
  follow(birthdays.listener);
  follow(runner.listener);
  return {
    birthdays,
    campaigns: new Campaigns({
      database,
      records: campaignStore,
      quotas: createQuotas(billing, quotaStore),
      clock,
      async standstill(tenantId) {
        const setup = callSetupStore(database.read);
        const [tenant, trunk] = await Promise.all([setup.tenant(tenantId), setup.trunk(tenantId)]);
        return tenant ? admission.standstill(database.read, tenant, trunk) : null;
      },
      async refusals(tenantId) {
        const setup = callSetupStore(database.read);
        const [tenant, trunk] = await Promise.all([setup.tenant(tenantId), setup.trunk(tenantId)]);
        return (number) => (tenant ? destinationRefusal(number, rulesOf(tenant, trunk)) : null);
      },
      wake: () => runner.wake(),
    }),
    start() {
      crmPosts.start();
      birthdays.start();
      runner.start();
    },
    async stop() {
      await Promise.all([crmPosts.stop(), birthdays.stop(), runner.stop()]);
    },
  };
}
