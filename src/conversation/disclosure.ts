/**
 * The first words of a call: that it is an AI and that it is recorded (where the operator's
 * configuration says so), then the agent's own greeting.
 *
 * The disclosure is said before anything else the agent says, and cannot be interrupted. Where the
 * caller has the first word, an inbound caller hears it at once; somebody we call hears it before
 * the agent's first answer, so that a "hello?" stays possible.
 */
import type { CallBrief, ConversationSettings } from "../worker/messages.ts";
import { fillVariables, type Variables } from "./prompt.ts";

export interface Opening {
  /** Empty: nothing to disclose. */
  readonly disclosure: string;
  /** Empty where the caller has the first word. */
  readonly greeting: string;
  /** For somebody who is known by name; the same as `greeting` where nobody is. */
  readonly namedGreeting: string;
  /** What a machine records: the agent's first words, whoever speaks first. */
  readonly message: string;
  /** Speak as soon as the call is answered. */
  readonly atOnce: boolean;
}

export function openingOf(
  brief: CallBrief,
  settings: ConversationSettings,
  variables: Variables,
): Opening {
  const { agent, direction } = brief;
  const sentence = brief.disclosure ?? settings.disclosure[agent.language];
  const disclosure = fillVariables(sentence, variables).trim();
  const agentFirst = agent.firstSpeaker === "assistant";
  const message = fillVariables(agent.firstMessage, variables).trim();
  const greeting = agentFirst ? message : "";
  const named = fillVariables(brief.namedGreeting ?? "", variables).trim();
  const namedGreeting = agentFirst && named !== "" ? named : greeting;
  const atOnce = greeting !== "" || (disclosure !== "" && (agentFirst || direction === "inbound"));
  return { disclosure, greeting, namedGreeting, message, atOnce };
}
