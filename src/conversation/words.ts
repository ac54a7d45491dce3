/** Word lists that turn-taking needs, per language; and how words are counted. */
import type { AgentLanguage } from "../agent/agent.ts";

/** Words no sentence ends on: after them the caller is still looking for the next one. */
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

/** What a listener says without wanting the word. */
const BACK_CHANNELS: Readonly<Record<AgentLanguage, readonly string[]>> = {
  en: "mhm mm hmm uh-huh uhuh aha ah oh yeah yes yep ok okay right sure i see".split(" "),
  lt: "mhm mm aha taip jo gerai aišku suprantu nu".split(" "),
  lv: "mhm mm aha jā labi skaidrs saprotu nu".split(" "),
  ru: "мгм мм угу ага да так ясно понятно хорошо ну".split(" "),
};

const SENTENCE_END = /[.!?…]["'»”)]*$/;

export function wordsOf(text: string): string[] {
  return text.toLocaleLowerCase().match(/[\p{L}\p{N}'-]+/gu) ?? [];
}

/** True where the words so far could stand as a whole sentence. */
export function soundsFinished(text: string, language: AgentLanguage): boolean {
  if (SENTENCE_END.test(text.trim())) return true;
  const last = wordsOf(text).at(-1);
  return last !== undefined && !CONTINUATIONS[language].includes(last);
}

/** True for at least one word, all of them of the "mhm, yes, I see" kind. */
export function isBackChannel(text: string, language: AgentLanguage): boolean {
  const words = wordsOf(text);
  return words.length > 0 && words.every((word) => BACK_CHANNELS[language].includes(word));
}
