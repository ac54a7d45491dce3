/**
 * Classifies the words of an outbound call's answer. A voicemail asks to leave a message, a network announces
 * that the subscriber is unavailable, a screening service asks who is calling. All four languages are
 * checked, because a voicemail speaks the network's language.
 *
 * A question never counts as a machine. Neither does a sentence in which the speaker refers to themselves or
 * to a third person ("she is out"). The exception is a request to record.
 */
import { wordsOf } from "../words.ts";

type GreetingKind = "machine" | "screening" | null;

/**
 * Word stems in order, with at most two other words between them. `/` separates variants, `=` marks a whole
 * word. These ask the caller to speak to a recorder.
 */
const REQUESTS: readonly string[] = [
  "leave message/name/number/detail/voicemail",
  "record message/name",
  "palik=/palikit=/palikite=/palikti=/palikdami žinut/pranešim/numer/vard",
  "įrašykit žinut/pranešim",
  "atstāj=/atstājiet/atstājat/atstāt=/atstātu ziņ/vārd/numur/tālruņ",
  "ierunājiet ziņ/vārd",
  "оставьте/оставляйте/оставить/оставите сообщен/имя/номер/голосов",
  "запишите сообщен",
];

/** Signals to start speaking. */
const SIGNALS: readonly string[] = [
  "after/at/following/for tone/beep/signal/bleep",
  "po= signal/pypt/garsin",
  "išgird signal/pypt",
  "laukite signal",
  "pēc signāl/pīkst/toņ/skaņ",
  "gaidiet signāl",
  "после сигнал/гудк/тон=/тона=",
  "дождитесь сигнал/гудк",
];

const MAILBOXES: readonly string[] = [
  "voicemail",
  "voice mail/mailbox/messag",
  "mailbox",
  "answering machine/service",
  "balso pašt",
  "autoatsakikl",
  "balss past",
  "automātisk atbildētāj",
  "autoatbildētāj",
  "голосов почт/ящик/меню/сообщен",
  "автоответчик",
];

const ANNOUNCEMENTS: readonly string[] = [
  "number/person/party/customer/subscriber/phone/extension/user you dial/call/reach not/isn't/unavailable/cannot/can't/may/busy/switched/turned/disconnected/changed/does/unable/currently/temporarily",
  "number/person/party/customer/subscriber/phone/extension/user you try/tri reach/call not/isn't/unavailable/cannot/can't/may/busy/switched/turned/disconnected/changed/does/unable/currently/temporarily",
  "number not/out service",
  "number disconnected",
  "no longer service/use=",
  "your call forward/divert/redirect/completed/important/recorded",
  "not/unable/can't/cannot/available take your call",
  "no/nobody available take",
  "come to phone",
  "subscriber/customer not/cannot/unavailable/currently",
  "try your call",
  "abonent",
  "rinkt/renkam/surinkt/skambinam numer",
  "numer neegzist/neaptarn/nebenaud/nenaud/išjungt/atjungt",
  "kuriuo/kuriam/kuriai skambin",
  "skambut peradres/nukreip/persiun",
  "atsiliep/atsakyti jūsų skambut",
  "ryšio/aprėpties/tinklo zon/rib",
  "sastādīt/izvēlēt numur",
  "numur neeksist/nepast/netiek/atslēg",
  "kurai/kuram/kuru zvan",
  "zvans pāradres/novirz",
  "atbild jūsu zvan",
  "ārpus zon/tīkl/uztver/darb",
  "абонент",
  "набран/вызываем/данн номер",
  "номер не= обслуж/существ/зарегистр/использ/подключ",
  "номер заблок/отключ/недоступ",
  "вне зоны",
  "ваш звонок/вызов переадрес/перенаправ/направ/важен",
  "ответить ваш звонок/вызов",
];

/** Phrases before a request: the speaker wants to leave a message, or mentions one. */
const OWN_WISH =
  /(?<![\p{L}'])(?:(?:i|we) (?:want|need|will|would|can|could|should|might|may|just|tried|did)|(?:i|we)['’](?:ll|d)|(?:let|asked|told|tell) (?:me|us)|do not|(?:do|did)n['’]t|never|rather|noriu|norėčiau|galiu|galėčiau|turiu|leiskit\p{L}*|gribu|gribētu|vēlos|vēlētos|varu|хочу|хотел[аи]?|могу|можно|мог|нужно|надо)(?: (?!you(?!\p{L})|jūs|jus|вы(?!\p{L}))[\p{L}']+){0,2} (?:leave|record|palikti|atstāt|оставить)(?!\p{L})/giu;
