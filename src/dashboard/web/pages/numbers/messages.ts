/** Texts of numbers. */
import type { Messages } from "../../i18n/language.ts";

export const messages = {
  "nav.numbers": { en: "Numbers", lt: "Numeriai", lv: "Numuri", ru: "Номера" },
  "numbers.lead": {
    en: "Your own numbers, each answered by an agent. They stay with your VoIP provider.",
    lt: "Jūsų numeriai, į kuriuos atsiliepia agentai. Jie lieka pas jūsų VoIP paslaugų teikėją.",
    lv: "Jūsu numuri, uz kuriem atbild aģenti. Tie paliek pie jūsu VoIP pakalpojuma sniedzēja.",
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
    en: "Add a number from your VoIP provider and choose the agent that answers it. Calls arrive through the trunk.",
    lt: "Pridėkite savo VoIP paslaugų teikėjo numerį ir pasirinkite atsiliepiantį agentą. Skambučiai ateina per SIP liniją.",
    lv: "Pievienojiet sava VoIP pakalpojuma sniedzēja numuru un izvēlieties aģentu, kas atbild. Zvani pienāk pa SIP līniju.",
    ru: "Добавьте номер своего VoIP-провайдера и выберите агента, который отвечает. Звонки поступают по SIP-линии.",
  },
  "numbers.number": { en: "Number", lt: "Numeris", lv: "Numurs", ru: "Номер" },
  "numbers.number_hint": {
    en: "As you dial it, or with country code: +37060000001.",
    lt: "Kaip renkate telefonu arba su šalies kodu: +37060000001.",
    lv: "Tā, kā sastādāt tālrunī, vai ar valsts kodu: +37120000001.",
    ru: "Как набираете на телефоне или с кодом страны: +37060000001.",
  },
  "numbers.label": { en: "Label", lt: "Pavadinimas", lv: "Nosaukums", ru: "Метка" },
  "numbers.agent": { en: "Answered by", lt: "Atsiliepia", lv: "Atbild", ru: "Отвечает" },
  "numbers.no_agent": {
    en: "None: calls are rejected",
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
  "numbers.waiting": {
    en: "Waiting for a call",
    lt: "Laukia skambučio",
    lv: "Gaida zvanu",
    ru: "Ждёт звонка",
  },
  "numbers.confirmed": {
    en: "Confirmed",
    lt: "Patvirtintas",
    lv: "Apstiprināts",
    ru: "Подтверждён",
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
    en: "Calls to it will no longer be answered here. The number stays with your provider.",
    lt: "Į jo skambučius čia nebeatsiliepiama. Pas teikėją numeris lieka.",
    lv: "Uz zvaniem uz to šeit vairs neatbild. Pie pakalpojuma sniedzēja numurs paliek.",
    ru: "На звонки на него здесь больше не отвечают. У провайдера номер остаётся.",
  },
} satisfies Messages;
