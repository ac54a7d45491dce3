/**
 * The first words of a call: that it is an AI and that it is recorded (where the operator's
 * configuration says so), then the agent's own greeting.
 *
 * The disclosure is said before anything else the agent says, and cannot be interrupted. A first
 * message that says it by itself is not preceded by it: its disclosing sentences are the disclosure.
 * Nobody is greeted twice: before a greeting the disclosure leaves out its own.
 * Where the caller has the first word the agent is silent until then, and the disclosure opens its
 * first answer (decisions 12).
 */

import type { CallConfig } from "../call-config.ts";
import type { ConversationSettings } from "../conversation-settings.ts";
import { fillVariables, type Variables } from "../prompt/prompt.ts";
import { greetingLength, withoutGreeting } from "../speech/greetings.ts";
import { phrasesFor } from "../speech/phrases.ts";
import { disclosingStart } from "./disclosure-words.ts";

export interface FirstWords {
  /** Said first, and to its end. Empty: nothing to disclose. */
  readonly disclosure: string;
  readonly text: string;
  /** Of both, what the agent's record says: what the LLM knows as said. */
  readonly own: string;
}

export interface Opening {
  /** For an agent that answers first. Empty: nothing to disclose. */
  readonly disclosure: string;
  /** Empty texts where the caller has the first word. */
  readonly greeting: FirstWords;
  /** For somebody who is known by name; the same as `greeting` where nobody is. */
  readonly namedGreeting: FirstWords;
  /** What a machine records: the agent's first words, whoever speaks first. */
  readonly message: FirstWords;
  /** Speak as soon as the call is answered. */
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

/** Why we call, after the greeting's first sentence: a question of the greeting stays last. */
function withOccasion(greeting: string, { occasion, agent }: CallConfig): string {
  if (occasion !== "birthday") return greeting;
  const [first = "", ...rest] = greeting.split(/(?<=[.!?…])\s+/);
  return [first, phrasesFor(agent.language).birthday, ...rest].filter(Boolean).join(" ");
}