const LEAVE_OWN = /(?<!\p{L})leave (?:my|his|her|their)(?!\p{L})/giu;

/** A person offers to pass the message on. */
const PASSES_ON =
  /(?<!\p{L})(?:with me|(?:i['’]ll|i will) (?:pass|tell|let|give|make|note|write)|perduosi|pasakysiu|užrašysiu|nodošu|pateikšu|pierakstīšu|передам|скажу|запишу)/iu;

const PERSONAL = new Set(
  "i i'm i'll i'd i've me my mine myself he she he's she's him her his aš man mane mano manęs jis ji jam jai jį ją esu negaliu galiu klausiau išklausiau es man mani mana mans manu manam manā viņš viņa viņam viņai viņu esmu varu nevaru saņēmu я мне меня мной мой моя моё мое мою моей он она его её ее ей ему".split(
    " ",
  ),
);
/** Lithuanian and Latvian past-tense verbs in the first person: "gavau", "klausiausi", "dzirdēju", "klausījos". */
const FIRST_PERSON_PAST = /(?:(?<!i)(?<!^j)au|ausi|ju|jos)$/u;

/** A speaker who uses these words talks about a mailbox and is not one. */
const ABOUT_MAILBOX = new Set(
  "not never no isn't wasn't aren't got heard received listened missed left was were went ne nėra nav не нет".split(
    " ",
  ),
);
const RUSSIAN_PAST = /[а-яё](?:л|ла)$/u;
const SPOKE = new Set("left spoke said heard recorded waited".split(" "));

const OPENS_QUESTION = new Set(
  "are is am do does did can could may shall should would will what who whose where why how which ar gal kas kur kada kodėl koks kokia kuo vai kāpēc kā ko кто что где когда почему зачем можно".split(
    " ",
  ),
);

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

const REQUEST_PATTERNS = compile(REQUESTS);
const SIGNAL_PATTERNS = compile(SIGNALS);
const MAILBOX_PATTERNS = compile(MAILBOXES);
const ANNOUNCEMENT_PATTERNS = compile(ANNOUNCEMENTS);
const SCREENING_PATTERNS = compile(SCREENING);

/** Checks screening first: "say your name and why you are calling" may also mention a message. */
export function greetingKindOf(text: string): GreetingKind {
  if (occurs(SCREENING_PATTERNS, wordsOf(text))) return "screening";
  const sentences = text.match(/[^.!?…;:\n]+[.!?…;:]*/gu) ?? [];
  return sentences.some(isOfMachine) ? "machine" : null;
}

/** True if the text asks to speak after a signal or to leave a message. */
function isOfMachine(sentence: string): boolean {
  const words = wordsOf(sentence);
  const [first = "", second = ""] = words;
  const isOpened = OPENS_QUESTION.has(first) && second !== "not";
  if (sentence.includes("?") || isOpened) return false;
  const isPast = words.some((word) => FIRST_PERSON_PAST.test(word) || SPOKE.has(word));
  const isRussianPast = words.some((word) => RUSSIAN_PAST.test(word));
  if (!isPast && !isRussianPast && occurs(SIGNAL_PATTERNS, words)) return true;
  const requested = wordsOf(sentence.replace(OWN_WISH, " ").replace(LEAVE_OWN, " "));
  if (!PASSES_ON.test(sentence) && occurs(REQUEST_PATTERNS, requested)) return true;
  if (isPast || words.some((word) => PERSONAL.has(word))) return false;
  if (occurs(ANNOUNCEMENT_PATTERNS, words)) return true;
  const isAbout = isRussianPast || words.some((word) => ABOUT_MAILBOX.has(word));
  return !isAbout && occurs(MAILBOX_PATTERNS, words);
}

function occurs(patterns: readonly Pattern[], words: readonly string[]): boolean {
  return patterns.some((pattern) => words.some((_, start) => matchesFrom(pattern, words, start)));
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
    if (word !== undefined && stems.some((stem) => isWordOf(stem, word))) return index;
  }
  return -1;
}

const isWordOf = (stem: string, word: string): boolean =>
  stem.endsWith("=") ? word === stem.slice(0, -1) : word.startsWith(stem);
