/**
 * Sentences for the caller if a model's answer is incomplete, instead of half a sentence or
 * silence.
 */
import { textsOf } from "../../core/texts.ts";
import texts from "./unfinished-texts.json" with { type: "json" };

/** By the reason: the answer was cut at its limit, it has no words, or the provider withheld it. */
export const UNFINISHED = textsOf(texts);
