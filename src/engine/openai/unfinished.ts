/**
 * Sentences for the caller if a model's answer is incomplete, instead of half a sentence or
 * silence.
 */
import type { AgentLanguage } from "../../features/agent/agent.ts";

interface UnfinishedPhrases {
  /** The answer was cut at its limit after some words. */
  readonly brokeOff: string;
  /** The answer has no words. */
  readonly noAnswer: string;
  /** The provider withheld the answer, or rejected the question. */
  readonly withheld: string;
}

export const UNFINISHED: Readonly<Record<AgentLanguage, UnfinishedPhrases>> = {
  en: {
    brokeOff: "I am sorry, I broke off there. Shall I go on?",
    noAnswer: "I am sorry, I could not answer that. Could you ask me again, please?",
    withheld: "I am sorry, I cannot talk about that. Can I help you with anything else?",
  },
  lt: {
    brokeOff: "Atsiprašau, nutrūkau. Ar tęsti?",
    noAnswer: "Atsiprašau, nepavyko atsakyti. Gal galėtumėte paklausti dar kartą?",
    withheld: "Atsiprašau, apie tai kalbėti negaliu. Ar galiu padėti kuo nors kitu?",
  },
  lv: {
    brokeOff: "Atvainojiet, es apstājos. Vai turpināt?",
    noAnswer: "Atvainojiet, man neizdevās atbildēt. Vai varat, lūdzu, pajautāt vēlreiz?",
    withheld: "Atvainojiet, par to es nevaru runāt. Vai varu palīdzēt ar ko citu?",
  },
  ru: {
    brokeOff: "Извините, ответ прервался. Продолжить?",
    noAnswer: "Извините, не удалось ответить. Повторите, пожалуйста, вопрос.",
    withheld: "Извините, об этом я не могу говорить. Помочь вам с чем-нибудь ещё?",
  },
};
