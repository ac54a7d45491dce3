/**
 * `bun bench/understanding/phrases.ts [lt|lv|ru [kind …]]`: how many of the phrases that callers say in Lithuanian, Latvian and
 * Russian are understood, and how much of what is on no list is refused, by kind, as if its kind were switched
 * on. Some ten minutes of one core a language. `closed-languages.ts` has what came of it.
 */
import {
  type ClosedLanguage,
  kindOfCommand,
  type MeasuredKind,
} from "../../src/adapter/engine/embedded/closed-languages.ts";
import { parseDate } from "../../src/adapter/engine/embedded/scripted/dates.ts";
import { evidencedIntent } from "../../src/adapter/engine/embedded/scripted/intents.ts";
import {
  type KnowledgeEntry,
  parseKnowledge,
} from "../../src/adapter/engine/embedded/scripted/knowledge.ts";
import { DIGIT_WORDS, LEXICON } from "../../src/adapter/engine/embedded/scripted/lexicon.ts";
import { Topics } from "../../src/adapter/engine/embedded/scripted/topics.ts";
import { wordsOf } from "../../src/adapter/engine/embedded/scripted/words.ts";
import type { ExpectedAnswer } from "../../src/domain/conversation/engine-port.ts";
import { createVoices, JUDGING_CALLERS_OF, type Voices } from "./callers.ts";
import { NUMBERS, SAID } from "./closed-phrases.ts";
import { createLaboratory, type Hearing, type Laboratory } from "./trials.ts";

interface Phrase {
  readonly kind: MeasuredKind;
  readonly said: string;
  /** What it means. Null: it is on no list. */
  readonly meant: string | null;
}

const EXPECTED: Readonly<Record<MeasuredKind, ExpectedAnswer>> = {
  commands: "open",
  short_commands: "open",
  questions: "open",
  yes_no: "yes_no",
  digits: "digits",
  date: "date",
};

/** What is listened for at the same time. */
const KINDS_WITH: Readonly<Record<MeasuredKind, readonly MeasuredKind[]>> = {
  commands: ["commands", "questions"],
  short_commands: ["short_commands", "commands", "questions"],
  questions: ["commands", "questions"],
  yes_no: ["yes_no", "commands"],
  digits: ["digits", "commands"],
  date: ["date", "commands"],
};

function phrasesOf(language: ClosedLanguage): Phrase[] {
  const { yes, no, ...commands } = LEXICON[language];
  const { questions, days, otherSentences, otherWords } = SAID[language];
  const numbers = NUMBERS.map((digits) => [
    [...digits].map((digit) => DIGIT_WORDS[language][Number(digit)]).join(" "),
    digits,
  ]);
  const of = (
    kind: MeasuredKind,
    said: readonly string[],
    meant: (said: string) => string | null,
  ) => said.map((each) => ({ kind, said: each, meant: meant(each) }));
  const others = (kind: MeasuredKind) =>
    of(
      kind,
      EXPECTED[kind] === "open" ? [...otherSentences, ...otherWords] : otherWords,
      () => null,
    );
  return [
    ...of("yes_no", yes, () => "yes"),
    ...of("yes_no", no, () => "no"),
    ...Object.entries(commands).flatMap(([intent, phrases]) =>
      phrases.flatMap((phrase) => of(kindOfCommand(phrase), [phrase], () => intent)),
    ),
    ...of("questions", questions, (question) => question),
    ...numbers.flatMap(([said = "", digits = ""]) => of("digits", [said], () => digits)),
    ...of("date", days, (day) => parseDate(day, language, 0)),
    ...(["commands", "short_commands", "yes_no", "digits", "date"] as const).flatMap(others),
  ];
}

/** What was understood of it, whether or not it was meant. Null: nothing. */
function meaningOf(
  { text, confidence }: Hearing,
  kind: MeasuredKind,
  language: ClosedLanguage,
  topics: Topics,
): string | null {
  const intent = evidencedIntent(text, confidence, language)?.intent ?? null;
  if (intent !== null || kind === "yes_no") return intent;
  if (kind === "date") return parseDate(text, language, 0);
  if (kind === "digits") {
    const digits = wordsOf(text, language).map((word) => DIGIT_WORDS[language].indexOf(word));
    return digits.filter((digit) => digit >= 0).join("") || null;
  }
  const finding = topics.find(text, confidence);
  return finding.zone === "unknown" ? null : finding.topic.title;
}

async function measure(voices: Voices, laboratory: Laboratory, language: ClosedLanguage) {
  const knowledge = knowledgeOf(SAID[language].questions);
  const topics = new Topics(knowledge, [], language);
  const trials = [];
  for (const phrase of phrasesOf(language).filter(({ kind }) => isWanted(kind)))
    for (const caller of JUDGING_CALLERS_OF[language]) {
      const pcm = voices.say(caller, phrase.said);
      if (pcm === null) continue;
      const listening = {
        language,
        knowledge,
        expected: EXPECTED[phrase.kind],
        kinds: KINDS_WITH[phrase.kind],
      };
      const heard = await laboratory.listen(listening, pcm, trials.length + 1);
      const understood = meaningOf(heard, phrase.kind, language, topics);
      trials.push({ ...phrase, caller: caller.name, heard: heard.text, understood });
    }
  return trials;
}

const [only, ...kindsOnly] = process.argv.slice(2);
const isWanted = (kind: MeasuredKind) => kindsOnly.length === 0 || kindsOnly.includes(kind);

function knowledgeOf(questions: readonly string[]): readonly KnowledgeEntry[] {
  const content = questions.map((question, at) => `## ${question}\n${at}.\n`).join("\n");
  return parseKnowledge([{ filename: "faq.md", format: "md", content }]);
}

const [voices, laboratory] = await Promise.all([createVoices(), createLaboratory()]);
for (const language of ["lt", "lv", "ru"] as const) {
  if (only !== undefined && only !== language) continue;
  const trials = await measure(voices, laboratory, language);
  const kinds = Object.groupBy(
    trials,
    ({ kind, meant }) => `${kind}${meant === null ? ", others" : ""}`,
  );
  for (const [kind, those = []] of Object.entries(kinds)) {
    const missed = those.filter(({ meant, understood }) => understood !== meant);
    const wrong = missed.filter(({ understood }) => understood !== null).length;
    const right = those.length - missed.length;
    console.log(`${language} ${kind}: ${right} of ${those.length}, ${wrong} taken for another`);
    for (const { caller, said, heard } of missed) console.log(`  ${caller}: ${said} → ${heard}`);
  }
}
process.exit(0);
