/** All phrases of the scripted agent, per language. `{…}` is a placeholder. */
import { type TextsOf, textsOf } from "../../../core/texts.ts";
import texts from "./phrase-texts.json" with { type: "json" };

export type Phrases = TextsOf<typeof texts>;

export const PHRASES = textsOf(texts);
