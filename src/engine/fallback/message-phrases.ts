/** Phrases, spoken and written, for taking a message when no model answers. */
import { type TextsOf, textsOf } from "../../core/texts.ts";
import texts from "./message-texts.json" with { type: "json" };

export type MessagePhrases = TextsOf<typeof texts>;

export const MESSAGE_PHRASES = textsOf(texts);
