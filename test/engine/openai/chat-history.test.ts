/** The history for a model: only spoken and heard words. */
import { expect, test } from "bun:test";
import { ChatHistory } from "../../../src/engine/openai/chat-history.ts";

const told = (history: ChatHistory) =>
  history.messages(100_000).map(({ role, content }) => `${role}: ${content}`);

test("an interrupted answer is kept up to the heard words", () => {
  const history = new ChatHistory("Prompt", [{ by: "agent", text: "Hello?" }]);
  history.caller("When are you open?");
  history.agent("We are open from nine.");
  history.agent("On Sunday we are closed.");
  history.cut();
  history.truncateSpoken("We are open");
  history.caller("And where are you?");
  expect(told(history)).toEqual([
    "system: Prompt",
    "assistant: Hello?",
    "user: When are you open?",
    "assistant: We are open",
    "user: And where are you?",
  ]);
});

test("a question with an unheard answer is sent once when the caller continues", () => {
  const history = new ChatHistory("Prompt", []);
  history.caller("I would like");
  history.agent("What would you");
  history.cut();
  history.caller("I would like to book a visit");
  expect(told(history)).toEqual(["system: Prompt", "user: I would like to book a visit"]);
});

test("also if its answer was complete before anybody heard it", () => {
  const history = new ChatHistory("Prompt", []);
  history.caller("I would like");
  history.agent("What would you like?");
  history.complete();
  history.truncateSpoken("");
  history.caller("I would like to book a visit");
  expect(told(history)).toEqual(["system: Prompt", "user: I would like to book a visit"]);
});

test("an unheard answer is removed, and its question stays when another one follows", () => {
  const history = new ChatHistory("Prompt", []);
  history.caller("When are you open?");
  history.agent("From nine.");
  history.complete();
  history.truncateSpoken("");
  history.caller("And where are you?");
  expect(told(history)).toEqual([
    "system: Prompt",
    "user: When are you open?",
    "user: And where are you?",
  ]);
});

test("an answer cancelled before its first word leaves no trace", () => {
  const history = new ChatHistory("Prompt", []);
  history.caller("One");
  history.forgetQuestion();
  expect(told(history)).toEqual(["system: Prompt"]);
});

test("a failed request can be withdrawn and repeated", () => {
  const history = new ChatHistory("Prompt", []);
  history.caller("First");
  history.agent("Answer.");
  history.complete();
  const asBefore = history.mark();
  history.caller("Second");
  asBefore();
  history.caller("Second");
  expect(told(history).filter((line) => line === "user: Second")).toHaveLength(1);
});

test("every tool call is answered before the next request, in all cases", () => {
  const history = new ChatHistory("Prompt", []);
  history.caller("Book it");
  history.agentCalls([
    { id: "a", name: "book", arguments: {} },
    { id: "b", name: "mail", arguments: {} },
  ]);
  history.toolResult("b", { ok: true });
  history.caller("Hello?");
  const messages = history.messages(100_000);
  const calls = messages.findIndex((message) => message.tool_calls);
  const answers = messages.slice(calls + 1, calls + 3).map((message) => message.tool_call_id);
  expect(answers.sort()).toEqual(["a", "b"]);
  expect(history.openCalls).toEqual([]);
});

test("the oldest turns are removed first, and no tool result stays without its call", () => {
  const history = new ChatHistory("Prompt", []);
  for (let turn = 0; turn < 60; turn++) {
    history.caller(`Question ${turn} ${"x".repeat(200)}`);
    history.agentCalls([{ id: `call-${turn}`, name: "look", arguments: { turn } }]);
    history.toolResult(`call-${turn}`, { found: "y".repeat(200) });
    history.agent(`Answer ${turn}.`);
    history.complete();
  }
  const messages = history.messages(4_000);
  expect(messages.length).toBeLessThan(100);
  expect(messages[0]?.role).toBe("system");
  expect(messages[1]?.role).not.toBe("tool");
  expect(messages.at(-1)?.content).toBe("Answer 59.");
});
