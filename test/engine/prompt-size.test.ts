import { expect, test } from "bun:test";
import { type Log, silentLog } from "../../src/core/log.ts";
import { warnOfPromptSize } from "../../src/engine/prompt-size.ts";
import { sessionSettings } from "../support/engine/engine-session.ts";

function warnings(systemPrompt: string, tokensMax: number) {
  const seen: { event: string; fields: Parameters<Log["warn"]>[1] }[] = [];
  const log: Log = { ...silentLog, warn: (event, fields) => seen.push({ event, fields }) };
  const session = sessionSettings({ systemPrompt, tools: [] });
  warnOfPromptSize(log, session, { tokensMax, remedy: "assign fewer knowledge files" });
  return seen;
}

test("a prompt that leaves less than a fifth of the model's window causes a warning with the remedy", () => {
  expect(warnings("word ".repeat(700), 1_000)).toMatchObject([
    {
      event: "prompt.too_large",
      fields: { call_id: "call-1", context_tokens: 1_000, remedy: "assign fewer knowledge files" },
    },
  ]);
  expect(warnings("word ".repeat(600), 1_000)).toEqual([]);
});

test("tools count, and letters of two octets count twice", () => {
  expect(warnings("слово ".repeat(280), 1_000)).toEqual([]);
  expect(warnings("слово ".repeat(300), 1_000)).toHaveLength(1);
});
