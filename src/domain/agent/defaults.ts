/** What an agent says when its tenant wrote nothing (decisions.md 3). */
import type { AgentLanguage } from "./agent.ts";

export const DEFAULT_FIRST_MESSAGE: Readonly<Record<AgentLanguage, string>> = {
  en: "Hello! How can I help you?",
  lt: "Laba diena! Kuo galiu padėti?",
  lv: "Labdien! Kā varu palīdzēt?",
  ru: "Здравствуйте! Чем могу помочь?",
};

export const DEFAULT_FILLER_PHRASES: Readonly<Record<AgentLanguage, string>> = {
  en: "One moment, please.\nLet me check that for you.\nI am looking it up now.",
  lt: "Minutėlę, prašau.\nTuoj patikrinsiu.\nIeškau informacijos.",
  lv: "Vienu mirkli, lūdzu.\nTūlīt pārbaudīšu.\nMeklēju informāciju.",
  ru: "Одну минуту, пожалуйста.\nСейчас проверю.\nИщу информацию.",
};
