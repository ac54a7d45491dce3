/**
 * One or two sentences about a call, in the agent's language, from its facts. Also the line about
 * earlier calls for a returning caller, with the tenant's own names of questions and tools.
 */

import type { CallEnd, CallSummary } from "../../../conversation/engine-port.ts";
import type { AgentLanguage } from "../../../features/agent/agent.ts";
import type { CallRecord } from "./call-record.ts";
import { fill } from "./phrases.ts";

interface SummaryPhrases {
  readonly answered: string;
  readonly nothing: string;
  readonly silent: string;
  readonly toolsDone: string;
  readonly toolsFailed: string;
  readonly notUnderstood: string;
  readonly message: string;
  readonly and: string;
  readonly ends: Readonly<Record<string, string>>;
  readonly endsOtherwise: string;
}

const PHRASES: Readonly<Record<AgentLanguage, SummaryPhrases>> = {
  en: {
    answered: "The customer asked {topics} and got an answer",
    nothing: "The customer asked nothing that could be answered",
    silent: "The customer said nothing",
    toolsDone: "this was done: {tools}",
    toolsFailed: "this failed: {tools}",
    notUnderstood: "not understood: {count}",
    message: "a message was left",
    and: "and",
    ends: {
      caller_hangup: "The customer hung up after {duration}.",
      agent_hangup: "The agent ended the call after {duration}.",
      transferred: "The call was transferred after {duration}.",
      silence_timeout: "The call ended after {duration} because nothing more was said.",
      hold_timeout: "The call ended after {duration} because it was on hold for too long.",
      max_duration: "The call ended after {duration}, the maximum duration.",
      voicemail_left: "A message was left on voicemail.",
      voicemail_hangup: "Voicemail answered, the call was ended.",
    },
    endsOtherwise: "The call ended after {duration}.",
  },
  lt: {
    answered: "Klientas klausė {topics} ir gavo atsakymą",
    nothing: "Klientas nepaklausė nieko, į ką būtų buvę galima atsakyti",
    silent: "Klientas nieko nepasakė",
    toolsDone: "atlikta: {tools}",
    toolsFailed: "nepavyko: {tools}",
    notUnderstood: "nesuprastų klausimų: {count}",
    message: "palikta žinutė",
    and: "ir",
    ends: {
      caller_hangup: "Pokalbį po {duration} baigė klientas.",
      agent_hangup: "Agentas baigė pokalbį po {duration}.",
      transferred: "Skambutis perduotas po {duration}.",
      silence_timeout: "Pokalbis baigėsi po {duration}, nes daugiau nieko nebuvo pasakyta.",
      hold_timeout: "Pokalbis baigėsi po {duration}, nes per ilgai buvo sulaikytas.",
      max_duration: "Pokalbis baigėsi po {duration}: pasiekta ilgiausia trukmė.",
      voicemail_left: "Žinutė palikta balso pašte.",
      voicemail_hangup: "Atsiliepė balso paštas, skambutis baigtas.",
    },
    endsOtherwise: "Pokalbis baigėsi po {duration}.",
  },
  lv: {
    answered: "Klients jautāja {topics} un saņēma atbildi",
    nothing: "Klients nejautāja neko, uz ko varētu atbildēt",
    silent: "Klients neko neteica",
    toolsDone: "izdarīts: {tools}",
    toolsFailed: "neizdevās: {tools}",
    notUnderstood: "nesaprastu jautājumu: {count}",
    message: "atstāta ziņa",
    and: "un",
    ends: {
      caller_hangup: "Sarunu pēc {duration} beidza klients.",
      agent_hangup: "Aģents beidza sarunu pēc {duration}.",
      transferred: "Zvans pārslēgts pēc {duration}.",
      silence_timeout: "Saruna beidzās pēc {duration}, jo nekas vairs netika teikts.",
      hold_timeout: "Saruna beidzās pēc {duration}, jo pārāk ilgi bija aizturēta.",
      max_duration: "Saruna beidzās pēc {duration}: sasniegts maksimālais ilgums.",
      voicemail_left: "Ziņa atstāta balss pastā.",
      voicemail_hangup: "Atbildēja balss pasts, zvans beigts.",
    },
    endsOtherwise: "Saruna beidzās pēc {duration}.",
  },
  ru: {
    answered: "Клиент спросил {topics} и получил ответ",
    nothing: "Клиент не спросил ничего, на что можно было ответить",
    silent: "Клиент ничего не сказал",
    toolsDone: "выполнено: {tools}",
    toolsFailed: "не удалось: {tools}",
    notUnderstood: "непонятых вопросов: {count}",
    message: "оставлено сообщение",
    and: "и",
    ends: {
      caller_hangup: "Клиент завершил разговор через {duration}.",
      agent_hangup: "Агент завершил разговор через {duration}.",
      transferred: "Звонок переведён через {duration}.",
      silence_timeout: "Разговор завершён через {duration}: больше ничего не было сказано.",
      hold_timeout: "Разговор завершён через {duration}: он слишком долго был на удержании.",
      max_duration: "Разговор завершён через {duration}: достигнута предельная длительность.",
      voicemail_left: "Сообщение оставлено на автоответчике.",
      voicemail_hangup: "Ответил автоответчик, звонок завершён.",
    },
    endsOtherwise: "Разговор завершён через {duration}.",
  },
};

