/** All phrases of the scripted agent, per language. `{…}` is a placeholder. */
import type { AgentLanguage } from "../../../features/agent/agent.ts";

export interface Phrases {
  readonly greeting: string;
  readonly welcome: string;
  readonly anythingElse: string;
  readonly goAhead: string;
  readonly goodbye: string;
  readonly didYouMean: string;
  readonly whichOfTwo: string;
  readonly shallI: string;
  readonly sorry: string;
  readonly canHelpWith: string;
  readonly or: string;
  readonly menuIntro: string;
  readonly menuItem: string;
  readonly menuMore: string;
  readonly menuHuman: string;
  readonly nothingToRepeat: string;
  readonly transferring: string;
  readonly nobodyFree: string;
  readonly leaveMessage: string;
  readonly messageTaken: string;
  readonly tellMe: string;
  readonly chooseOne: string;
  readonly yesOrNo: string;
  readonly byKeypad: string;
  readonly isThatRight: string;
  readonly slotNotUnderstood: string;
  readonly giveUp: string;
  readonly oneMoment: string;
  readonly done: string;
  readonly toolFailed: string;
  readonly stillThere: string;
  readonly cannotHear: string;
  readonly cancelled: string;
  readonly confirmYesNo: string;
  readonly pressYesNo: string;
  readonly pressOneOrTwo: string;
  readonly endCall: string;
  readonly wantPerson: string;
}

