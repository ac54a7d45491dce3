/** The operator's commands about contacts and campaigns, on src/domain/contact and src/domain/campaign. */

import { campaignStore } from "../adapter/store/campaign-store.ts";
import { contactStore } from "../adapter/store/contact-store.ts";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { invalidField } from "../core/errors.ts";
import type { Quotas } from "../domain/billing/quotas.ts";
import { type Campaigns, createCampaigns } from "../domain/campaign/campaigns.ts";
import { type ContactRecord, createContacts } from "../domain/contact/contacts.ts";
import { contactCsvLine, contactsCsvHeader } from "../domain/contact/csv.ts";
import type { DoNotCallList } from "../domain/contact/do-not-call.ts";
import { importContacts } from "../domain/contact/import.ts";
import { isCountry } from "../domain/number/national-form.ts";
import type {
  CampaignSummary,
  ContactPort,
  ContactSummary,
} from "../interface/control/contact-port.ts";

const EXPORT_PAGE = 500;

const summaryOf = (contact: ContactRecord): ContactSummary => ({
  id: contact.id,
  number: contact.numberE164,
  first_name: contact.firstName,
  last_name: contact.lastName,
  birthday: contact.birthday,
  language: contact.language,
  consent: contact.consent,
  do_not_call: contact.doNotCall,
  has_pin: contact.pinHash !== null,
});

const campaignOf = (campaign: Awaited<ReturnType<Campaigns["get"]>>): CampaignSummary => ({
  id: campaign.id,
  name: campaign.name,
  status: campaign.status,
  agent_id: campaign.agentId,
  targets: campaign.counts,
});

/** `requireTenant` throws not_found. A running campaign is found by its runner within 15 s. */
export function createContactService(
  {
    database,
    doNotCallList,
    quotas,
    clock,
  }: {
    readonly database: Database;
    readonly doNotCallList: DoNotCallList;
    readonly quotas: Quotas;
    readonly clock: Clock;
  },
  requireTenant: (tenantId: number) => Promise<unknown>,
): ContactPort {
  const contacts = createContacts({
    database,
    records: contactStore,
    doNotCallList,
    quotas,
    clock,
  });
  const campaigns = createCampaigns({
    ...{ database, records: campaignStore, quotas, clock },
    wake: () => undefined,
  });
  return {
    async list(tenant, query) {
      await requireTenant(tenant);
      const found = await contacts.list(tenant, query);
      return { contacts: found.contacts.map(summaryOf), total: found.total };
    },

    async import({ tenant, csv, country, dry_run: dryRun, skip_bad: skipBad }) {
      await requireTenant(tenant);
      if (country !== null && !isCountry(country))
        throw invalidField("country", "Give the country as two letters, such as LT.");
      const report = await importContacts(
        { database, records: contactStore, doNotCallList, quotas, clock },
        tenant,
        {
          ...{ csv, country, dryRun, skipBad },
        },
      );
      const { created, updated, unchanged, problemCount, problems } = report;
      return {
        ...{ dry_run: report.dryRun, created, updated, unchanged },
        ...{ problem_count: problemCount, problems: problems.map((problem) => ({ ...problem })) },
      };
    },

    async export(tenant, after) {
      await requireTenant(tenant);
      const page = await contactStore(database.read).after(tenant, after, EXPORT_PAGE);
      const lines = page.map(contactCsvLine).join("");
      return {
        csv: after === 0 ? `${contactsCsvHeader()}${lines}` : lines,
        next: page.length === EXPORT_PAGE ? (page.at(-1)?.id ?? null) : null,
      };
    },

    async campaigns(tenant) {
      await requireTenant(tenant);
      return (await campaigns.list(tenant)).map(campaignOf);
    },

    async act(tenant, campaign, action) {
      await requireTenant(tenant);
      return campaignOf(await campaigns.act(tenant, campaign, action));
    },
  };
}
