/** Word lists for turn-taking per language, and word counting. */
import type { AgentLanguage } from "../features/agent/agent.ts";

/** Words that no sentence ends with: the caller is still looking for the next word. */
const CONTINUATIONS: Readonly<Record<AgentLanguage, readonly string[]>> = {
  en: "a an the and or but so because if when that which who to of for from with in on at by about my your our their his her is are was were am will would can could should do does i we you they it's i'm um uh er like then as than".split(
    " ",
  ),
  lt: "ir ar bet o nes kad jei jeigu kai kuris kuri į iš su be prie prieš po per nuo iki apie už dėl mano jūsų mūsų yra buvo noriu norėčiau galiu man aš mes jūs ee em".split(
    " ",
  ),
  lv: "un vai bet jo ka ja kad kurš kura uz no ar bez pie pirms pēc caur līdz par mans mana jūsu mūsu ir bija gribu vēlos varu man es mēs jūs ee em".split(
    " ",
  ),
  ru: "и или но а потому что если когда который которая в во на из с со без к ко до по от для о об за мой моя ваш наш я мы вы он она они хочу могу мне бы э эм ну".split(
    " ",
  ),
};

/** Back-channel words of a listener who does not want the turn. */
const BACK_CHANNELS: Readonly<Record<AgentLanguage, readonly string[]>> = {
  en: "mhm mm mmm hm hmm mm-hmm mm-hm uh-huh uhuh uh huh aha ah oh yeah yes yep yup ok okay right alright all sure fine cool great exactly got it i see understand".split(
    " ",
  ),
  lt: "mhm mm mmm hm aha taip jo ok okay gerai aišku suprantu supratau žinoma puiku nu".split(" "),
  lv: "mhm mm mmm hm aha jā ok okay labi skaidrs saprotu sapratu protams nu".split(" "),
  ru: "мгм мм ммм хм угу ага да так ок окей ясно понятно понял поняла хорошо ладно точно ну".split(
    " ",
  ),
};

/** Words that claim the turn even if they are short. */
const CLAIMS: Readonly<Record<AgentLanguage, readonly string[]>> = {
  en: "stop wait hold sorry excuse pardon no hello listen enough".split(" "),
  lt: "stop palauk palaukit palaukite luktelėkit minutėlę ne atsiprašau alio klausykit užteks".split(
    " ",
  ),
  lv: "stop pagaidi pagaidiet nē atvainojiet hallo klausieties pietiek".split(" "),
  ru: "стоп подожди подождите погоди погодите постойте минутку нет извините простите алло хватит".split(
    " ",
  ),
};

/** Stems of number words; digits count as well. */
const NUMBER_STEMS: Readonly<Record<AgentLanguage, readonly string[]>> = {
  en: "zero oh nil one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred double triple plus".split(
    " ",
  ),
  lt: "nul vien du dvi trys tris trij ketur penk šeš septyn aštuon devyn dešimt vienuolik dvylik trylik dvidešimt trisdešimt šimt plius".split(
    " ",
  ),
  lv: "null vien div trīs trij četr piec seš septiņ astoņ deviņ desmit div simt plus".split(" "),
  ru: "ноль нуль один два две три четыр пят шест сем восем дев десят двенадц двадцат тридцат сорок пятьдесят шестьдесят семьдесят восемьдесят девяност сто двест трист плюс".split(
    " ",
  ),
};
/** This many number words at the end of an utterance are a dictated number. */
const DICTATED_WORDS_MIN = 3;

/** Question words for dictated data: names, numbers, addresses. */
const DICTATED: Readonly<Record<AgentLanguage, RegExp>> = {
  en: /\b(name|spell|number|address|e-?mail|postcode|zip|code)\b/,
  lt: /(vard|pavard|numer|adres|\bkod(?!ėl)|paštas|pašto)/,
  lv: /(vārd|uzvārd|numur|adres|kods|kodu|e-past|past[uas]\b)/,
  ru: /(имя|имени|зовут|фамили|номер|адрес|код|почт(?!и))/,
};
const ASKS: Readonly<Record<AgentLanguage, RegExp>> = {
  en: /(\?|\b(please|tell|give|say|spell|enter)\b)/,
  lt: /(\?|prašau|prašom|pasakykit|padiktuokit|nurodykit)/,
  lv: /(\?|lūdzu|pasakiet|nosauciet|nodiktējiet)/,
  ru: /(\?|пожалуйста|скажите|назовите|продиктуйте)/,
};

const SENTENCE_END = /[.!?…]["'»”)]*$/;

export function wordsOf(text: string): string[] {
  return text.toLocaleLowerCase().match(/[\p{L}\p{N}'-]+/gu) ?? [];
}

/** True if the words so far could be a complete sentence. */
export function soundsFinished(text: string, language: AgentLanguage): boolean {
  if (SENTENCE_END.test(text.trim())) return true;
  const last = wordsOf(text).at(-1);
  return last !== undefined && !CONTINUATIONS[language].includes(last);
}

/** True if the last words are enough figures for a dictated number. */
export function isDictating(text: string, language: AgentLanguage): boolean {
  const words = wordsOf(text);
  const stems = NUMBER_STEMS[language];
  const isNumber = (word: string) =>
    /^\d+$/.test(word) || stems.some((stem) => word.startsWith(stem));
  const dictated = words.length - (words.findLastIndex((word) => !isNumber(word)) + 1);
  const figures = words.slice(words.length - dictated).join("");
  return dictated >= DICTATED_WORDS_MIN || (/^\d+$/.test(figures) && figures.length >= 4);
}

/** True if the agent's words ask for something that people dictate. */
export function asksForDictation(text: string, language: AgentLanguage): boolean {
  const last =
    text
      .toLocaleLowerCase()
      .trim()
      .split(/(?<=[.!?…])\s+/)
      .at(-1) ?? "";
  return DICTATED[language].test(last) && ASKS[language].test(last);
}

/** True for a non-empty text whose words are all of the "mhm, yes, I see" kind. */
export function isBackChannel(text: string, language: AgentLanguage): boolean {
  const words = wordsOf(text);
  return words.length > 0 && words.every((word) => BACK_CHANNELS[language].includes(word));
}

/** True for words that claim the turn: "stop", "wait a moment". */
export function claimsTurn(text: string, language: AgentLanguage): boolean {
  return wordsOf(text).some((word) => CLAIMS[language].includes(word));
}
