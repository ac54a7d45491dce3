/**
 * Strict grammars for short answers: what is expected, or a row of sounds. English grammars are
 * written by structure; in Lithuanian, Latvian and Russian every phrase is spelt in the nearest
 * English sounds (experimental), its words under names of ours, because a grammar is ASCII.
 */
import type { ExpectedAnswer } from "../../../../domain/conversation/engine-port.ts";
import { type ClosedLanguage, kindOfCommand, type PhraseKind } from "../closed-languages.ts";
import { DIGIT_WORDS, type Intent, LEXICON, NEAR_DAYS, WEEKDAYS } from "../scripted/lexicon.ts";
import { wordsOf } from "../scripted/words.ts";
import type { GrammarSource } from "../speech-messages.ts";
import { arpabetOf } from "./arpabet.ts";
import type { Vocabulary } from "./decoder.ts";
import { FIRST_NAMES } from "./first-names.ts";

export interface ClosedGrammar {
  readonly key: string;
  readonly jsgf: string;
  readonly words: readonly string[];
  readonly vocabulary: Vocabulary;
  /**
   * Likelihood ratios: from the first on it was said; below the second something else was. In lt, lv, ru there is no first, and
   * the second is for each frame that is spoken: silence, however long, would excuse any words.
   */
  readonly ratioSure: number;
  readonly ratioMin: (text: string) => number;
  /** What the caller said, of what the decoder says. */
  textOf(hypothesis: string): string;
}

/** Measured on synthetic callers; borrowed sounds fit worse. */
const ENGLISH_RATIOS = { ratioSure: -5, ratioMin: () => -7 };
/** Of up to two words, and of more. */
const FOREIGN_RATIOS: Readonly<Record<ClosedLanguage, readonly [short: number, long: number]>> = {
  lt: [-15, -27],
  lv: [-22, -20],
  ru: [-19, -18],
};
const EVERYWHERE: readonly Intent[] = ["repeat", "human", "message", "goodbye", "cancel"];

const ONES = "one | two | three | four | five | six | seven | eight | nine";
const TEENS =
  "ten | eleven | twelve | thirteen | fourteen | fifteen | sixteen | seventeen | eighteen | nineteen";
const TENS = "twenty | thirty | forty | fifty | sixty | seventy | eighty | ninety";
const ORDINALS =
  "first | second | third | fourth | fifth | sixth | seventh | eighth | ninth | tenth | eleventh | twelfth | thirteenth | fourteenth | fifteenth | sixteenth | seventeenth | eighteenth | nineteenth | twentieth | twenty first | twenty second | twenty third | twenty fourth | twenty fifth | twenty sixth | twenty seventh | twenty eighth | twenty ninth | thirtieth | thirty first";
const MONTHS =
  "january | february | march | april | may | june | july | august | september | october | november | december";

/** Rules named `ok` are what is expected. */
const ENGLISH_RULES: Readonly<Record<Exclude<ExpectedAnswer, "open" | "keys">, string>> = {
  yes_no: `<ok> = ${either([...LEXICON.en.yes, ...LEXICON.en.no, ...LEXICON.en.listening])};`,
  digits: `<digit> = zero | oh | ${ONES};
<cardinal> = ${TEENS} | (${TENS}) [${ONES}] | (a | ${ONES}) hundred [[and] ((${TENS}) [${ONES}] | ${TEENS} | ${ONES})];
<ok> = [it is] ( /0.7/ ( <digit> | double <digit> )+ | /0.3/ <cardinal> );`,
  date: `<day> = ${WEEKDAYS.en.join(" | ")};
<ordinal> = ${ORDINALS};
<month> = ${MONTHS};
<near> = today | tomorrow | the day after tomorrow | <day> | on <day> | next <day> | this <day>;
<far> = [on] [the] <ordinal> [of] [<month>] | [on] <month> [the] <ordinal>;
<date> = /1/ <near> | /0.00000001/ <far>;
<ok> = [for] <date> [please];`,
  time: `<hour> = ${ONES} | ten | eleven | twelve;
<minute> = o'clock | fifteen | twenty | thirty | forty | forty five | fifty | ten | oh five;
<part> = in the morning | in the afternoon | in the evening | a m | p m;
<ok> = [at] ( <hour> [<minute>] | half past <hour> | quarter past <hour> | quarter to <hour> | noon ) [<part>] [please];`,
  name: `<ok> = [my name is | it is | this is | i am] ( ${FIRST_NAMES.join(" | ")} );`,
};

