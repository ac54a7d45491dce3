/**
 * What was said, of two readings of the same sound: one through the graph of the agent's knowledge, which
 * hears that in nearly anything, and one by the neural recogniser, which knows nothing of it. Together
 * they are right far more often than either. `bench/understanding/fit.ts` makes the coefficients.
 */
import { confidenceOf } from "../recogniser/likelihood.ts";
import type { Transcript } from "../recogniser/transcriber/messages.ts";
import { logOddsOf, MARGIN_MAX, ratioFor } from "./acceptance.ts";
import { matchIntent } from "./intents.ts";
import type { Match } from "./retrieval.ts";
import { UNSURE_MIN } from "./topics.ts";
import { wordsOf } from "./words.ts";

interface Reading {
  readonly text: string;
  readonly confidence: number;
}

/** Log odds that the entry which fits a transcript best was meant: constant, evidence, score, margin. */
const OF_TRANSCRIPT = [-1.984, 1.208, 5.948, 4.5] as const;
/** The better reading's log odds; whether both mean the same entry; and then the other's log odds. */
const OF_BOTH = [-0.664, 1.206, 0.4, 0.344] as const;
const UNSURE_ODDS = Math.log(UNSURE_MIN / (1 - UNSURE_MIN));
/** A command that the graph heard so well stands, unless a whole sentence was heard beside it. */
const COMMAND_CONFIDENCE = 0.8;
const SENTENCE_WORDS_MIN = 4;
/** What both heard needs no further question. */
const CONFIDENCE_OF_BOTH = 0.9;

export function chooseReading(
  retrieve: (text: string) => Match | null,
  byGraph: Reading,
  transcript: Transcript,
): Reading {
  const confidence = Math.exp(transcript.evidence);
  const plain = { text: transcript.text, confidence };
  const heard = matchIntent(byGraph.text, "en");
  const written = matchIntent(transcript.text, "en");
  if (heard !== null && heard.intent === written?.intent)
    return { ...plain, confidence: Math.max(byGraph.confidence, confidence, CONFIDENCE_OF_BOTH) };
  const isSentence = wordsOf(transcript.text, "en").length >= SENTENCE_WORDS_MIN;
  if (heard?.whole && byGraph.confidence >= COMMAND_CONFIDENCE && !isSentence) return byGraph;
  if (written !== null) return plain;
  return likelier(retrieve, heard === null ? byGraph : null, transcript) ?? plain;
}

/** By what the knowledge has for them. Null: nothing. */
function likelier(
  retrieve: (text: string) => Match | null,
  byGraph: Reading | null,
  { text, evidence }: Transcript,
): Reading | null {
  const [one, two] = [byGraph === null ? null : retrieve(byGraph.text), retrieve(text)];
  const readings = [];
  if (byGraph !== null && one !== null)
    readings.push({
      text: byGraph.text,
      match: one,
      odds: logOddsOf({ ...one, confidence: byGraph.confidence }),
    });
  if (two !== null) {
    const [constant, byEvidence, byScore, byMargin] = OF_TRANSCRIPT;
    const margin = Math.min(MARGIN_MAX, two.margin);
    const odds = constant + byEvidence * evidence + byScore * two.score + byMargin * margin;
    readings.push({ text, match: two, odds });
  }
  const [best, other] = readings.sort((a, b) => b.odds - a.odds);
  if (best === undefined) return null;
  const [constant, byBest, ifSame, byOther] = OF_BOTH;
  const isSame = other?.match.entry === best.match.entry;
  const odds = constant + byBest * best.odds + (isSame ? ifSame + byOther * other.odds : 0);
  // What the knowledge does not answer was heard better by whoever knows more than that.
  if (odds < UNSURE_ODDS && best.text !== text) return likelier(retrieve, null, { text, evidence });
  return { text: best.text, confidence: confidenceOf(ratioFor(odds, best.match)) };
}
