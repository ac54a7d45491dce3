/** Converts an agent between form values and API values. */
import { NOT_IN_TRIAL } from "../../../../features/agent/agent.ts";
import type { Own, Rest } from "../../api/client.ts";
import { newAgentDefaults } from "../../api/rest-values.gen.ts";

type Agent = Rest["Agent"];

/** Form values: an unset address is "", a cleared number is null. */
export type AgentDraft = {
  readonly [Name in keyof Rest["AgentChanges"] & keyof Agent]-?: Agent[Name] extends number
    ? number | null
    : Exclude<Agent[Name], null>;
};

type Values = Readonly<Record<string, unknown>>;
const DEFAULTS: Values = newAgentDefaults;
const FIELDS = ["name", "prompt", ...Object.keys(DEFAULTS)];

/** Applies `change` to every field of the form. */
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

/** API values: an empty address becomes null, a cleared number becomes the default. */
export const bodyOf = (draft: AgentDraft) =>
  mapped(draft, (value, name) =>
    value === null || (value === "" && DEFAULTS[name] === null) ? DEFAULTS[name] : value,
  ) as Required<Rest["NewAgent"]>;

/** Leaves out empty texts of a new agent: the API has defaults in the agent's language. */
export function newBodyOf(draft: AgentDraft) {
  const { first_message, filler_phrases, ...body } = bodyOf(draft);
  return {
    ...body,
    ...(first_message ? { first_message } : {}),
    ...(filler_phrases ? { filler_phrases } : {}),
  };
}

export type TrialDraft = Own["AgentDraft"];

/** The values for trying an agent: those of the form, saved or not. */
export const trialOf = (draft: AgentDraft) =>
  Object.fromEntries(
    Object.entries(draft).filter(([name]) => !(name in NOT_IN_TRIAL)),
  ) as TrialDraft;
