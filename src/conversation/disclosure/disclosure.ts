/**
 * The first words of a call: the disclosure (an AI speaks; the call is recorded, if configured), then the
 * agent's greeting.
 *
 * The disclosure comes before all other words and cannot be interrupted. If the first message discloses
 * everything itself, its disclosing sentences are the disclosure. Only one greeting is said: the disclosure
 * drops its greeting if another follows. If the caller speaks first, the disclosure opens the agent's first
 * answer (decisions 12).
 */

import type { CallConfig } from "../call-config.ts";
import type { ConversationSettings } from "../conversation-settings.ts";
import { fillVariables, type Variables } from "../prompt/prompt.ts";
import { greetingLength, withoutGreeting } from "../speech/greetings.ts";
import { phrasesFor } from "../speech/phrases.ts";
import { disclosingStart } from "./disclosure-words.ts";

export interface FirstWords {
  /** Said first and in full. Empty: nothing to disclose. */
  readonly disclosure: string;
  readonly text: string;
  /** The part of both texts that comes from the agent's first message. The LLM sees only this part. */
  readonly own: string;
}

export interface Opening {
  /** The configured disclosure, if no greeting below was said first. Empty: nothing to disclose. */
  readonly disclosure: string;
  /** Empty texts if the caller speaks first. */
  readonly greeting: FirstWords;
  /** Greeting with the contact's name; equal to `greeting` if no name is known. */
  readonly namedGreeting: FirstWords;
  /** Message for a machine: the agent's first words, regardless of who speaks first. */
  readonly message: FirstWords;
  /** True if the agent speaks as soon as the call is answered. */
  readonly atOnce: boolean;
}

const NOTHING: FirstWords = { disclosure: "", text: "", own: "" };

export function openingOf(
  config: CallConfig,
  settings: ConversationSettings,
  variables: Variables,
): Opening {
  const { agent } = config;
  const sentence = config.disclosure ?? settings.disclosure[agent.language];
  const disclosure = fillVariables(sentence, variables, agent.language).trim();
  const wordsOf = (template: string): FirstWords => {
    const own = withOccasion(fillVariables(template, variables, agent.language).trim(), config);
    const itself = disclosingStart(own, disclosure, agent.language);
    if (itself) return { disclosure: itself.start, text: itself.remainder, own };
    const isGreeting = greetingLength(own, agent.language) > 0;
    const said = isGreeting ? withoutGreeting(disclosure, agent.language) : disclosure;
    return { disclosure: said, text: own, own };
  };
  const message = wordsOf(agent.firstMessage);
  if (agent.firstSpeaker === "customer")
    return { disclosure, greeting: NOTHING, namedGreeting: NOTHING, message, atOnce: false };
  const named = config.namedGreeting ? wordsOf(config.namedGreeting) : message;
  return {
    disclosure,
    greeting: message,
    namedGreeting: named,
    message,
    atOnce: message.disclosure !== "" || message.text !== "",
  };
}

/** Inserts the reason for the call after the greeting's first sentence, so that a final question stays last. */
function withOccasion(greeting: string, { occasion, agent }: CallConfig): string {
  if (occasion !== "birthday") return greeting;
  const [first = "", ...rest] = greeting.split(/(?<=[.!?…])\s+/);
  return [first, phrasesFor(agent.language).birthday, ...rest].filter(Boolean).join(" ");
}
