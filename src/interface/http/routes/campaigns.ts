/** Campaigns over HTTP: rules in campaign/. */

import { wireOf } from "../../../core/wire-names.ts";
import { type Campaigns, campaignStatusReason } from "../../../domain/campaign/campaigns.ts";
import { minutesOf, timeOfDayText } from "../../../domain/contact/calling-hours.ts";
import { isCountry } from "../../../domain/number/national-form.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/campaigns.ts";
import type { RouteContext } from "./context.ts";

const present = (campaign: Awaited<ReturnType<Campaigns["get"]>>) =>
  wireOf(contracts.Campaign, campaign, {
    status_reason: campaignStatusReason(campaign),
    calling_from: timeOfDayText(campaign.callingFrom),
    calling_to: timeOfDayText(campaign.callingTo),
    concurrency: campaign.concurrencyMax,
    attempts: campaign.attemptsMax,
    targets: campaign.counts,
  });

export const campaignRoutes = ({ dependencies }: RouteContext) => {
  const { campaigns } = dependencies.callerParts;
  return [
    route(contracts.listCampaigns)(async ({ tenantId }) => ({
      ok: true,
      campaigns: (await campaigns.list(tenantId)).map(present),
    })),
    route(contracts.createCampaign)(async ({ tenantId, body }) => ({
      ok: true,
      campaign: present(
        await campaigns.create(
          tenantId,
          {
            name: body.name,
            agentId: body.agent_id,
            fromNumber: body.from_number ?? null,
            callingFrom: minutesOf(body.calling_from),
            callingTo: minutesOf(body.calling_to),
            concurrencyMax: body.concurrency,
            attemptsMax: body.attempts,
            retryAfterMin: body.retry_after_min,
          },
          { csv: body.csv, country: isCountry(body.country) ? body.country : null },
        ),
      ),
    })),
    route(contracts.getCampaign)(async ({ tenantId, params }) => ({
      ok: true,
      campaign: present(await campaigns.get(tenantId, params.id)),
    })),
    route(contracts.actOnCampaign)(async ({ tenantId, params, body }) => ({
      ok: true,
      campaign: present(await campaigns.act(tenantId, params.id, body.action)),
    })),
  ];
};
