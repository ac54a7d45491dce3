/**
 * "Press 9 if you do not want to be called again": tracks if the agent offered the key, and if a 9 now means
 * that or belongs to a requested number. All four languages are checked, because an agent may switch its
 * language.
 */
const OPT_OUT_KEY = "9";

const KEYS: readonly RegExp[] = [
  /\b(press|push|hit|dial|key|enter|type)\b/,
  /(spausk|spustel|surink|įvesk)/,
  /(spied|ievad)/,
  /(нажм|нажат|набер|введ)/,
];
const NINE = /(?<!\d)9(?!\d)|\bnine\b|devyn|deviņ|девят/;
const NO_MORE_CALLS: readonly RegExp[] = [
  /(\b(not|never|no longer|no more|no further|without|stop|refuse|remove)|n't)\b.*\b(call(s|ed|ing)?|phone[ds]?|contact(ed)?|list)\b|\bopt(ing)?[ -]?out\b|\bunsubscribe\b/,
  /(nebe|ne)skamb|nenor\p{L}*.*(skamb)|atsisak\p{L}*.*(skamb)|be skambuč/u,
  /(vairs )?nezv\p{L}*|nevēl\p{L}*.*zv[aā]n|atteik\p{L}*.*zv[aā]n/u,
  /не (хотите|желаете)?.*(звон|вызов)|больше не .*звон|отказ\p{L}*.*звон|отпис/u,
];
/** Words that ask for keys: a 9 may then be a part of the answer. */
const ASKS_FOR_KEYS: readonly RegExp[] = [
  /\b(press|push|hit|dial|key in|enter|type|rate|rating|score|keypad|number|code|digits?)\b/,
  /(spausk|spustel|surink|įvesk|įvertin|balais|balų|klaviat|numer|kod[ąoui]|skaitmen)/,
  /(spied|ievad|novērt|ballē|tastat|numur|kod[ua]|cipar)/,
  /(нажм|нажат|набер|введ|оцен|балл|клавиат|номер|код|цифр)/,
];

const any = (patterns: readonly RegExp[], text: string) =>
  patterns.some((pattern) => pattern.test(text));

/** Keeps a question together with the next sentence: "No more calls? Press 9." */
const sentencesOf = (text: string) =>
  text
    .toLocaleLowerCase()
    .replace(/[’‘ʼ´`]/g, "'")
    .split(/(?<=[.!…])\s+/);

const isOffer = (sentence: string) =>
  any(KEYS, sentence) && NINE.test(sentence) && any(NO_MORE_CALLS, sentence);

/** True if the text offers the key 9 to refuse further calls. */
export const offersOptOut = (text: string): boolean => sentencesOf(text).some(isOffer);

/** True if the text asks for keys, a number or a rating, apart from the offer above. */
export const asksForKeys = (text: string): boolean =>
  sentencesOf(text).some((sentence) => !isOffer(sentence) && any(ASKS_FOR_KEYS, sentence));

/** State of one conversation. */
export class OptOut {
  #offered = false;
  #turn = "";

  /** A new agent turn begins, so earlier requests for keys no longer count. */
  agentTurnBegins(): void {
    this.#turn = "";
  }

  /** Adds a piece of the agent's words. */
  agentSaid(text: string): void {
    this.#turn = `${this.#turn} ${text}`.slice(-TURN_CHARACTERS_MAX);
    this.#offered ||= offersOptOut(this.#turn);
  }

  /** True if this first key refuses further calls. */
  isMeantBy(key: string): boolean {
    return key === OPT_OUT_KEY && this.#offered && !asksForKeys(this.#turn);
  }
}

const TURN_CHARACTERS_MAX = 2_000;
