/**
 * What the conversation itself must say, in the agent's language: where no mind is asked or none
 * answers. Kept short, so that they can be synthesised ahead and are there when all else fails.
 */
import type { AgentLanguage } from "../agent/agent.ts";

export interface Phrases {
  /** First and second prompt of a caller who says nothing. */
  readonly idlePrompts: readonly [string, string];
  readonly silenceGoodbye: string;
  readonly maxDuration: string;
  readonly balanceExhausted: string;
  /** The engine failed. */
  readonly apology: string;
  /** The agent means to speak and isn't ready. */
  readonly hush: string;
  /** For an agent that has no filler phrases of its own. */
  readonly fillers: readonly string[];
}

const PHRASES: Readonly<Record<AgentLanguage, Phrases>> = {
  en: {
    idlePrompts: ["Are you still there?", "I am still here if you need anything."],
    silenceGoodbye: "I cannot hear you, so I will end the call now. Goodbye.",
    maxDuration: "I am sorry, our time for this call is up. Goodbye.",
    balanceExhausted: "I am sorry, this call has to end now. Thank you for calling. Goodbye.",
    apology: "I am sorry, something went wrong on our side. Please call again later. Goodbye.",
    hush: "One moment, please.",
    fillers: ["One moment, please.", "Let me check that for you.", "Just a second, I am looking."],
  },
  lt: {
    idlePrompts: ["Ar jūs mane girdite?", "Jei reikia pagalbos, aš klausau."],
    silenceGoodbye: "Jūsų negirdžiu, todėl pokalbį baigiu. Viso gero.",
    maxDuration: "Atsiprašau, šio pokalbio laikas baigėsi. Viso gero.",
    balanceExhausted: "Atsiprašau, pokalbį turime baigti. Ačiū, kad skambinote. Viso gero.",
    apology: "Atsiprašau, įvyko klaida. Prašome paskambinti vėliau. Viso gero.",
    hush: "Vieną akimirką, prašau.",
    fillers: ["Vieną akimirką, prašau.", "Tuoj patikrinsiu.", "Palaukite, ieškau informacijos."],
  },
  lv: {
    idlePrompts: ["Vai jūs mani dzirdat?", "Ja vajadzīga palīdzība, es klausos."],
    silenceGoodbye: "Es jūs nedzirdu, tāpēc beidzu sarunu. Uz redzēšanos.",
    maxDuration: "Atvainojiet, šīs sarunas laiks ir beidzies. Uz redzēšanos.",
    balanceExhausted: "Atvainojiet, mums jābeidz saruna. Paldies par zvanu. Uz redzēšanos.",
    apology: "Atvainojiet, radās kļūda. Lūdzu, zvaniet vēlāk. Uz redzēšanos.",
    hush: "Vienu mirkli, lūdzu.",
    fillers: ["Vienu mirkli, lūdzu.", "Tūlīt pārbaudīšu.", "Uzgaidiet, es meklēju informāciju."],
  },
  ru: {
    idlePrompts: ["Вы меня слышите?", "Если нужна помощь, я слушаю."],
    silenceGoodbye: "Я вас не слышу, поэтому завершаю звонок. До свидания.",
    maxDuration: "Извините, время этого разговора истекло. До свидания.",
    balanceExhausted: "Извините, нам нужно завершить разговор. Спасибо за звонок. До свидания.",
    apology: "Извините, произошла ошибка. Пожалуйста, перезвоните позже. До свидания.",
    hush: "Одну минуту, пожалуйста.",
    fillers: ["Одну минуту, пожалуйста.", "Сейчас проверю.", "Подождите, я ищу информацию."],
  },
};

export const phrasesFor = (language: AgentLanguage): Phrases => PHRASES[language];
