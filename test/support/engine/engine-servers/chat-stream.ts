/** Splits a chat completion into chunks as each server does. */
import type { ChatAnswer, ChatBody } from "../openai-server.ts";
import type { StreamEvent } from "./behaviour.ts";

interface ChunkStyle {
  /** Delta of a separate first chunk; null if there is none. */
  readonly opening: object | null;
  /** The deltas of a tool call. */
  readonly toolCall: (call: ToolCall, index: number) => readonly object[];
  /** Additional fields of the last chunk. */
  readonly closing?: object;
  /** Additional fields of every chunk, next to `choices`. */
  readonly extra?: object;
  /** Additional fields of every choice. */
  readonly choice?: object;
}

type ToolCall = NonNullable<ChatAnswer["tools"]>[number];

export const chunk = (delta: object, finish: string | null = null, choice: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_787_000_000,
  model: "served",
  choices: [{ index: 0, delta, finish_reason: finish, ...choice }],
});

export const USAGE = { prompt_tokens: 120, completion_tokens: 9, total_tokens: 129 };

/** Text word by word, then the calls, the finish reason, and usage if requested. */
export function chatStream(
  { text = "", tools = [] }: ChatAnswer,
  { stream_options: options }: ChatBody,
  { opening, toolCall, closing = {}, extra = {}, choice = {} }: ChunkStyle,
): StreamEvent[] {
  const words = text === "" ? [] : text.split(/(?<= )/);
  const deltas = [
    ...(opening === null ? [] : [opening]),
    ...words.map((content) => ({ content })),
    ...tools.flatMap(toolCall),
  ];
  const finish = tools.length > 0 ? "tool_calls" : "stop";
  return [
    ...deltas.map((delta) => ({ ...chunk(delta, null, choice), ...extra })),
    { ...chunk({}, finish, choice), ...extra, ...closing },
    ...(options ? [{ ...chunk({}), choices: [], usage: USAGE, ...extra }] : []),
    "data: [DONE]\n\n",
  ];
}

/** The whole tool call in one delta. */
export const wholeCall =
  (idOf: (index: number) => string, more: object = {}) =>
  ({ name, arguments: args }: ToolCall, index: number) => {
    const fn = { name, arguments: JSON.stringify(args) };
    return [{ ...more, tool_calls: [{ index, id: idOf(index), type: "function", function: fn }] }];
  };

/** The name first, then the arguments in pieces. `again`: additional fields of each piece. */
export const callInPieces =
  (
    idOf: (index: number) => string,
    { first = {}, again = () => ({}) }: { first?: object; again?: (index: number) => object } = {},
  ) =>
  ({ name, arguments: args }: ToolCall, index: number) => {
    const json = JSON.stringify(args);
    const pieces = json.match(/.{1,5}/gs) ?? [];
    return [
      {
        tool_calls: [{ index, id: idOf(index), type: "function", function: { name, ...first } }],
      },
      ...pieces.map((piece) => ({
        tool_calls: [{ index, ...again(index), function: { arguments: piece } }],
      })),
    ];
  };
