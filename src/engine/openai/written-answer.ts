/**
 * Separates a model's spoken text from the rest: reasoning, special tokens of its template, and
 * tool calls in the usual formats. Works on a stream, wherever the text is split.
 *
 * Templates of reasoning models may start the reasoning themselves, so that only its end is
 * written. Then all text before that end is reasoning.
 */
import { beginOfCall, readWrittenCalls, splitCall, type WrittenCall } from "./written-calls.ts";

const THOUGHT_NAMES =
  "(?:seed:)?(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis)";
const THOUGHT_BEGIN = new RegExp(
  `<\\s*${THOUGHT_NAMES}(?:\\s[^<>]*)?>|\\[THINK\\]|◁think▷|<\\|(?:begin_of_thought|start_thinking)\\|>|<\\|channel\\|>\\s*(?:analysis|commentary)(?![^<]*\\sto=)(?:(?!<\\|message)[\\s\\S]){0,200}<\\|message\\|>`,
  "iu",
);
const THOUGHT_END = new RegExp(
  `<\\s*/\\s*${THOUGHT_NAMES}\\s*>|\\[/THINK\\]|◁/think▷|<\\|(?:end_of_thought|end_thinking)\\|>`,
  "iu",
);
/** Ends reasoning of the Harmony format, which has no closing tag. */
const CHANNEL_END =
  /<\|(?:end|return|start)\|>|<\|channel\|>\s*final(?:(?!<\|message)[\s\S]){0,200}<\|message\|>/iu;
const CALL_BEGIN =
  /<(?:tool_call|function_call|tool_calls|function)(?:[\s=][^<>]*)?>|\[TOOL_CALLS\]|<\|(?:python_tag|tool_call|tool_calls_section_begin)\|>|<[｜|]tool▁calls?▁begin[｜|]>|<\|channel\|>\s*commentary[^<]*\sto=[^<]*/iu;
const CALL_END =
  /<\/(?:tool_call|function_call|tool_calls|function)>(?!\s*<\/tool_calls?>)|<\|(?:\/tool_call|call|tool_calls_section_end)\|>|<[｜|]tool▁calls▁end[｜|]>/iu;
const TOKEN =
  /<\|start\|>\s*\w*|<\|channel\|>\s*final(?:(?!<\|message)[\s\S]){0,200}<\|message\|>|<\|im_start\|>\s*\w*|<\|start_header_id\|>[^<]*<\|end_header_id\|>|<[|｜][^<>|｜\n]{1,40}[|｜]>|<\/?(?:s|bos|eos|pad|unk)>|<(?:start|end)_of_turn>(?:model|user)?|\[\/?INST\]/iu;
