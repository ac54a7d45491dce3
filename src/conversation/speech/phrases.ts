/**
 * Fixed phrases of the conversation in the agent's language, for cases without an LLM answer. They are short,
 * so that they can be synthesised ahead and work if everything else fails. The texts fit a female or male
 * voice, except for the word "assistant".
 */
import type { AgentLanguage, VoiceGender } from "../../features/agent/agent.ts";
import type { TransferFailure } from "../call-report.ts";

export interface Phrases {
  /** First and second prompt for a silent caller. */
  readonly idlePrompts: readonly [string, string];
  readonly silenceGoodbye: string;
  readonly maxDuration: string;
  /** The engine failed. */
  readonly apology: string;
  /** Announcement if no line is free for another caller. */
  readonly linesBusy: string;
  /** The agent is not ready to speak yet. */
  readonly pleaseWait: string;
  /** Reason why the caller returns to the agent. */
  readonly transferFailed: Readonly<Record<TransferFailure, string>>;
  /** Beginning of the announcement to a person before a transfer; `{company}` is replaced. */
  readonly announcement: Readonly<Record<VoiceGender, string>>;
  /** Speech recognition was interrupted (recogniser restart). */
  readonly sayAgain: string;
  /** Asks for the telephone PIN; `again`: the last one was wrong. */
  readonly pin: { readonly ask: string; readonly again: string };
  /** Question that confirms an opt-out, and the replies to yes and no. */
  readonly optOut: { readonly ask: string; readonly done: string; readonly kept: string };
  /** Reason for a birthday call. */
  readonly birthday: string;
  /** For an agent without custom filler phrases. */
  readonly fillers: readonly string[];
}

const both = (text: string) => ({ masculine: text, feminine: text });

