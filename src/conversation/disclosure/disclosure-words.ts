/**
 * Checks if a text discloses that an AI speaks and that the call is recorded. It looks for each language's
 * usual words and rejects "not recorded" and "no robot". Pure: the dashboard shows the same result during
 * editing.
 */
import type { AgentLanguage } from "../../features/agent/agent.ts";

interface Disclosed {
  /** True if the text discloses an AI. */
  readonly ai: boolean;
  /** True if the text discloses the recording. */
  readonly recorded: boolean;
}

interface Words {
  readonly ai: RegExp;
  readonly notAi: RegExp;
  readonly recorded: RegExp;
  readonly notRecorded: RegExp;
}

/** `\b` does not treat letters with diacritics as letters. */
const from = "(?<![\\p{L}\\p{N}])";
const until = "(?![\\p{L}\\p{N}])";
const find = (pattern: string) => new RegExp(pattern, "u");

const WORDS: Readonly<Record<AgentLanguage, Words>> = {
  en: {
    ai: find(
      `${from}(?:ai|a\\.i\\.|artificial intelligence|(?:virtual|digital|automated|automatic|computer|voice) (?:\\p{L}+ )?(?:assistant|agent|receptionist|operator|system|attendant|voice)|(?:chat|voice)?bot|robot|computer|machine)${until}`,
    ),
    notAi: find(
      `${from}(?:not (?:an? |talking to an? )?|no |isn't an? |never an? )(?:ai|bot|robot|computer|machine|virtual|automated)${until}`,
    ),
    recorded: find(
      `${from}(?:calls?|conversations?|line|we|this|be|being|is|are)${until}[^.!?]{0,60}${from}record(?:ed|ing|s)?${until}|${from}record(?:ing)? (?:this|the|your|our|all|these|every) (?:phone )?(?:calls?|conversations?)`,
    ),
    notRecorded: find(
      `(?:${from}(?:not|never|no|without)|n't)${until} (?:be |being |is |are )?(?:\\p{L}+ )?record|for the record|medical record`,
    ),
  },
  lt: {
    ai: find(
      `${from}(?:(?:virtual|skaitmenin|automatin|balso|kompiuterin)\\p{L}* (?:\\p{L}+ )?(?:asistent|padėjėj|agent|administrator|registrator|konsultant|darbuotoj|sistem|bals)|dirbtin\\p{L}* intelekt|robot|pokalbių robot|(?:di|ai)${until})`,
    ),
    notAi: find(`${from}(?:ne|nesu|nėra|ne su) (?:\\p{L}+ )?(?:robot|dirbtin|virtual|di${until})`),
    recorded: find(
      `${from}(?:pokalb|skambu|ryš|linij|jūsų žodž)\\p{L}*[^.!?]{0,60}${from}įraš|${from}įraš\\p{L}*[^.!?]{0,40}${from}(?:pokalb|skambu)`,
    ),
    notRecorded: find(`${from}neįraš|${from}(?:nėra|nebus) įraš`),
  },
  lv: {
    ai: find(
      `${from}(?:(?:virtuāl|digitāl|automātisk|balss|datora)\\p{L}* (?:\\p{L}+ )?(?:asistent|palī[gd]|aģent|administrator|konsultant|operator|sistēm|bals)|mākslīg\\p{L}* intelekt|robot|(?:mi|ai)${until})`,
    ),
    notAi: find(`${from}(?:ne|neesmu|nav|ne ar) (?:\\p{L}+ )?(?:robot|mākslīg|virtuāl)`),
    recorded: find(
      `${from}(?:sarun|zvan|līnij)\\p{L}*[^.!?]{0,60}${from}ierakst|${from}ierakst\\p{L}*[^.!?]{0,40}${from}(?:sarun|zvan)`,
    ),
    notRecorded: find(`${from}neierakst|${from}(?:netiek|nav|netiks) ierakst`),
  },
  ru: {
    ai: find(
      `${from}(?:(?:виртуальн|цифров|голосов|автоматическ|электронн|компьютерн)\\p{L}* (?:\\p{L}+ )?(?:ассистент|помощни|агент|оператор|консультант|администратор|секретар|систем|голос)|искусственн\\p{L}* интеллект|робот|(?:чат-?)?бот\\p{L}{0,2}${until}|ии${until})`,
    ),
    notAi: find(`${from}не (?:с )?(?:робот|бот|искусственн|виртуальн)`),
    recorded: find(
      `${from}(?:разговор|звон|бесед|лини)\\p{L}*[^.!?]{0,60}${from}запис(?:ыва|ан|ь)|${from}записыва\\p{L}*[^.!?]{0,40}${from}(?:разговор|звон|бесед)|${from}вед[её]тся запись`,
    ),
    notRecorded: find(
      `${from}не (?:будет )?записыва|${from}(?:запись|записи) не вед|${from}запись на|без записи`,
    ),
  },
};

const SENTENCE = /(?<=[.!?…])\s+/;

export function disclosedBy(text: string, language: AgentLanguage): Disclosed {
  const words = WORDS[language];
  const sentences = text
    .normalize("NFC")
    .toLocaleLowerCase()
    .replace(/[’‘ʼ´`]/g, "'")
    .split(SENTENCE);
  return {
    ai: sentences.some((sentence) => words.ai.test(sentence) && !words.notAi.test(sentence)),
    recorded: sentences.some(
      (sentence) => words.recorded.test(sentence) && !words.notRecorded.test(sentence),
    ),
  };
}

/**
 * The fewest first sentences of `message` that disclose everything `disclosure` does. Null if they do not, or
 * if `disclosure` discloses nothing.
 */
export function disclosingStart(
  message: string,
  disclosure: string,
  language: AgentLanguage,
): { readonly start: string; readonly remainder: string } | null {
  const wanted = disclosedBy(disclosure, language);
  if (!wanted.ai && !wanted.recorded) return null;
  const sentences = message.split(SENTENCE);
  for (let count = 1; count <= sentences.length; count++) {
    const start = sentences.slice(0, count).join(" ");
    const spokenWords = disclosedBy(start, language);
    const saysAll = (spokenWords.ai || !wanted.ai) && (spokenWords.recorded || !wanted.recorded);
    if (saysAll) return { start, remainder: sentences.slice(count).join(" ") };
  }
  return null;
}
