/**
 * The agent's first words with the person's name: "Laba diena, Jonai Petraiti." It replaces the greeting at the
 * start of the agent's first message.
 */

import { capitalised, GREETINGS, greetingLength } from "../../conversation/speech/greetings.ts";
import { oneLine } from "../../core/one-line.ts";
import type { AgentLanguage } from "../agent/agent.ts";
import type { ContactFields } from "./contact-schema.ts";
import { fullName } from "./contacts.ts";
import { vocativeOf } from "./vocative.ts";

const ADDRESS_CHARACTERS_MAX = 160;

/** The contact's stored form of address, or one by the language's rules. */
export function addressOf(
  contact: Pick<ContactFields, "firstName" | "lastName" | "vocative">,
  language: AgentLanguage,
): string {
  const address = contact.vocative ?? vocativeOf(fullName(contact), language);
  // Braces would start a variable in the agent's text.
  return oneLine(address.replace(/[{}]/g, ""), ADDRESS_CHARACTERS_MAX);
}

export function greetingFor(
  firstMessage: string,
  address: string,
  language: AgentLanguage,
): string {
  const message = firstMessage.trim();
  const own = greetingLength(message, language);
  if (own === 0)
    return `${capitalised(GREETINGS[language][0] ?? "", language)}, ${address}. ${message}`.trim();
  const rest = message.slice(own);
  // In "Hello, this is the clinic" the comma belongs to the greeting.
  const sentence = /^\s*[.!?]/.test(rest)
    ? rest
    : `. ${capitalised(rest.replace(/^[\s,–-]+/, ""), language)}`;
  return `${message.slice(0, own)}, ${address}${sentence}`.replace(/[.\s]+$/, ".");
}