const PHRASES: Readonly<Record<AgentLanguage, Phrases>> = {
  en: {
    idlePrompts: ["Are you still there?", "I am still here if you need anything."],
    silenceGoodbye: "I cannot hear you, so I will end the call now. Goodbye.",
    maxDuration: "I am sorry, this call has reached its time limit. Goodbye.",
    apology: "I am sorry, something went wrong on our side. Please call again later. Goodbye.",
    linesBusy: "All our lines are busy. Please call again in a few minutes.",
    pleaseWait: "One moment, please.",
    transferFailed: {
      busy: "I am sorry, the line is busy right now. How else can I help you?",
      no_answer: "I am sorry, nobody is answering. How else can I help you?",
      declined: "I am sorry, my colleague cannot take the call now. How else can I help you?",
      failed: "I am sorry, I could not connect you. How else can I help you?",
    },
    announcement: both("Hello, this is the assistant of {company}. I have a caller for you."),
    sayAgain: "I am sorry, I lost you for a moment. Could you say that again?",
    pin: {
      ask: "To confirm who you are, please key in your PIN on your telephone, followed by the hash key.",
      again: "That PIN is not right. Please key it in once more, followed by the hash key.",
    },
    optOut: {
      ask: "I will not call you again. Is that right?",
      done: "All right, we will not call you again. Goodbye.",
      kept: "All right, then let us go on.",
    },
    birthday: "I am calling to wish you a happy birthday.",
    fillers: ["One moment, please.", "Let me check that for you.", "Just a second, I am looking."],
  },
  lt: {
    idlePrompts: ["Ar jūs mane girdite?", "Jei reikia pagalbos, aš klausau."],
    silenceGoodbye: "Jūsų negirdžiu, todėl pokalbį baigiu. Viso gero.",
    maxDuration: "Atsiprašau, turime baigti – pasiekta ilgiausia pokalbio trukmė. Viso gero.",
    apology: "Atsiprašau, įvyko klaida. Prašome paskambinti vėliau. Viso gero.",
    linesBusy: "Visos mūsų linijos užimtos. Prašome paskambinti po kelių minučių.",
    pleaseWait: "Vieną akimirką, prašau.",
    transferFailed: {
      busy: "Atsiprašau, linija šiuo metu užimta. Kuo dar galiu padėti?",
      no_answer: "Atsiprašau, niekas neatsiliepia. Kuo dar galiu padėti?",
      declined: "Atsiprašau, kolega dabar negali kalbėti. Kuo dar galiu padėti?",
      failed: "Atsiprašau, nepavyko jūsų sujungti. Kuo dar galiu padėti?",
    },
    announcement: {
      masculine: "Laba diena, čia įmonės {company} asistentas. Jungiu jums klientą.",
      feminine: "Laba diena, čia įmonės {company} asistentė. Jungiu jums klientą.",
    },
    sayAgain: "Atsiprašau, akimirką jūsų negirdėjau. Ar galite pakartoti?",
    pin: {
      ask: "Kad galėtume patvirtinti tapatybę, telefono klaviatūra surinkite savo pin kodą ir paspauskite groteles.",
      again: "Pin kodas neteisingas. Surinkite jį dar kartą ir paspauskite groteles.",
    },
    optOut: {
      ask: "Daugiau jums neskambinsime. Ar teisingai?",
      done: "Gerai, daugiau jums neskambinsime. Viso gero.",
      kept: "Gerai, tada tęskime.",
    },
    birthday: "Skambinu pasveikinti jus su gimtadieniu.",
    fillers: ["Vieną akimirką, prašau.", "Tuoj patikrinsiu.", "Palaukite, ieškau informacijos."],
  },
  lv: {
    idlePrompts: ["Vai jūs mani dzirdat?", "Ja varu vēl kā palīdzēt, klausos."],
    silenceGoodbye: "Es jūs nedzirdu, tāpēc beidzu sarunu. Visu labu.",
    maxDuration: "Atvainojiet, šīs sarunas laiks ir beidzies. Visu labu.",
    apology: "Atvainojiet, radās kļūda. Lūdzu, piezvaniet vēlāk. Visu labu.",
    linesBusy: "Visas mūsu līnijas ir aizņemtas. Lūdzu, piezvaniet pēc dažām minūtēm.",
    pleaseWait: "Vienu mirkli, lūdzu.",
    transferFailed: {
      busy: "Atvainojiet, līnija šobrīd ir aizņemta. Kā vēl varu palīdzēt?",
      no_answer: "Atvainojiet, neviens neatbild. Kā vēl varu palīdzēt?",
      declined: "Atvainojiet, kolēģis šobrīd nevar runāt. Kā vēl varu palīdzēt?",
      failed: "Atvainojiet, neizdevās jūs savienot. Kā vēl varu palīdzēt?",
    },
    announcement: {
      masculine: "Labdien, šeit uzņēmuma {company} asistents. Savienoju jūs ar klientu.",
      feminine: "Labdien, šeit uzņēmuma {company} asistente. Savienoju jūs ar klientu.",
    },
    sayAgain: "Atvainojiet, brīdi jūs nedzirdēju. Vai varat atkārtot?",
    pin: {
      ask: "Lai pārliecinātos, ka tas esat jūs, ievadiet tālruņa tastatūrā savu pin kodu un nospiediet restīti.",
      again: "Pin kods nav pareizs. Lūdzu, ievadiet to vēlreiz un nospiediet restīti.",
    },
    optOut: {
      ask: "Mēs jums vairs nezvanīsim. Vai pareizi?",
      done: "Labi, mēs jums vairs nezvanīsim. Visu labu.",
      kept: "Labi, tad turpināsim.",
    },
    birthday: "Zvanu, lai apsveiktu jūs dzimšanas dienā.",
    fillers: ["Vienu mirkli, lūdzu.", "Tūlīt pārbaudīšu.", "Uzgaidiet, es meklēju informāciju."],
  },
  ru: {
    idlePrompts: ["Вы меня слышите?", "Если нужна помощь, я слушаю."],
    silenceGoodbye: "Я вас не слышу, поэтому завершаю звонок. До свидания.",
    maxDuration: "Извините, время разговора закончилось. До свидания.",
    apology: "Извините, у нас произошла ошибка. Пожалуйста, позвоните позже. До свидания.",
    linesBusy: "Все наши линии заняты. Пожалуйста, перезвоните через несколько минут.",
    pleaseWait: "Одну минуту, пожалуйста.",
    transferFailed: {
      busy: "Извините, линия сейчас занята. Чем ещё могу помочь?",
      no_answer: "Извините, никто не отвечает. Чем ещё могу помочь?",
      declined: "Извините, коллега сейчас не может говорить. Чем ещё могу помочь?",
      failed: "Извините, не удалось вас соединить. Чем ещё могу помочь?",
    },
    announcement: both(
      "Здравствуйте, это виртуальный ассистент компании {company}. Соединяю вас с клиентом.",
    ),
    sayAgain: "Извините, вас на мгновение не было слышно. Повторите, пожалуйста.",
    pin: {
      ask: "Чтобы подтвердить вашу личность, наберите свой ПИН-код на клавиатуре телефона и нажмите решётку.",
      again: "ПИН-код неверный. Наберите его ещё раз и нажмите решётку.",
    },
    optOut: {
      ask: "Мы больше не будем вам звонить. Верно?",
      done: "Хорошо, мы больше не будем вам звонить. До свидания.",
      kept: "Хорошо, тогда продолжим.",
    },
    birthday: "Звоню, чтобы поздравить вас с днём рождения.",
    fillers: ["Одну минуту, пожалуйста.", "Сейчас проверю.", "Подождите, я ищу информацию."],
  },
};

export const phrasesFor = (language: AgentLanguage): Phrases => PHRASES[language];
