/** A tenant's contacts and campaigns, for the operator: `linevoice contact` and `campaign`. */
import { z } from "zod";
import { invalidField } from "../../core/errors.ts";
import { wireOf } from "../../core/wire-names.ts";
import { id, ofTenant, operation } from "../../http/contracts/operation.ts";
import { shown } from "../../http/contracts/schema.ts";
import { CAMPAIGN_STATUSES, type Campaigns, STATUS_REASONS } from "../campaign/campaigns.ts";
import { isCountry } from "../number/national-form.ts";
import type { ContactRecord } from "./contacts.ts";

const ContactLine = z.strictObject({
  id,
  number: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  birthday: z.string().nullable(),
  language: z.string().nullable(),
  consent: z.boolean(),
  do_not_call: z.boolean(),
  has_pin: z.boolean(),
});

const ContactImportReport = z.strictObject({
  dry_run: z.boolean(),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  problem_count: z.int(),
  problems: z.array(z.strictObject({ line: z.int(), problem: z.string() })),
});
export type ContactImportReport = z.output<typeof ContactImportReport>;

/** A chunk of the exported contacts. */
const ContactExportPiece = z.strictObject({
  csv: z.string(),
  next: shown(z.int().nullable(), "Start of the next chunk. `null` after the last one."),
});
export type ContactExportPiece = z.output<typeof ContactExportPiece>;

/** Number of campaign targets per state. */
export const campaignTargets = z.strictObject({
  waiting: shown(z.int(), "Number of targets that will be called.", 10),
  calling: shown(z.int(), "Number of targets that are in a call now.", 2),
  done: shown(z.int(), "Number of targets reached.", 5),
  failed: shown(z.int(), "Number of targets not reached in any attempt.", 1),
  skipped: shown(z.int(), "Number of targets that will not be called.", 0),
});

const CampaignLine = z.strictObject({
  id,
  name: z.string(),
  status: z.enum(CAMPAIGN_STATUSES),
  status_reason: z.enum(STATUS_REASONS).nullable(),
  agent_id: z.int().nullable(),
  targets: campaignTargets,
});

const presentContact = (contact: ContactRecord) =>
  wireOf(ContactLine, contact, { number: contact.numberE164, has_pin: contact.pinHash !== null });

const presentCampaign = (campaign: Awaited<ReturnType<Campaigns["get"]>>) =>
  wireOf(CampaignLine, campaign, { targets: campaign.counts });

export const contactOperations = {
  "contact.list": operation({
    input: z.strictObject({
      tenant: id,
      search: z.string().max(200).nullable(),
      limit: z.int().min(1).max(200),
      offset: z.int().min(0),
    }),
    output: z.strictObject({ contacts: z.array(ContactLine), total: z.int() }),
    role: "viewer",
    run: async ({ tenants, contacts }, { tenant, ...page }) => {
      await tenants.require(tenant);
      const found = await contacts.list(tenant, page);
      return { contacts: found.contacts.map(presentContact), total: found.total };
    },
  }),
  "contact.import": operation({
    input: z.strictObject({
      tenant: id,
      csv: z.string().max(1_000_000),
      country: shown(
        z.string().max(10).nullable(),
        "Country whose national numbers are accepted. `null`: only E.164.",
      ),
      dry_run: z.boolean(),
      skip_bad: z.boolean(),
    }),
    output: ContactImportReport,
    role: "member",
    run: async ({ tenants, contacts }, { tenant, csv, country, dry_run, skip_bad }) => {
      await tenants.require(tenant);
      if (country !== null && !isCountry(country))
        throw invalidField("country", "Give the country as two letters, such as LT.");
      const file = { csv, country, dryRun: dry_run, skipBad: skip_bad };
      const { dryRun, created, updated, unchanged, ...report } = await contacts.import(
        tenant,
        file,
      );
      return {
        dry_run: dryRun,
        created,
        updated,
        unchanged,
        problem_count: report.problemCount,
        problems: report.problems.map((problem) => ({ ...problem })),
      };
    },
  }),
  "contact.export": operation({
    input: z.strictObject({ tenant: id, after: z.int().min(0) }),
    output: ContactExportPiece,
    role: "member",
    run: async ({ tenants, contacts }, { tenant, after }) => {
      await tenants.require(tenant);
      return await contacts.exportPiece(tenant, after);
    },
  }),
  "campaign.list": operation({
    input: ofTenant,
    output: z.array(CampaignLine),
    role: "viewer",
    run: async ({ tenants, campaigns }, { tenant }) => {
      await tenants.require(tenant);
      return (await campaigns.list(tenant)).map(presentCampaign);
    },
  }),
  "campaign.act": operation({
    input: z.strictObject({
      tenant: id,
      campaign: id,
      action: z.enum(["start", "pause", "resume", "cancel"]),
    }),
    output: CampaignLine,
    role: "member",
    run: async ({ tenants, campaigns }, { tenant, campaign, action }) => {
      await tenants.require(tenant);
      return presentCampaign(await campaigns.act(tenant, campaign, action));
    },
  }),
} as const;
