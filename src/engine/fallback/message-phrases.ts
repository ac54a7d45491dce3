/** Phrases, spoken and written, for taking a message when no model answers. */
import type { AgentLanguage } from "../../features/agent/agent.ts";

export interface MessagePhrases {
  readonly apology: string;
  readonly askName: string;
  readonly askNumber: string;
  readonly askMessage: string;
  readonly thanks: string;
  /** Placeholder for recorded words that were not understood. */
  readonly onTheRecording: string;
  readonly name: string;
  readonly number: string;
  readonly message: string;
  /** First sentence of the summary. */
  readonly outage: string;
}

export const MESSAGE_PHRASES: Readonly<Record<AgentLanguage, MessagePhrases>> = {
  en: {
    apology: "I am sorry, we have a technical problem, so I cannot help you right now.",
    askName: "I will take a message. Please tell me your name.",
    askNumber: "On which number can we call you back? You can say it or type it on your keypad.",
    askMessage: "Thank you. Please say your message now.",
    thanks: "Thank you, your message will be passed on and we will call you back. Goodbye.",
    onTheRecording: "spoken, see the recording",
    name: "Name",
    number: "Call back",
    message: "Message",
    outage: "The agent could not answer because of a technical problem.",
  },
  lt: {
    apology: "Atsiprašau, turime techninių sunkumų, todėl dabar negaliu jums padėti.",
    askName: "Galiu priimti žinutę. Pasakykite savo vardą.",
    askNumber: "Kokiu numeriu jums perskambinti? Galite pasakyti arba surinkti klaviatūra.",
    askMessage: "Ačiū. Klausau jūsų žinutės.",
    thanks: "Ačiū, jūsų žinutę perduosime ir jums perskambinsime. Viso gero.",
    onTheRecording: "pasakyta balsu, žr. įrašą",
    name: "Vardas",
    number: "Telefonas perskambinti",
    message: "Žinutė",
    outage: "Agentas negalėjo atsakyti dėl techninių sunkumų.",
  },
  lv: {
    apology: "Atvainojiet, mums ir tehniskas problēmas, tāpēc šobrīd nevaru jums palīdzēt.",
    askName: "Varu pieņemt ziņu. Lūdzu, nosauciet savu vārdu.",
    askNumber: "Uz kādu numuru jums atzvanīt? Varat to pateikt vai ievadīt ar tastatūru.",
    askMessage: "Paldies. Lūdzu, atstājiet savu ziņu.",
    thanks: "Paldies, jūsu ziņa tiks nodota, un mēs jums atzvanīsim. Visu labu.",
    onTheRecording: "pateikts mutiski, skatīt ierakstu",
    name: "Vārds",
    number: "Atzvanīt",
    message: "Ziņa",
    outage: "Aģents nevarēja atbildēt tehnisku problēmu dēļ.",
  },
  ru: {
    apology: "Извините, у нас технические неполадки, поэтому сейчас я не могу вам помочь.",
    askName: "Я могу принять сообщение. Назовите, пожалуйста, своё имя.",
    askNumber: "По какому номеру вам перезвонить? Его можно сказать или набрать на клавиатуре.",
    askMessage: "Спасибо. Оставьте, пожалуйста, сообщение.",
    thanks: "Спасибо, мы передадим ваше сообщение и перезвоним вам. До свидания.",
    onTheRecording: "сказано голосом, см. запись",
    name: "Имя",
    number: "Перезвонить",
    message: "Сообщение",
    outage: "Агент не смог ответить из-за технических неполадок.",
  },
};
