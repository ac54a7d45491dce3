/** The email to a tenant whose endpoint was disabled, with what to do about it. Pure. */
import { isoUtc } from "../../core/clock.ts";
import type { MailDraft } from "../mail/ports.ts";
import type { SwitchedOff } from "./outcome.ts";
import type { EndpointContact } from "./stores.ts";

const CAUSES: Readonly<Record<SwitchedOff["cause"], string>> = {
  gone: "Your server answered 410 Gone, which asks us to stop.",
  failing: "Every delivery to it has failed for five days.",
};

/**
 * The key ensures one email each time an endpoint is disabled: `webhook-disabled:<webhook id, or
 * the URL>:<time>`.
 */
export function switchedOffMail(
  tenantId: number,
  off: SwitchedOff,
  contact: EndpointContact,
): MailDraft {
  const isWebhook = off.webhookId !== null;
  const what = isWebhook ? `Webhook ${off.webhookId}` : "An agent's webhook_url";
  const id = isWebhook ? off.webhookId : `${tenantId}:${contact.url}`;
  return {
    key: `webhook-disabled:${id}:${off.atMs}`,
    callUuid: null,
    recipient: contact.email,
    subject: `${what} was switched off`,
    body: [
      `${what} of ${contact.tenantName} was switched off at ${isoUtc(off.atMs)}.`,
      facts(contact),
      `${CAUSES[off.cause]} No further events are sent there, and events that were waiting for it were given up.`,
      isWebhook ? webhookRemedy(off.webhookId ?? 0) : legacyUrlRemedy(contact),
      "",
    ].join("\n\n"),
    attachment: null,
  };
}

function facts(contact: EndpointContact): string {
  const lines = [`URL: ${contact.url}`];
  if (contact.agentNames.length > 0) lines.push(`Agents: ${contact.agentNames.join(", ")}`);
  return lines.join("\n");
}

const webhookRemedy = (id: number): string =>
  [
    "What to do:",
    `1. See what went wrong: GET /webhooks/${id}/deliveries lists the attempts.`,
    "2. Fix your server: it has to answer with a status from 200 to 299 within 8 seconds.",
    `3. Try it: POST /webhooks/${id}/test sends one test event, also while the webhook is switched off.`,
    "4. Switch it on again in the dashboard under Webhooks, where all that failed can be sent again at once.",
    `Without the dashboard: remove it and add it anew, with DELETE /webhooks/${id}, then POST /webhooks. It gets a new signing secret.`,
  ].join("\n");

const legacyUrlRemedy = (contact: EndpointContact): string =>
  [
    "What to do:",
    "1. Repair your server: it has to answer with a status from 200 to 299 within 8 seconds.",
    `2. Set webhook_url of the agent again, to the same URL or another: PATCH /agents/{id} with {"webhook_url":${JSON.stringify(contact.url)}}. Deliveries start again at once.`,
  ].join("\n");
