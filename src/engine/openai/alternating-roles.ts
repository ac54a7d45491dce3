/**
 * Converts a conversation for models whose template needs alternating roles, the user first
 * (Mistral, Gemma). Neighbouring messages of one role are merged. Words of the agent before the
 * caller's first words go to the system prompt. Tool calls and their results don't change:
 * templates ignore them.
 */
import type { CompletionMessage } from "./chat-history.ts";

/** Placeholder for an answer that did not come before the caller spoke again. */
const NO_ANSWER = "…";

const isCounted = ({ role, tool_calls: calls }: CompletionMessage): boolean =>
  role === "user" || (role === "assistant" && calls === undefined);

export function alternating(messages: readonly CompletionMessage[]): CompletionMessage[] {
  const system = messages.filter(({ role }) => role === "system");
  const turns = messages.filter(({ role }) => role !== "system");
  const firstUser = turns.findIndex(({ role }) => role === "user");
  const opening = turns.slice(0, Math.max(0, firstUser)).filter(isCounted);
  const rest = turns.filter((message, index) => index >= firstUser || !isCounted(message));
  return [...withOpening(system, opening), ...rest.reduce(inTurn, [])];
}

function withOpening(
  system: readonly CompletionMessage[],
  opening: readonly CompletionMessage[],
): CompletionMessage[] {
  if (opening.length === 0) return [...system];
  const said = opening.map(({ content }) => content ?? "").join(" ");
  const note = `You have begun the call with these words: ${said}`;
  const contents = [...system.map(({ content }) => content ?? ""), note];
  return [{ role: "system", content: contents.join("\n\n") }];
}

function inTurn(before: CompletionMessage[], message: CompletionMessage): CompletionMessage[] {
  const last = before.findLast(isCounted);
  if (!isCounted(message) || last?.role !== message.role) return [...before, message];
  const isNeighbour = before.at(-1) === last;
  if (isNeighbour) {
    const content = `${last.content ?? ""}\n${message.content ?? ""}`;
    return [...before.slice(0, -1), { ...last, content }];
  }
  if (message.role === "assistant") return [...before, message];
  return [...before, { role: "assistant", content: NO_ANSWER }, message];
}
