/**
 * What the words of whoever answers an outbound call give away: an answering machine asks to leave a
 * message, a screening service asks who is calling. In all four languages whatever the agent's is:
 * mailboxes speak the network's language.
 */
import { wordsOf } from "../words.ts";

type GreetingKind = "machine" | "screening" | null;

/** Word stems in this order, with up to two other words between them; `/` separates variants. */
const MACHINE: readonly string[] = [
  // English
  "leave message/name/number",
  "after tone/beep/signal",
  "at tone/beep",
  "voicemail",
  "voice mail/mailbox",
  "mailbox",
  "reached voice/mailbox",
  "not available take",
  "unable take call",
  "can't/cannot come phone",
  "can't/cannot take call",
  "can't/cannot answer phone/call",
  "record message",
  "answering machine/service",
  "call you back",
  "person trying reach",
  // Lithuanian
  "palik žinut",
  "palikit/palikite/palikti/palik žinut/pranešim",
  "po signal",
  "balso pašt",
  "negal atsiliept",
  "negaliu/negalime/negali atsiliept",
  "autoatsakikl",
  "abonent nepasiekiam",
  // Latvian
  "atstāj ziņ",
  "pēc signāl",
  "balss past",
  "nevar atbild",
  "nevaru/nevaram/nevar atbild",
  "automātisk atbildētāj",
  "abonent nav sasniedz",
  // Russian
  "оставьте/оставить/оставляйте сообщени",
  "после сигнал/гудк",
  "голосов почт/сообщен/ящик",
  "автоответчик",
  "не могу/можем/может ответить",
  "абонент недоступен/доступен/отвечает/выключен",
  "вне зоны",
  "номер не обслуживается",
  "абонент не",
];

/** A person who wants to leave a message themselves, in the words of a machine that asks for one. */
const OWN_WISH =
  /(?<![\p{L}'])(?:(?:can|could|may|might) i|let me|i want to|i['’]d like to|i would like to|noriu|norėčiau|galiu|galėčiau|gribu|gribētu|vēlos|varu|хочу|хотел[аи]? бы|могу|можно)(?: \p{L}+)? (?:leave|palikti|atstāt|оставить)(?!\p{L})/giu;

const SCREENING: readonly string[] = [
  "state name",
  "say name",
  "who calling",
  "reason call",
  "why calling",
  "screening service",
  "screening call",
  "call assistant",
  "google assistant",
  "record name and reason",
  // Lithuanian, Latvian, Russian
  "pasakykite vard",
  "kas skambin",
  "kokiu reikal",
  "nosauciet vārd",
  "kas zvana",
  "kādā jautājum",
  "назовите имя/себя",
  "представьтесь",
  "кто звонит",
  "по какому вопрос",
];

const GAP_WORDS_MAX = 2;

type Pattern = readonly (readonly string[])[];

const compile = (lines: readonly string[]): readonly Pattern[] =>
  lines.map((line) => line.split(" ").map((stems) => stems.split("/")));

const MACHINE_PATTERNS = compile(MACHINE);
const SCREENING_PATTERNS = compile(SCREENING);

/** Screening first: "say your name and why you are calling" may well mention a message too. */
export function greetingKindOf(text: string): GreetingKind {
  const words = wordsOf(text.replace(OWN_WISH, " "));
  if (SCREENING_PATTERNS.some((pattern) => occurs(pattern, words))) return "screening";
  return MACHINE_PATTERNS.some((pattern) => occurs(pattern, words)) ? "machine" : null;
}

function occurs(pattern: Pattern, words: readonly string[]): boolean {
  return words.some((_, start) => matchesFrom(pattern, words, start));
}

function matchesFrom(pattern: Pattern, words: readonly string[], start: number): boolean {
  let at = start;
  for (const [index, stems] of pattern.entries()) {
    const last = index === 0 ? at : Math.min(words.length - 1, at + GAP_WORDS_MAX);
    const found = findIn(words, at, last, stems);
    if (found < 0) return false;
    at = found + 1;
  }
  return true;
}

function findIn(
  words: readonly string[],
  first: number,
  last: number,
  stems: readonly string[],
): number {
  for (let index = first; index <= last; index++) {
    const word = words[index];
    if (word !== undefined && stems.some((stem) => word.startsWith(stem))) return index;
  }
  return -1;
}
