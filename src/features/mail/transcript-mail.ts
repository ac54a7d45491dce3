/** The post-call email (specification 1): call details, summary, transcript, recording. */
import { type TextsOf, textsOf } from "../../core/texts.ts";
import type { AgentLanguage } from "../agent/agent.ts";
import type { MailDraft } from "./ports.ts";
import { nameInMail } from "./reader.ts";
import transcriptTexts from "./transcript-texts.json" with { type: "json" };

const TEXTS = textsOf(transcriptTexts);
type TranscriptWords = TextsOf<typeof transcriptTexts>;

export interface TranscriptMailFacts {
  readonly recipient: string;
  readonly agentName: string;
  readonly language: AgentLanguage;
  /** IANA time zone of the times in the email. */
  readonly timeZone: string;
  readonly call: {
    readonly callUuid: string;
    readonly direction: "inbound" | "outbound";
    /** Empty if the number is withheld. */
    readonly fromNumber: string;
    readonly toNumber: string;
    readonly createdAt: number;
    readonly answeredAt: number | null;
    readonly endedAt: number | null;
    readonly summary: string | null;
  };
  readonly turns: readonly {
    readonly speaker: "agent" | "customer";
    readonly text: string;
    readonly startMs: number;
  }[];
  /** Messages that the caller left. */
  readonly messages?: readonly {
    readonly text: string;
    readonly callerName: string | null;
    readonly callback: string | null;
  }[];
  /** File in the recordings directory, or null. */
  readonly attachment: string | null;
}

/** `3:07`, or `1:02:03`. */
function clockOf(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60) % 60;
  const hours = Math.floor(seconds / 3600);
  const tail = `${two(minutes)}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${tail}` : tail.replace(/^0/, "");
}

/** `2026-11-21 06:05`: understood in all four languages. */
function dateIn(timeZone: string, epochMs: number): string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  return format.format(epochMs);
}

export function transcriptMail(facts: TranscriptMailFacts): MailDraft {
  const words = TEXTS[facts.language];
  const { call } = facts;
  const remoteParty = call.direction === "inbound" ? call.fromNumber : call.toNumber;
  const startedAt = call.answeredAt ?? call.createdAt;
  const when = dateIn(facts.timeZone, startedAt);
  return {
    key: `transcript:${call.callUuid}`,
    callUuid: call.callUuid,
    recipient: facts.recipient,
    subject: `${words.subject[call.direction]} ${remoteParty || words.withheld}, ${when}`,
    body: [
      factLines(facts, words, when).join("\n"),
      section(words.summary, call.summary?.trim() || words.noSummary),
      ...messageSections(facts, words),
      section(words.transcript, transcriptLines(facts, words).join("\n") || words.noTranscript),
      ...(facts.attachment ? [] : [words.notAttached]),
      "",
    ].join("\n\n"),
    attachment: facts.attachment,
    recordingWords: facts.attachment
      ? {
          attached: words.attached,
          fileName: fileNameOf(call.callUuid, when),
          linked: words.linked,
          gone: words.notAttached,
          notKept: words.notKept,
          unreachable: words.unreachable,
        }
      : null,
  };
}

/** `call-2026-11-21-0605-9f3a2c10`: the mail's time, and the end of the call id. */
const fileNameOf = (callUuid: string, when: string): string =>
  `call-${when.replace(" ", "-").replace(":", "")}-${callUuid.slice(-8)}`;

function messageSections({ messages = [] }: TranscriptMailFacts, words: TranscriptWords): string[] {
  if (messages.length === 0) return [];
  const texts = messages.map(({ text, callerName, callback }) =>
    [
      ...(callerName ? [`${words.from}: ${nameInMail(callerName)}`] : []),
      ...(callback ? [`${words.callBack}: ${callback}`] : []),
      text.trim(),
    ].join("\n"),
  );
  return [section(words.message, texts.join("\n\n"))];
}

const section = (title: string, text: string): string =>
  `${title}\n${"-".repeat(title.length)}\n${text}`;

function factLines(facts: TranscriptMailFacts, words: TranscriptWords, when: string): string[] {
  const { call } = facts;
  const answeredMs =
    call.answeredAt === null || call.endedAt === null ? 0 : call.endedAt - call.answeredAt;
  return [
    `${words.agent}: ${nameInMail(facts.agentName)}`,
    `${words.direction}: ${words.directions[call.direction]}`,
    `${words.from}: ${call.fromNumber || words.withheld}`,
    `${words.to}: ${call.toNumber || words.withheld}`,
    `${words.time}: ${when} (${facts.timeZone})`,
    // Started seconds, as in the summary, the events and the bill.
    `${words.duration}: ${clockOf(Math.ceil(answeredMs / 1000) * 1000)}`,
    `${words.callId}: ${call.callUuid}`,
  ];
}

function transcriptLines(facts: TranscriptMailFacts, words: TranscriptWords): string[] {
  return facts.turns
    .filter((turn) => turn.text.trim() !== "")
    .map(
      (turn) => `[${clockOf(turn.startMs)}] ${words.speakers[turn.speaker]}: ${turn.text.trim()}`,
    );
}