const TOPICS_TOLD_MAX = 4;
const QUOTES: Readonly<Record<AgentLanguage, readonly [open: string, close: string]>> = {
  en: ["“", "”"],
  lt: ["„", "“"],
  lv: ["„", "”"],
  ru: ["«", "»"],
};

export function summaryOf(record: CallRecord, end: CallEnd, language: AgentLanguage): CallSummary {
  const phrases = PHRASES[language];
  const [open, close] = QUOTES[language];
  const topics = record.answered
    .slice(0, TOPICS_TOLD_MAX)
    .map((topic) => `${open}${topic}${close}`);
  const facts: string[] = [];
  const did = record.toolsDone.length > 0 || record.message === "taken";
  if (topics.length > 0) {
    facts.push(fill(phrases.answered, { topics: listed(topics, phrases.and) }));
  } else if (!record.spoke) facts.push(phrases.silent);
  else if (!did) facts.push(phrases.nothing);
  if (record.toolsDone.length > 0) {
    facts.push(fill(phrases.toolsDone, { tools: record.toolsDone.join(", ") }));
  }
  if (record.toolsFailed.length > 0) {
    facts.push(fill(phrases.toolsFailed, { tools: record.toolsFailed.join(", ") }));
  }
  if (record.message === "taken") facts.push(phrases.message);
  if (record.notUnderstood > 0) {
    facts.push(fill(phrases.notUnderstood, { count: String(record.notUnderstood) }));
  }
  const [first = ""] = facts;
  const told = [first.charAt(0).toUpperCase() + first.slice(1), ...facts.slice(1)].join("; ");
  const ending = phrases.ends[end.reason] ?? phrases.endsOtherwise;
  const isSpoken = end.reason === "transferred";
  const duration = (isSpoken ? spokenDuration : clockDuration)(end.durationSeconds, language);
  const ended = fill(ending, { duration }).replace(/\.\.$/, ".");
  return { text: `${told}. ${ended}`, line: `${told}.` };
}

function listed(items: readonly string[], and: string): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${and} ${items.at(-1)}`;
}

/** 75 → "1:15". */
function clockDuration(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

const UNITS: Readonly<Record<AgentLanguage, readonly [string, string, string]>> = {
  en: ["h", "min", "sec"],
  lt: ["val.", "min.", "sek."],
  lv: ["h", "min.", "sek."],
  ru: ["ч", "мин", "сек"],
};

/** 75 → "1 min 15 sec". Spoken to the person who takes over the call. */
function spokenDuration(seconds: number, language: AgentLanguage): string {
  const whole = Math.round(seconds);
  const values = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const parts = values.flatMap((value, index) =>
    value > 0 ? [`${value} ${UNITS[language][index] ?? ""}`] : [],
  );
  return parts.join(" ");
}
