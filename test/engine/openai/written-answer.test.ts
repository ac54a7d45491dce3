/** Thoughts, special tokens and written tool calls are not spoken, however the stream is split. */
import { expect, test } from "bun:test";
import { SpokenPieces, withoutThoughts } from "../../../src/engine/openai/spoken-pieces.ts";

const TOOLS = ["find_slot", "book"];

/** Spoken text and calls when the text arrives at once, and in deltas of 1, 4 and 13 characters. */
function answers(text: string, mayThink = false) {
  return [text.length, 1, 4, 13].map((length) => {
    const pieces = new SpokenPieces({ toolNames: TOOLS, mayThink: () => mayThink });
    const said: string[] = [];
    for (let at = 0; at < text.length; at += length)
      said.push(...pieces.push(text.slice(at, at + length)));
    said.push(...pieces.end());
    return { said: said.join(" "), calls: pieces.calls };
  });
}

test.each([
  ["<THINK>The caller wants nine.</Think>\n\nWe open at nine.", "We open at nine."],
  ["<thinking>Hmm. Nine.</thinking>We open at nine.", "We open at nine."],
  ['<reasoning effort="low">Hmm. Nine.</reasoning> We open at nine.', "We open at nine."],
  ["< think >Hmm. Nine.< / think >We open at nine.", "We open at nine."],
  ["[THINK]Hmm. Nine.[/THINK]We open at nine.", "We open at nine."],
  ["◁think▷Hmm. Nine.◁/think▷We open at nine.", "We open at nine."],
  ["<|START_THINKING|>Hmm. Nine.<|END_THINKING|>We open at nine.", "We open at nine."],
  [
    "<|channel|>analysis<|message|>User wants hours. Nine.<|end|><|start|>assistant<|channel|>final<|message|>We open at nine.<|return|>",
    "We open at nine.",
  ],
  [
    "<|channel|>commentary<|message|>I look. Nine.<|end|><|channel|>final <|constrain|>text<|message|>We open at nine.",
    "We open at nine.",
  ],
  ["<|im_start|>assistant\nWe open at nine.<|im_end|>", "We open at nine."],
  [
    "<|start_header_id|>assistant<|end_header_id|>\n\nWe open at nine.<|eot_id|>",
    "We open at nine.",
  ],
  ["We open at nine.<｜end▁of▁sentence｜>", "We open at nine."],
  ["<s>[INST] We open at nine.</s><end_of_turn>", "We open at nine."],
  ["First. <think>Second.</think> We open at nine.", "First. We open at nine."],
  ["We open at nine. <think>never closed", "We open at nine."],
  [
    "We open if 3 < 4 and 5 > 4. See <b>us</b> [today].",
    "We open if 3 < 4 and 5 > 4. See us [today].",
  ],
])("%s", (written, said) => {
  for (const answer of answers(written)) expect(answer).toEqual({ said, calls: [] });
});

test.each([
  "Okay, the user asks for the hours. I should say nine.\n</think>\n\nBeta open.",
  "The caller wants to know the hours. They are in the knowledge.\n</THINK>\nBeta open.",
  "Nine is the time, so I should say nine.\n</thinking>\n\nBeta open.",
])("a thought without its beginning: %s", (written) => {
  for (const { said } of answers(written)) expect(said).toBe("Beta open.");
});

test("with a model that may think, speech waits for the end of its thought, or of its answer", () => {
  for (const { said } of answers(
    "Opening hours are short today.\nIt is Monday.</think>Beta.",
    true,
  ))
    expect(said).toBe("Beta.");
  for (const { said } of answers("We open at nine. Come in!", true))
    expect(said).toBe("We open at nine. Come in!");
});

test("a model without thoughts is spoken from its first sentence on", () => {
  const pieces = new SpokenPieces({ toolNames: TOOLS, mayThink: () => false });
  expect(pieces.push("Okay, let me see. We")).toEqual(["Okay, let me see."]);
});

const MONDAY = [{ name: "find_slot", arguments: { day: "mon" } }];

test.each([
  '<tool_call>\n{"name": "find_slot", "arguments": {"day": "mon"}}\n</tool_call>',
  '<TOOL_CALL>{"name": "find_slot", "arguments": "{\\"day\\": \\"mon\\"}"}</TOOL_CALL>',
  "<tool_call>\n<function=find_slot>\n<parameter=day>\nmon\n</parameter>\n</function>\n</tool_call>",
  '<function=find_slot>{"day": "mon"}</function>',
  '[TOOL_CALLS] [{"name": "find_slot", "arguments": {"day": "mon"}}]',
  '[TOOL_CALLS]find_slot[ARGS]{"day": "mon"}',
  '<|python_tag|>{"name": "find_slot", "parameters": {"day": "mon"}}',
  '{"name": "find_slot", "arguments": {"day": "mon"}}',
  '{"type": "function", "function": {"name": "find_slot", "arguments": "{\\"day\\":\\"mon\\"}"}}',
  '{"tool_calls": [{"function": {"name": "find_slot", "arguments": {"day": "mon"}}}]}',
  '```json\n{\n  "tool": "find_slot",\n  "args": {"day": "mon"}\n}\n```',
  "find_slot(day=mon)",
  'find_slot(day="mon")',
  "[find_slot(day='mon')]",
  'find_slot({"day": "mon"})',
  '<|channel|>commentary to=functions.find_slot <|constrain|>json<|message|>{"day":"mon"}<|call|>',
  '<think>I look.</think>\n<tool_call>{"name": "find_slot", "arguments": {"day": "mon"}}</tool_call>',
])("a written tool call: %s", (written) => {
  for (const answer of answers(written)) expect(answer).toEqual({ said: "", calls: MONDAY });
});

test.each([
  [
    'One moment. <tool_call>{"name": "find_slot", "arguments": {"day": "mon"}}</tool_call>',
    "One moment.",
  ],
  ['One moment.\n{"name": "find_slot", "arguments": {"day": "mon"}}', "One moment."],
  ["One moment. find_slot(day=mon)", "One moment."],
  ['{"name": "find_slot", "arguments": {"day": "mon"}}\nOne moment.', "One moment."],
])("words are kept, and the tool call in them is removed: %s", (written, said) => {
  for (const answer of answers(written)) expect(answer).toEqual({ said, calls: MONDAY });
});

test("text that only looks like a tool call is spoken", () => {
  for (const text of ["We book (if you like) a visit.", "[Monday] is free.", "A find or a slot."])
    for (const answer of answers(text)) expect(answer).toEqual({ said: text, calls: [] });
});

test("a summary is stored without thoughts", () => {
  expect(withoutThoughts("<think>LINE: no</think>LINE: hours asked\nThe **caller** asked.")).toBe(
    "LINE: hours asked\nThe **caller** asked.",
  );
});