/** End of a text that may become a tag, a token or the beginning of a tool call. */
const UNFINISHED =
  /(?:<[/|｜\s]?[\p{L}|｜▁_:/=-]{0,40}(?:\s[^<>\n]{0,100})?|\[\/?[A-Z_]{0,12}|◁\/?\p{L}{0,6}|`{1,3}\w*\s*(?:[[{]\s*){0,2}|(?:[[{]\s*){1,2})$/u;
/** A template's token whose words have not all arrived. */
const UNFINISHED_TOKEN =
  /^<\|(?:(?:channel\|>(?:(?!<\|message\|>)[\s\S]){0,200}|start_header_id\|>(?:(?!<\|end_header_id\|>)[\s\S]){0,60})|(?:im_)?start\|>\s*\w*)$/iu;
const CALL_CHARACTERS_MAX = 16 * 1024;

type Mode = "text" | "thought" | "channel" | "call" | "maybe_call";

const ENDS = { thought: THOUGHT_END, channel: CHANNEL_END, call: CALL_END } as const;

interface Marker {
  readonly kind: "thought" | "channel" | "thought_end" | "call" | "token" | "maybe_call";
  readonly at: number;
  readonly text: string;
}

export class WrittenAnswer {
  #held = "";
  #mode: Mode = "text";
  #call = "";
  readonly #calls: WrittenCall[] = [];
  /** True after a closing tag without an opening one: the text before it was reasoning. */
  hasLoneEnd = false;
  /** True after reasoning with both tags. */
  hasWholeThought = false;

  constructor(private readonly toolNames: readonly string[] = []) {}

  get calls(): readonly WrittenCall[] {
    return this.#calls;
  }

  /** `voided`: the text returned before was reasoning. */
  push(delta: string): { readonly text: string; readonly voided: boolean } {
    this.#held += delta;
    let text = "";
    let voided = false;
    for (;;) {
      if (this.#mode === "maybe_call") break;
      if (this.#mode !== "text") {
        if (!this.#skip(this.#mode)) break;
        continue;
      }
      const marker = this.#nextMarker();
      if (!marker) break;
      text += this.#held.slice(0, marker.at);
      this.#held = this.#held.slice(marker.at + marker.text.length);
      if (marker.kind === "thought_end") {
        text = "";
        voided = true;
        this.hasLoneEnd = true;
      } else if (marker.kind === "maybe_call") {
        this.#held = marker.text + this.#held;
        this.#mode = "maybe_call";
      } else if (marker.kind !== "token") {
        this.#mode = marker.kind;
        this.#call = marker.text;
      }
    }
    if (this.#mode === "text") text += this.#takeSure();
    return { text, voided };
  }

  /** Returns the rest of the text. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    if (this.#mode === "call") this.#keepCalls(this.#call + rest);
    if (this.#mode === "text") return rest;
    if (this.#mode !== "maybe_call") return "";
    const split = splitCall(rest, this.toolNames);
    this.#calls.push(...split.calls);
    return split.text;
  }

  /** Skips to the end of reasoning or a tool call. Returns false if the end has not arrived yet. */
  #skip(mode: keyof typeof ENDS): boolean {
    const end = ENDS[mode].exec(this.#held);
    if (!end) {
      if (mode !== "call") this.#held = this.#held.slice(-300);
      else if (this.#held.length > CALL_CHARACTERS_MAX) this.#held = "";
      return false;
    }
    if (mode === "call")
      this.#keepCalls(this.#call + this.#held.slice(0, end.index + end[0].length));
    if (mode === "thought") this.hasWholeThought = true;
    this.#held = this.#held.slice(end.index + end[0].length);
    this.#mode = "text";
    return true;
  }

  #keepCalls(text: string): void {
    this.#calls.push(...readWrittenCalls(text, this.toolNames));
  }

  #nextMarker(): Marker | null {
    const found: Marker[] = [];
    const find = (kind: Marker["kind"], pattern: RegExp) => {
      const match = pattern.exec(this.#held);
      if (match) found.push({ kind, at: match.index, text: match[0] });
    };
    if (/[<[◁]/u.test(this.#held)) {
      find("thought", THOUGHT_BEGIN);
      find("thought_end", THOUGHT_END);
      find("call", CALL_BEGIN);
      find("token", TOKEN);
    }
    const begin = beginOfCall(this.#held, this.toolNames);
    if (begin !== null) found.push({ kind: "maybe_call", at: begin, text: "" });
    const [first] = found.sort((a, b) => a.at - b.at);
    if (!first || this.#mayBeMore(first)) return null;
    const isChannel = first.kind === "thought" && /^<\|channel/iu.test(first.text);
    return isChannel ? { ...first, kind: "channel" } : first;
  }

  /** True for a token that may still be incomplete. */
  #mayBeMore({ kind, at }: Marker): boolean {
    if (kind !== "token" && kind !== "call") return false;
    const rest = this.#held.slice(at);
    return UNFINISHED_TOKEN.test(rest);
  }

  #takeSure(): string {
    const token = this.#held.search(/<\|(?:channel|(?:im_)?start|start_header_id)\|>/iu);
    const isToken = token >= 0 && UNFINISHED_TOKEN.test(this.#held.slice(token));
    const unfinished = isToken ? token : (UNFINISHED.exec(this.#held)?.index ?? this.#held.length);
    const name = /\[?([\p{L}_][\w.-]*)$/u.exec(this.#held.slice(0, unfinished));
    const isName = name && this.toolNames.some((tool) => tool.startsWith(name[1] ?? ""));
    const sure = isName ? name.index : unfinished;
    const text = this.#held.slice(0, sure);
    this.#held = this.#held.slice(sure);
    return text;
  }
}