/** Null where open recognition is needed. */
export function englishGrammar(
  answer: ExpectedAnswer,
  vocabulary: Vocabulary,
): ClosedGrammar | null {
  if (answer === "open" || answer === "keys") return null;
  const commands = EVERYWHERE.flatMap((intent) => LEXICON.en[intent]);
  const rules = `${ENGLISH_RULES[answer]}\n<command> = ${either(commands)};`;
  const words = new Set(
    rules
      .replace(/<[a-z]+>|\/[\d.]+\//g, " ")
      .match(/[a-z']+/g)
      ?.filter((word) => word !== ""),
  );
  return {
    key: `en:${answer}`,
    jsgf: grammarOf(rules, "/0.9/ <ok> | /0.1/ <command>"),
    words: [...words],
    vocabulary,
    ...ENGLISH_RATIOS,
    textOf: withoutSounds,
  };
}

/** Everything a caller may say in lt, lv, ru, as one closed list. Null: nothing is listened for. */
export function phraseGrammar(
  language: ClosedLanguage,
  answer: ExpectedAnswer,
  source: GrammarSource,
  phonemes: (text: string, language: string) => string,
): ClosedGrammar | null {
  const phrases = phrasesFor(language, answer, source);
  if (phrases === null) return null;
  const spoken = new Map<string, string>();
  const nameOf = (word: string) => {
    const name = `${language}_${Buffer.from(word).toString("hex")}`;
    spoken.set(name, word);
    return name;
  };
  const named = (text: string) => wordsOf(text, language).map(nameOf).join(" ");
  const listed = [...new Set(phrases.map(named))].filter((phrase) => phrase !== "");
  if (hasDigits(answer)) listed.push(`( ${DIGIT_WORDS[language].map(nameOf).join(" | ")} )+`);
  const rules = `<ok> = ${either(listed)};`;
  return {
    key: `${language}:${answer}:${answer === "open" ? source.key : source.kinds}`,
    jsgf: grammarOf(rules, "<ok>"),
    words: [...spoken.keys()],
    vocabulary: {
      pronunciations(name) {
        const word = spoken.get(name);
        if (word === undefined) return [];
        const sounds = arpabetOf(phonemes(word, language), language);
        return [sounds === "" ? "AH" : sounds];
      },
    },
    ratioSure: Number.POSITIVE_INFINITY,
    ratioMin: (text) => FOREIGN_RATIOS[language][text.split(" ").length > 2 ? 1 : 0],
    textOf: (hypothesis) =>
      withoutSounds(hypothesis)
        .split(" ")
        .map((name) => spoken.get(name) ?? "")
        .join(" "),
  };
}

/** Beside digits. Null: whatever is said, nothing is heard. */
export function phrasesFor(
  language: ClosedLanguage,
  answer: ExpectedAnswer,
  { kinds, questions }: GrammarSource,
): readonly string[] | null {
  const lexicon = LEXICON[language];
  const hears = (kind: PhraseKind) => kinds.includes(kind);
  const isOpen = answer === "open" || answer === "keys";
  if (!isOpen && !hears(answer)) return null;
  const phrases: string[] = [];
  const { yes, no, ...others } = lexicon;
  if (hears("yes_no")) phrases.push(...yes, ...no);
  const commands =
    answer === "yes_no"
      ? EVERYWHERE.flatMap((intent) => lexicon[intent])
      : Object.values(others).flat();
  phrases.push(...commands.filter((phrase) => hears(kindOfCommand(phrase))));
  if (hears("questions") && answer === "open") phrases.push(...questions);
  if (answer === "date") phrases.push(...WEEKDAYS[language], ...NEAR_DAYS[language]);
  return phrases.length === 0 && !hasDigits(answer) ? null : phrases;
}

const hasDigits = (answer: ExpectedAnswer) => answer === "digits" || answer === "time";

function grammarOf(rules: string, expected: string): string {
  return `#JSGF V1.0;
grammar closed;
public <s> = ${expected};
${rules}`;
}

function either(phrases: readonly string[]): string {
  return phrases.map((phrase) => `( ${phrase} )`).join(" | ");
}

/** Words of a hypothesis, without sounds that were no word and marks of pronunciation variants. */
export function withoutSounds(hypothesis: string): string {
  return hypothesis
    .split(" ")
    .filter((word) => word !== "" && !word.startsWith("g_") && !/^[<[]/.test(word))
    .map((word) => word.replace(/\(\d+\)$/, ""))
    .join(" ");
}
