/**
 * Hints for a transcription model in addition to the audio: the language, names, a prompt. OpenAI's
 * types define which model takes which (openai 7.57.0: resources/realtime/realtime.d.ts
 * `AudioTranscription`, resources/audio/transcriptions.d.ts). gpt-transcribe and
 * gpt-live-transcribe take `languages` and `keywords`. Older models and self-hosted servers take
 * `language`, with names in the `prompt`.
 *
 * A rejected hint is not sent again: transcription without it is better than none.
 */
import type { JsonObject } from "../core/json.ts";

type Hint = "language" | "keywords" | "prompt";

interface TranscriptionRequest {
  readonly model: string;
  readonly language: string;
  readonly keywords: readonly string[];
  /** The operator's prompt. */
  readonly prompt: string | null;
}

/** A whisper model reads 224 tokens of its prompt. */
const PROMPT_CHARACTERS_MAX = 600;

const takesLists = (model: string) => /^gpt-(live-)?transcribe/.test(model);
const takesNoPrompt = (model: string) => /^gpt-realtime-whisper|-diarize/.test(model);

/** Models that send words before the audio is committed. */
export const writesWhileSpoken = (model: string): boolean =>
  /^gpt-(live-transcribe|realtime-whisper)/.test(model);

export class TranscriptionHints {
  readonly #refused = new Set<string>();

  /** `transcription` of a session, or fields of a request with a file. */
  fieldsOf({ model, language, keywords, prompt }: TranscriptionRequest): JsonObject {
    const hasLists = takesLists(model);
    const isRefused = (hint: string) => this.#refused.has(hint);
    const names = isRefused("keywords") ? [] : keywords;
    const hasPrompt = !takesNoPrompt(model) && !isRefused("prompt");
    const text = hasPrompt ? promptOf(prompt, hasLists ? [] : names) : "";
    return {
      model,
      ...(isRefused(`language ${language}`)
        ? {}
        : hasLists
          ? { languages: [language] }
          : { language }),
      ...(hasLists && names.length > 0 ? { keywords: [...names] } : {}),
      ...(text === "" ? {} : { prompt: text }),
      ...(model.startsWith("gpt-realtime-whisper") ? { delay: "low" } : {}),
    };
  }

  /** Returns whether the error is about a sent hint. The retry leaves it out. */
  learn(fields: JsonObject, refusal: string): boolean {
    const hint = refusedHint(refusal);
    if (hint === null) return false;
    const { language, languages } = fields;
    const sent = hint === "language" ? (language ?? languages) : fields[hint];
    if (sent === undefined) return false;
    this.#refused.add(hint === "language" ? `language ${String(sent)}` : hint);
    return true;
  }
}

function refusedHint(refusal: string): Hint | null {
  if (/language/i.test(refusal)) return "language";
  if (/keyword/i.test(refusal)) return "keywords";
  return /prompt/i.test(refusal) ? "prompt" : null;
}

function promptOf(prompt: string | null, names: readonly string[]): string {
  let text = prompt ?? "";
  for (const name of names) {
    const longer = text === "" ? name : `${text}, ${name}`;
    if (longer.length > PROMPT_CHARACTERS_MAX) break;
    text = longer;
  }
  return text;
}

/** Whisper models repeat their prompt if the audio contains only noise. */
export function isEchoOfPrompt(text: string, fields: JsonObject): boolean {
  const { prompt } = fields;
  if (typeof prompt !== "string" || !text.includes(",")) return false;
  return plain(text) !== "" && plain(prompt).includes(plain(text));
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
