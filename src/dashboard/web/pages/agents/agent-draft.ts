/** An agent as the form edits it, and as the API takes it. */
import { NOT_IN_TRIAL } from "../../../../domain/agent/agent.ts";
import type { Own, Rest } from "../../api/client.ts";
import { newAgentDefaults } from "../../api/rest-values.gen.ts";

type Agent = Rest["Agent"];

/** What is typed: an address that is not set is "", a number that was cleared is null. */
export type AgentDraft = {
  readonly [Name in keyof Rest["AgentChanges"] & keyof Agent]-?: Agent[Name] extends number
    ? number | null
    : Exclude<Agent[Name], null>;
};

type Values = Readonly<Record<string, unknown>>;
const DEFAULTS: Values = newAgentDefaults;
const FIELDS = ["name", "prompt", ...Object.keys(DEFAULTS)];

/** Of each field that the form has. */
const mapped = (values: Values, change: (value: unknown, name: string) => unknown): Values =>
  Object.fromEntries(FIELDS.map((name) => [name, change(values[name], name)]));

export const draftOf = (agent: Agent) =>
  mapped(agent as Values, (value) => value ?? "") as AgentDraft;

export const emptyDraft = (language: Agent["language"]): AgentDraft => ({
  ...draftOf({ name: "", prompt: "", ...newAgentDefaults } as unknown as Agent),
  language,
  first_message: "",
  filler_phrases: "",
});

/** As the API takes it: an empty address is null, a number that was cleared is the default. */
export const bodyOf = (draft: AgentDraft) =>
  mapped(draft, (value, name) =>
    value === null || (value === "" && DEFAULTS[name] === null) ? DEFAULTS[name] : value,
  ) as Required<Rest["NewAgent"]>;

/** A new agent's empty texts are left out: the API has good ones in the agent's language. */
export function newBodyOf(draft: AgentDraft) {
  const { first_message, filler_phrases, ...body } = bodyOf(draft);
  return {
    ...body,
    ...(first_message ? { first_message } : {}),
    ...(filler_phrases ? { filler_phrases } : {}),
  };
}

export type TrialDraft = Own["AgentDraft"];

/** What an agent is tried with: as it stands in the form, saved or not. */
export const trialOf = (draft: AgentDraft) =>
  Object.fromEntries(
    Object.entries(draft).filter(([name]) => !(name in NOT_IN_TRIAL)),
  ) as TrialDraft;
