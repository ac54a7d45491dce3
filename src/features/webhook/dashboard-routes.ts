/** Webhook functions of the dashboard that the REST API lacks. */

import { z } from "zod";
import { wireOf } from "../../core/wire-names.ts";
import { contract, route } from "../../http/contract.ts";
import { okReply, shown, timeOrNull } from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { isoOrNull } from "../../http/route-present.ts";
import { webhookName } from "../../http/session/audit-details.ts";

export const WebhookState = z
  .strictObject({
    id: shown(z.int(), "Id of the webhook.", 1),
    url: shown(z.string(), "URL that receives the events.", "https://example.com/hooks"),
    enabled: shown(z.boolean(), "Whether events are sent. `false` after days of failures.", true),
    failing_since: timeOrNull(
      "Time since which every delivery has failed. `null` if deliveries succeed.",
    ),
    disabled_reason: shown(
      z.string().nullable(),
      "Reason why it was switched off. `null` if it is on.",
      null,
    ),
    pending: shown(z.int(), "Number of waiting events.", 0),
    failed: shown(z.int(), "Number of failed events.", 0),
  })
  .meta({ id: "WebhookState" });

export const listWebhookStates = contract({
  operationId: "listWebhookStates",
  at: "GET /webhooks",
  tag: "Webhooks",
  summary: "List the states of webhooks",
  reply: okReply({
    webhooks: z.array(WebhookState),
  }),
});

export const enableWebhook = contract({
  operationId: "enableWebhook",
  at: "POST /webhooks/{id}/enable",
  noun: "webhook",
  tag: "Webhooks",
  summary: "Switch a webhook on again",
  description: "Send failed events again with resend-failed.",
  reply: okReply({ id: shown(z.int(), "Id of the webhook.", 1), enabled: z.literal(true) }),
});

export const resendFailed = contract({
  operationId: "resendFailedDeliveries",
  at: "POST /webhooks/{id}/resend-failed",
  noun: "webhook",
  tag: "Webhooks",
  summary: "Resend failed events, at most the oldest 1000",
  reply: okReply({ queued: shown(z.int(), "Number of queued events.", 3) }),
  errors: ["conflict"],
});

export const webhookRoutes = ({ dependencies: { services }, parts }: ProductContext) => [
  route(listWebhookStates)(async ({ tenantId }) => ({
    ok: true,
    webhooks: (await services.webhooks.states(tenantId)).map((state) =>
      wireOf(WebhookState, state, { failing_since: isoOrNull(state.failingSince) }),
    ),
  })),
  route(enableWebhook)(async ({ tenantId, params: { id }, note }) => {
    note({ subject: webhookName(await services.webhooks.enable(tenantId, id)) });
    return { ok: true, id, enabled: true };
  }),
  route(resendFailed)(async ({ tenantId, params }) => ({
    ok: true,
    queued: await parts.webhookTester.resendFailed(tenantId, params.id),
  })),
];