export const PHRASES: Readonly<Record<AgentLanguage, Phrases>> = {
  en: {
    greeting: "Hello! How can I help you?",
    welcome: "You're welcome.",
    anythingElse: "Is there anything else I can help you with?",
    goAhead: "Please go ahead.",
    goodbye: "Thank you for calling. Goodbye!",
    didYouMean: "Did you mean: {question}",
    whichOfTwo: "Did you mean one: {first} Or two: {second}",
    shallI: "Would you like me to do this: {tool}?",
    sorry: "Sorry, I don't know that.",
    canHelpWith: "I can help with questions like: {topics}",
    or: "or",
    menuIntro: "You can also use your keypad.",
    menuItem: "Press {key} for: {topic}",
    menuMore: "Press 8 for more.",
    menuHuman: "Press 0 to leave a message.",
    nothingToRepeat: "I haven't said anything yet.",
    transferring: "One moment, I'm connecting you.",
    nobodyFree: "I can't connect you to a person right now. Would you like to leave a message?",
    leaveMessage: "Please say your message now, with your name and number.",
    messageTaken: "Thank you, your message will be passed on.",
    tellMe: "Please tell me: {label}.",
    chooseOne: "Please choose: {options}.",
    yesOrNo: "Please say yes or no.",
    byKeypad: "You can type it on your keypad.",
    isThatRight: "I understood {value}. Is that right?",
    slotNotUnderstood: "Sorry, I didn't understand.",
    giveUp: "I'm sorry, I couldn't get that. Would you like to leave a message instead?",
    oneMoment: "One moment, please.",
    done: "That's done.",
    toolFailed: "I'm sorry, that didn't work just now. Would you like to leave a message?",
    stillThere: "Are you still there?",
    cannotHear: "I can't hear you. If you're still there, please say something.",
    cancelled: "All right, cancelled.",
    confirmYesNo: "Please say yes or no, or press 1 for yes and 2 for no.",
    pressYesNo: "Press 1 for yes, 2 for no.",
    pressOneOrTwo: "Press 1 or 2.",
    endCall: "Would you like to end the call?",
    wantPerson: "Would you like to speak to a person?",
  },
  lt: {
    greeting: "Laba diena! Kuo galiu padėti?",
    welcome: "Prašom.",
    anythingElse: "Ar galiu dar kuo nors padėti?",
    goAhead: "Klausau jūsų.",
    goodbye: "Ačiū, kad paskambinote. Viso gero!",
    didYouMean: "Ar klausėte: {question}",
    whichOfTwo: "Ar klausėte, pirmas: {first} Ar antras: {second}",
    shallI: "Ar tai atlikti: {tool}?",
    sorry: "Atsiprašau, to nežinau.",
    canHelpWith: "Galiu atsakyti į tokius klausimus: {topics}",
    or: "arba",
    menuIntro: "Galite naudotis ir telefono klavišais.",
    menuItem: "Spauskite {key}: {topic}",
    menuMore: "Spauskite 8, jei norite išgirsti kitas temas.",
    menuHuman: "Spauskite 0, jei norite palikti žinutę.",
    nothingToRepeat: "Aš dar nieko nesakiau.",
    transferring: "Minutėlę, tuoj sujungsiu.",
    nobodyFree: "Šiuo metu negaliu sujungti su darbuotoju. Ar norite palikti žinutę?",
    leaveMessage: "Pasakykite savo vardą, telefono numerį ir žinutę.",
    messageTaken: "Ačiū, jūsų žinutė bus perduota.",
    tellMe: "Prašau pasakyti: {label}.",
    chooseOne: "Prašau pasirinkti: {options}.",
    yesOrNo: "Prašau atsakyti taip arba ne.",
    byKeypad: "Galite surinkti telefono klaviatūra.",
    isThatRight: "Supratau: {value}. Ar teisingai?",
    slotNotUnderstood: "Atsiprašau, nesupratau.",
    giveUp: "Atsiprašau, man nepavyko suprasti. Ar norite palikti žinutę?",
    oneMoment: "Minutėlę.",
    done: "Padaryta.",
    toolFailed: "Atsiprašau, dabar to padaryti nepavyko. Ar norite palikti žinutę?",
    stillThere: "Ar mane dar girdite?",
    cannotHear: "Jūsų negirdžiu. Jei girdite mane, atsiliepkite.",
    cancelled: "Gerai, atšaukta.",
    confirmYesNo: "Atsakykite „taip“ arba „ne“. Galite ir paspausti: vienas – taip, du – ne.",
    pressYesNo: "Spauskite 1, jei taip, arba 2, jei ne.",
    pressOneOrTwo: "Spauskite 1 arba 2.",
    endCall: "Ar norite baigti pokalbį?",
    wantPerson: "Ar norite kalbėti su darbuotoju?",
  },
  lv: {
    greeting: "Labdien! Kā varu palīdzēt?",
    welcome: "Lūdzu.",
    anythingElse: "Vai varu vēl kā palīdzēt?",
    goAhead: "Klausos.",
    goodbye: "Paldies par zvanu. Visu labu!",
    didYouMean: "Vai jūs jautājāt: {question}",
    whichOfTwo: "Vai jūs jautājāt, pirmais: {first} Vai otrais: {second}",
    shallI: "Vai man to izdarīt: {tool}?",
    sorry: "Atvainojiet, to es nezinu.",
    canHelpWith: "Varu atbildēt uz šādiem jautājumiem: {topics}",
    or: "vai",
    menuIntro: "Varat izmantot arī tālruņa taustiņus.",
    menuItem: "Nospiediet {key}: {topic}",
    menuMore: "Nospiediet 8, lai dzirdētu citas tēmas.",
    menuHuman: "Nospiediet 0, lai atstātu ziņu.",
    nothingToRepeat: "Pagaidām vēl nekas nav teikts.",
    transferring: "Vienu mirkli, tūlīt savienošu.",
    nobodyFree: "Pašlaik nevaru savienot ar darbinieku. Vai vēlaties atstāt ziņu?",
    leaveMessage: "Lūdzu, nosauciet savu vārdu un tālruņa numuru un atstājiet ziņu.",
    messageTaken: "Paldies, jūsu ziņa tiks nodota.",
    tellMe: "Lūdzu, pasakiet: {label}.",
    chooseOne: "Lūdzu, izvēlieties: {options}.",
    yesOrNo: "Lūdzu, atbildiet jā vai nē.",
    byKeypad: "Varat to ievadīt ar tālruņa taustiņiem.",
    isThatRight: "Es sapratu: {value}. Vai pareizi?",
    slotNotUnderstood: "Atvainojiet, nesapratu.",
    giveUp: "Atvainojiet, nevarēju saprast. Varbūt vēlaties atstāt ziņu?",
    oneMoment: "Acumirkli, lūdzu.",
    done: "Izdarīts.",
    toolFailed: "Atvainojiet, pašlaik tas neizdevās. Vai vēlaties atstāt ziņu?",
    stillThere: "Vai jūs mani vēl dzirdat?",
    cannotHear: "Es jūs nedzirdu. Ja mani dzirdat, lūdzu, atsaucieties.",
    cancelled: "Labi, atcelts.",
    confirmYesNo: "Lūdzu, atbildiet „jā“ vai „nē“. Varat arī nospiest: viens – jā, divi – nē.",
    pressYesNo: "Nospiediet 1, ja jā, vai 2, ja nē.",
    pressOneOrTwo: "Nospiediet 1 vai 2.",
    endCall: "Vai vēlaties beigt sarunu?",
    wantPerson: "Vai vēlaties runāt ar darbinieku?",
  },
  ru: {
    greeting: "Здравствуйте! Чем могу помочь?",
    welcome: "Пожалуйста.",
    anythingElse: "Чем ещё могу помочь?",
    goAhead: "Слушаю вас.",
    goodbye: "Спасибо за звонок. До свидания!",
    didYouMean: "Вы спрашивали: {question}",
    whichOfTwo: "Вы спрашивали, первый: {first} Или второй: {second}",
    shallI: "Сделать это для вас: {tool}?",
    sorry: "Извините, этого я не знаю.",
    canHelpWith: "Я могу ответить на такие вопросы: {topics}",
    or: "или",
    menuIntro: "Можно также выбрать клавишей телефона.",
    menuItem: "Нажмите {key}: {topic}",
    menuMore: "Нажмите 8, чтобы услышать другие темы.",
    menuHuman: "Нажмите 0, чтобы оставить сообщение.",
    nothingToRepeat: "Пока повторять нечего.",
    transferring: "Одну минуту, соединяю вас.",
    nobodyFree: "Сейчас я не могу соединить вас с сотрудником. Хотите оставить сообщение?",
    leaveMessage: "Назовите, пожалуйста, своё имя и номер телефона и оставьте сообщение.",
    messageTaken: "Спасибо, ваше сообщение будет передано.",
    tellMe: "Пожалуйста, скажите: {label}.",
    chooseOne: "Пожалуйста, выберите: {options}.",
    yesOrNo: "Пожалуйста, ответьте да или нет.",
    byKeypad: "Можно набрать на клавиатуре телефона.",
    isThatRight: "Итак: {value}. Верно?",
    slotNotUnderstood: "Извините, не удалось разобрать.",
    giveUp: "Извините, мне не удалось понять. Хотите оставить сообщение?",
    oneMoment: "Одну минуту.",
    done: "Готово.",
    toolFailed: "Извините, сейчас не получилось. Хотите оставить сообщение?",
    stillThere: "Вы ещё на линии?",
    cannotHear: "Я вас не слышу. Если вы на линии, скажите что-нибудь.",
    cancelled: "Хорошо, отменено.",
    confirmYesNo: "Ответьте, пожалуйста, «да» или «нет». Можно и нажать: один – да, два – нет.",
    pressYesNo: "Нажмите 1, если да, или 2, если нет.",
    pressOneOrTwo: "Нажмите 1 или 2.",
    endCall: "Хотите закончить разговор?",
    wantPerson: "Хотите поговорить с сотрудником?",
  },
};

export function fill(phrase: string, values: Readonly<Record<string, string>>): string {
  return phrase.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}
