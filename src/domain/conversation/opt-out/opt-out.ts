/**
 * "Press 9 if you do not want to be called again": whether the agent has offered the key, and whether
 * a 9 now means that or belongs to a number that the agent asks for. All four languages at once: an
 * agent may change its language in a call.
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
/** What a 9 could be a part of, or an answer to. */
const ASKS_FOR_KEYS: readonly RegExp[] = [
  /\b(press|push|hit|dial|key in|enter|type|rate|rating|score|keypad|number|code|digits?)\b/,
  /(spausk|spustel|surink|įvesk|įvertin|balais|balų|klaviat|numer|kod[ąoui]|skaitmen)/,
  /(spied|ievad|novērt|ballē|tastat|numur|kod[ua]|cipar)/,
  /(нажм|нажат|набер|введ|оцен|балл|клавиат|номер|код|цифр)/,
];

const any = (patterns: readonly RegExp[], text: string) =>
  patterns.some((pattern) => pattern.test(text));

/** A question stays with the sentence after it: "No more calls? Press 9." */
const sentencesOf = (text: string) =>
  text
    .toLocaleLowerCase()
    .replace(/[’‘ʼ´`]/g, "'")
    .split(/(?<=[.!…])\s+/);

const isOffer = (sentence: string) =>
  any(KEYS, sentence) && NINE.test(sentence) && any(NO_MORE_CALLS, sentence);

/** True for a text that offers the key 9 against further calls. */
export const offersOptOut = (text: string): boolean => sentencesOf(text).some(isOffer);

/** True for a text that asks for keys, a number or a rating, the offer above aside. */
export const asksForKeys = (text: string): boolean =>
  sentencesOf(text).some((sentence) => !isOffer(sentence) && any(ASKS_FOR_KEYS, sentence));

/** Follows one conversation. */
export class OptOut {
  #offered = false;
  #turn = "";

  /** The agent answers something new: what it asked for before is answered. */
  agentTurnBegins(): void {
    this.#turn = "";
  }

  /** A piece of the agent's words. */
  agentSaid(text: string): void {
    this.#turn = `${this.#turn} ${text}`.slice(-TURN_CHARACTERS_MAX);
    this.#offered ||= offersOptOut(this.#turn);
  }

  /** A first key: it refuses further calls. */
  isMeantBy(key: string): boolean {
    return key === OPT_OUT_KEY && this.#offered && !asksForKeys(this.#turn);
  }
}

const TURN_CHARACTERS_MAX = 2_000;
