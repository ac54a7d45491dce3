/** Tool calls and text as different servers stream them. */
import { expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "../../../src/core/json.ts";
import { ErrorInStream } from "../../../src/engine/openai/answer-reader.ts";
import { ChatChunks } from "../../../src/engine/openai/chat-chunks.ts";

function read(...deltas: JsonValue[]) {
  const chunks = new ChatChunks();
  const text = deltas.map((delta) => chunks.add({ choices: [{ delta }] })).join("");
  return { text, calls: chunks.toolCalls };
}

const call = (name: string, args: JsonObject) => ({
  name,
  arguments: args,
});

test("fragments of two calls are joined by index, also when mixed", () => {
  const { calls } = read(
    { tool_calls: [{ index: 0, id: "a", function: { name: "book", arguments: "" } }] },
    { tool_calls: [{ index: 1, id: "b", function: { name: "mail", arguments: '{"to"' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"day":' } }] },
    {
      tool_calls: [
        { index: 1, function: { arguments: ':"x"}' } },
        { index: 0, function: { arguments: "1}" } },
      ],
    },
  );
  expect(calls).toEqual([call("book", { day: 1 }), call("mail", { to: "x" })]);
});

test("a complete call without index or id is a call", () => {
  const { calls } = read({
    tool_calls: [{ function: { name: "book", arguments: '{"day":1}' } }],
  });
  expect(calls).toEqual([call("book", { day: 1 })]);
});

test("two complete calls that both have index 0 are two calls", () => {
  const { calls } = read(
    { tool_calls: [{ index: 0, id: "a", function: { name: "book", arguments: '{"day":1}' } }] },
    { tool_calls: [{ index: 0, id: "b", function: { name: "book", arguments: '{"day":2}' } }] },
  );
  expect(calls.map((one) => one.arguments)).toEqual([{ day: 1 }, { day: 2 }]);
});

test("fragments without index and id belong to the call before them", () => {
  const { calls } = read(
    { tool_calls: [{ function: { name: "book", arguments: '{"day"' } }] },
    { tool_calls: [{ function: { arguments: ":1}" } }] },
  );
  expect(calls).toEqual([call("book", { day: 1 })]);
});

test("a name repeated in every fragment is used once", () => {
  const { calls } = read(
    { tool_calls: [{ index: 0, id: "a", function: { name: "book", arguments: '{"day"' } }] },
    { tool_calls: [{ index: 0, id: "a", function: { name: "book", arguments: ":1}" } }] },
  );
  expect(calls).toEqual([call("book", { day: 1 })]);
});

test("arguments may be an object, encoded twice, empty or null", () => {
  const args = (value: JsonValue) =>
    read({ tool_calls: [{ index: 0, function: { name: "x", arguments: value } }] }).calls[0]
      ?.arguments;
  expect(args({ day: 1 })).toEqual({ day: 1 });
  expect(args(JSON.stringify('{"day":1}'))).toEqual({ day: 1 });
  expect(args("")).toEqual({});
  expect(args("null")).toEqual({});
  expect(args("{broken")).toBeNull();
  expect(args("[1]")).toBeNull();
});

test("text may be a string, parts or a whole message", () => {
  expect(
    read({ content: "a" }, { content: null }, { content: [{ type: "text", text: "b" }] }).text,
  ).toBe("ab");
  const chunks = new ChatChunks();
  expect(chunks.add({ choices: [{ message: { content: "whole" }, finish_reason: "stop" }] })).toBe(
    "whole",
  );
  expect(chunks.end).toBe("whole");
});

test("usage comes in a last chunk without choices, under either name", () => {
  const chunks = new ChatChunks();
  chunks.add({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 3 } });
  expect(chunks.usage).toEqual({ inputTokens: 10, outputTokens: 3 });
  chunks.add({ usage: { input_tokens: 11, output_tokens: 4 } });
  expect(chunks.usage).toEqual({ inputTokens: 11, outputTokens: 4 });
});

test.each([
  [-5, 0],
  [2.6, 3],
  ["7", 0],
  [1e300, 100_000_000],
])("a server that reports %p tokens counts as %d", (told, counted) => {
  const chunks = new ChatChunks();
  chunks.add({ usage: { prompt_tokens: told, completion_tokens: 1 } });
  expect(chunks.usage).toEqual({ inputTokens: counted, outputTokens: 1 });
});

test("the check for a complete call reads up to a megabyte of its arguments", () => {
  const chunks = new ChatChunks();
  const fragment = (args: string) =>
    chunks.add({
      choices: [
        { delta: { tool_calls: [{ index: 0, function: { name: "f", arguments: args } }] } },
      ],
    });
  fragment(`{"text":"${"x".repeat(60_000)}`);
  for (let times = 0; times < 17; times++) fragment("");
  fragment(`"}`);
  fragment("{}");
  expect(chunks.toolCalls).toHaveLength(1);
});

test("an error within the stream is an error", () => {
  expect(() => new ChatChunks().add({ error: { message: "overloaded" } })).toThrow(ErrorInStream);
});

test("any JSON throws only this error", () => {
  for (const odd of [
    null,
    1,
    "x",
    [],
    {},
    { choices: null },
    { choices: [null] },
    { choices: [{ delta: 3 }] },
    { choices: [{ delta: { tool_calls: [null, 3, {}] } }] },
  ] as JsonValue[]) {
    expect(new ChatChunks().add(odd)).toBe("");
  }
});
