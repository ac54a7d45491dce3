/** The email about a disabled endpoint, with the remedy, in the reader's language. Pure. */
import { fill, type TextsOf, textsOf } from "../../core/texts.ts";
import type { MailDraft } from "../mail/ports.ts";
import { companyName, nameInMail, timeFor } from "../mail/reader.ts";
import type { SwitchedOff } from "./outcome.ts";
import type { EndpointContact } from "./stores.ts";
import switchedOffTexts from "./switched-off-texts.json" with { type: "json" };

const TEXTS = textsOf(switchedOffTexts);
type SwitchedOffTexts = TextsOf<typeof switchedOffTexts>;

/**
 * The key ensures one email each time an endpoint is disabled: `webhook-disabled:<webhook id, or
 * the URL>:<time>`.
 */
export function switchedOffMail(
  tenantId: number,
  { webhookId, atMs, cause }: SwitchedOff,
  contact: EndpointContact,
): MailDraft {
  const words = TEXTS[contact.locale];
  const what = webhookId === null ? words.legacyUrl : fill(words.webhook, { id: webhookId });
  return {
    key: `webhook-disabled:${webhookId ?? `${tenantId}:${contact.url}`}:${atMs}`,
    callUuid: null,
    recipient: contact.email,
    subject: fill(words.subject, { what }),
    body: [
      fill(words.sentence, {
        what,
        company: companyName(contact.tenantName, contact.locale),
        at: timeFor(contact, atMs),
      }),
      facts(contact, words),
      `${words.causes[cause]} ${words.effect}`,
      steps(contact, webhookId, words),
      "",
    ].join("\n\n"),
    attachment: null,
  };
}

function facts({ url, agentNames }: EndpointContact, { agents }: SwitchedOffTexts): string {
  const lines = [`URL: ${url}`];
  if (agentNames.length > 0) lines.push(`${agents}: ${agentNames.map(nameInMail).join(", ")}`);
  return lines.join("\n");
}

function steps({ url }: EndpointContact, webhookId: number | null, words: SwitchedOffTexts) {
  const change = `PATCH /agents/{id} ${JSON.stringify({ webhook_url: url })}`;
  const [look, ...others] = webhookId === null ? [] : words.webhookSteps;
  const all = look ? [look, words.repair, ...others] : [words.repair, words.legacyStep];
  const values = { id: webhookId ?? "", change };
  const numbered = all.map((step, index) => `${index + 1}. ${fill(step, values)}`);
  return [words.whatToDo, ...numbered].join("\n");
}
