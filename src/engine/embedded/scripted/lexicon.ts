/**
 * Phrases that callers say to any agent, per language: whole utterances by intent. The recogniser's
 * fixed-phrase grammars and the scripted agent both use these lists.
 */
import type { AgentLanguage } from "../../../features/agent/agent.ts";

export type Intent =
  | "yes"
  | "no"
  | "greeting"
  | "thanks"
  | "goodbye"
  | "repeat"
  | "human"
  | "message"
  | "help"
  | "cancel"
  /** Said while listening; it answers no question. */
  | "listening";

export const LEXICON: Readonly<Record<AgentLanguage, Readonly<Record<Intent, readonly string[]>>>> =
  {
    en: {
      yes: [
        "yes",
        "yes please",
        "yeah",
        "yep",
        "sure",
        "correct",
        "that is right",
        "that is correct",
        "right",
        "okay",
        "of course",
        "yes it is",
        "yes i do",
        "mhm",
        "uh huh",
        "aha",
        "all right",
        "fine",
        "great",
      ],
      no: [
        "no",
        "no thank you",
        "no thanks",
        "nope",
        "not really",
        "that is wrong",
        "wrong",
        "no it is not",
        "no i do not",
      ],
      greeting: ["hello", "hi", "good morning", "good afternoon", "good evening", "hello there"],
      thanks: ["thank you", "thanks", "thank you very much", "thanks a lot"],
      goodbye: [
        "goodbye",
        "bye",
        "bye bye",
        "that is all",
        "that is all thank you",
        "thank you goodbye",
        "thanks bye",
        "have a nice day",
        "nothing else",
        "no that is all",
      ],
      repeat: [
        "repeat that please",
        "please repeat",
        "can you repeat that",
        "could you repeat that please",
        "say that again",
        "say that again please",
        "pardon",
        "what did you say",
        "once more please",
      ],
      human: [
        "i want to speak to a human",
        "i want to speak to a person",
        "i want to talk to a person",
        "can i speak to a human",
        "can i speak to somebody",
        "can i talk to somebody",
        "speak to a person",
        "connect me to an operator",
        "transfer me to an operator",
        "operator please",
        "transfer me please",
        "a real person please",
      ],
      message: [
        "i want to leave a message",
        "i would like to leave a message",
        "can i leave a message",
        "take a message",
        "take a message please",
        "please call me back",
      ],
      help: ["help", "what can you do", "how can you help me"],
      cancel: ["cancel", "stop", "never mind", "forget it"],
      listening: ["hmm", "oh", "i see", "got it", "i understand"],
    },
    lt: {
      yes: ["taip", "taip prašau", "gerai", "teisingai", "žinoma"],
      no: ["ne", "ne ačiū", "neteisingai", "nereikia"],
      greeting: ["labas", "laba diena", "sveiki", "labas rytas", "labas vakaras"],
      thanks: ["ačiū", "dėkoju", "labai ačiū"],
      goodbye: ["viso gero", "iki", "iki pasimatymo", "sudie", "tai viskas", "ačiū viso gero"],
      repeat: ["pakartokite", "prašau pakartoti", "dar kartą", "pakartokite prašau"],
      human: ["noriu kalbėti su žmogumi", "sujunkite su operatoriumi", "sujunkite su darbuotoju"],
      message: ["noriu palikti žinutę", "palikti žinutę", "perskambinkite man"],
      help: ["pagalba", "kuo galite padėti", "ką galite"],
      cancel: ["atšaukti", "stop", "nesvarbu"],
      listening: [],
    },
    lv: {
      yes: ["jā", "jā lūdzu", "labi", "pareizi", "protams"],
      no: ["nē", "nē paldies", "nepareizi", "nevajag"],
      greeting: ["labdien", "sveiki", "labrīt", "labvakar"],
      thanks: ["paldies", "liels paldies"],
      goodbye: ["uz redzēšanos", "atā", "visu labu", "tas ir viss", "paldies uz redzēšanos"],
      repeat: ["atkārtojiet", "lūdzu atkārtojiet", "vēlreiz lūdzu"],
      human: ["gribu runāt ar cilvēku", "savienojiet ar operatoru", "savienojiet ar darbinieku"],
      message: ["vēlos atstāt ziņu", "atstāt ziņu", "piezvaniet man"],
      help: ["palīdzība", "ko jūs varat", "kā jūs varat palīdzēt"],
      cancel: ["atcelt", "stop", "nav svarīgi"],
      listening: [],
    },
    ru: {
      yes: ["да", "да пожалуйста", "хорошо", "верно", "правильно", "конечно"],
      no: ["нет", "нет спасибо", "неверно", "не надо"],
      greeting: ["здравствуйте", "добрый день", "привет", "доброе утро", "добрый вечер"],
      thanks: ["спасибо", "большое спасибо"],
      goodbye: ["до свидания", "пока", "всего доброго", "это всё", "спасибо до свидания"],
      repeat: ["повторите", "повторите пожалуйста", "ещё раз пожалуйста"],
      human: ["хочу говорить с человеком", "соедините с оператором", "соедините с сотрудником"],
      message: ["хочу оставить сообщение", "оставить сообщение", "перезвоните мне"],
      help: ["помощь", "что вы умеете", "чем вы можете помочь"],
      cancel: ["отмена", "стоп", "неважно"],
      listening: [],
    },
  };

/** 0 to 9 as callers say them. English has more forms; see number-words.ts. */
export const DIGIT_WORDS: Readonly<Record<Exclude<AgentLanguage, "en">, readonly string[]>> = {
  lt: ["nulis", "vienas", "du", "trys", "keturi", "penki", "šeši", "septyni", "aštuoni", "devyni"],
  lv: ["nulle", "viens", "divi", "trīs", "četri", "pieci", "seši", "septiņi", "astoņi", "deviņi"],
  ru: ["ноль", "один", "два", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять"],
};

/** Beginnings of the weekday names that cover all grammatical cases, Monday first. */
export const WEEKDAYS: Readonly<Record<AgentLanguage, readonly string[]>> = {
  en: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
  lt: [
    "pirmadien",
    "antradien",
    "trečiadien",
    "ketvirtadien",
    "penktadien",
    "šeštadien",
    "sekmadien",
  ],
  lv: ["pirmdien", "otrdien", "trešdien", "ceturtdien", "piektdien", "sestdien", "svētdien"],
  ru: ["понедельник", "вторник", "сред[ауы]", "четверг", "пятниц", "суббот", "воскресень"],
};

/** Today, tomorrow, the day after. */
export const NEAR_DAYS: Readonly<Record<AgentLanguage, readonly [string, string, string]>> = {
  en: ["today", "tomorrow", "the day after tomorrow"],
  lt: ["šiandien", "rytoj", "poryt"],
  lv: ["šodien", "rīt", "parīt"],
  ru: ["сегодня", "завтра", "послезавтра"],
};
