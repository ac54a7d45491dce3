/** Texts of numbers. */
import type { Messages } from "../../i18n/language.ts";

export const messages = {
  "nav.numbers": { en: "Numbers", lt: "Numeriai", lv: "Numuri", ru: "Номера" },
  "numbers.lead": {
    en: "Your own numbers, each answered by an agent. They stay with your VoIP provider.",
    lt: "Jūsų numeriai, į kuriuos atsiliepia agentai. Jie lieka pas jūsų VoIP tiekėją.",
    lv: "Jūsu numuri, uz kuriem atbild aģenti. Tie paliek pie jūsu VoIP piegādātāja.",
    ru: "Ваши номера, на которые отвечают агенты. Они остаются у вашего VoIP-провайдера.",
  },
  "numbers.new": {
    en: "Add a number",
    lt: "Pridėti numerį",
    lv: "Pievienot numuru",
    ru: "Добавить номер",
  },
  "numbers.empty": {
    en: "No numbers yet",
    lt: "Numerių dar nėra",
    lv: "Numuru vēl nav",
    ru: "Номеров ещё нет",
  },
  "numbers.empty_body": {
    en: "Add a number of your VoIP provider and choose the agent that answers it. The trunk brings its calls here.",
    lt: "Pridėkite savo VoIP tiekėjo numerį ir pasirinkite, kuris agentas atsiliepia. Skambučius atneša SIP linija.",
    lv: "Pievienojiet sava VoIP piegādātāja numuru un izvēlieties aģentu, kas atbild. Zvanus atnes SIP līnija.",
    ru: "Добавьте номер своего VoIP-провайдера и выберите агента, который отвечает. Звонки приносит SIP-линия.",
  },
  "numbers.number": { en: "Number", lt: "Numeris", lv: "Numurs", ru: "Номер" },
  "numbers.number_hint": {
    en: "With country code: +37060000001.",
    lt: "Su šalies kodu: +37060000001.",
    lv: "Ar valsts kodu: +37060000001.",
    ru: "С кодом страны: +37060000001.",
  },
  "numbers.label": { en: "Label", lt: "Žyma", lv: "Birka", ru: "Метка" },
  "numbers.agent": { en: "Answered by", lt: "Atsiliepia", lv: "Atbild", ru: "Отвечает" },
  "numbers.no_agent": {
    en: "Nobody: calls are declined",
    lt: "Niekas: skambučiai atmetami",
    lv: "Neviens: zvanus noraida",
    ru: "Никто: звонки отклоняются",
  },
  "numbers.inbound": {
    en: "Answers calls",
    lt: "Priima skambučius",
    lv: "Pieņem zvanus",
    ru: "Принимает звонки",
  },
  "numbers.added": {
    en: "The number was added.",
    lt: "Numeris pridėtas.",
    lv: "Numurs ir pievienots.",
    ru: "Номер добавлен.",
  },
  "numbers.delete_title": {
    en: "Remove {number}?",
    lt: "Pašalinti {number}?",
    lv: "Noņemt {number}?",
    ru: "Убрать {number}?",
  },
  "numbers.delete_body": {
    en: "Calls to it are no longer answered here. You keep the number at your provider.",
    lt: "Į jo skambučius čia nebeatsiliepiama. Pas tiekėją numeris lieka.",
    lv: "Uz zvaniem uz to šeit vairs neatbild. Pie piegādātāja numurs paliek.",
    ru: "На звонки на него здесь больше не отвечают. У провайдера номер остаётся.",
  },
} satisfies Messages;
