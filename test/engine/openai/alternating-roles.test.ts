/** Conversations as the templates of Mistral and Gemma require them. */
import { expect, test } from "bun:test";
import { alternating } from "../../../src/engine/openai/alternating-roles.ts";
import type { CompletionMessage } from "../../../src/engine/openai/chat-history.ts";

const system = (content: string): CompletionMessage => ({ role: "system", content });
const user = (content: string): CompletionMessage => ({ role: "user", content });
const agent = (content: string): CompletionMessage => ({ role: "assistant", content });
const call: CompletionMessage = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "123456789", type: "function", function: { name: "book", arguments: "{}" } }],
};
const result: CompletionMessage = { role: "tool", tool_call_id: "123456789", content: "{}" };

test.each<[string, CompletionMessage[], CompletionMessage[]]>([
  [
    "what alternates stays",
    [system("s"), user("a"), agent("b")],
    [system("s"), user("a"), agent("b")],
  ],
  [
    "the greeting goes to the system prompt",
    [system("s"), agent("Hello."), user("a")],
    [system("s\n\nYou have begun the call with these words: Hello."), user("a")],
  ],
  [
    "neighbours of one role are one message",
    [system("s"), user("a"), user("b"), agent("c"), agent("d"), user("e")],
    [system("s"), user("a\nb"), agent("c\nd"), user("e")],
  ],
  [
    "tool calls and results are not counted",
    [system("s"), user("a"), call, result, agent("b"), user("c")],
    [system("s"), user("a"), call, result, agent("b"), user("c")],
  ],
  [
    "who speaks before the tool's result was told finds an answer between",
    [system("s"), user("a"), call, result, user("b")],
    [system("s"), user("a"), call, result, agent("…"), user("b")],
  ],
  ["a system prompt alone stays alone", [system("s")], [system("s")]],
])("%s", (_, messages, expected) => {
  expect(alternating(messages)).toEqual(expected);
});
