/**
 * Collects and checks the results of a call: the record from the API, the email in the outbox, the
 * MP3 in the email with both speakers, and the bill.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, sleep } from "../../core/clock.ts";
import type { CallDetail, DemoApi } from "../api-client.ts";
import { findSentence, type SentenceMatch } from "../hearing/sentence-matcher.ts";
import { judge } from "../scene/conversation.ts";
import type { SceneResult } from "../scene/scenes.ts";
import type { Voices } from "../voices.ts";
import { type MailFile, readMail } from "./mail-file.ts";
import { type DecodedMp3, decodeMp3 } from "./mp3.ts";

export interface CallEvidence {
  readonly call: CallDetail;
  readonly mailPath: string;
  readonly mail: MailFile;
  readonly recording: DecodedMp3;
  readonly recordingBytes: number;
  /**
   * The caller's channel contains a line of the person, the agent's channel a sentence of the
   * agent.
   */
  readonly callerInRecording: SentenceMatch;
  readonly agentInRecording: SentenceMatch;
}

interface EvidenceRequest {
  readonly callUuid: string;
  readonly outboxDir: string;
  readonly scene: SceneResult;
  readonly callerVoice: string;
}

const PROCESSED_TIMEOUT_MS = 30_000;
const MAIL_TIMEOUT_MS = 15_000;
const MAIL_POLL_MS = 100;
const FINISHED_RECORDINGS = ["emailed_deleted", "failed", "none"];

export async function gatherEvidence(
  request: EvidenceRequest,
  tools: { readonly api: DemoApi; readonly voices: Voices; readonly clock: Clock },
): Promise<CallEvidence> {
  const { api, voices, clock } = tools;
  const call = await api.callWhen(
    request.callUuid,
    ({ recording_status }) => FINISHED_RECORDINGS.includes(recording_status),
    PROCESSED_TIMEOUT_MS,
  );
  const mailPath = await mailOf(request.callUuid, request.outboxDir, clock);
  const mail = await readMail(await readFile(mailPath, "utf8"));
  if (!mail.attachment) throw new Error(`${mailPath} has no attachment`);
  const recording = await decodeMp3(mail.attachment.content);
  return {
    call,
    mailPath,
    mail,
    recording,
    recordingBytes: mail.attachment.content.length,
    callerInRecording: await callerLine(recording.left, request, voices),
    agentInRecording: await agentLine(recording.right, request.scene, voices),
  };
}

async function mailOf(callUuid: string, outboxDir: string, clock: Clock): Promise<string> {
  const deadline = clock.monotonic() + MAIL_TIMEOUT_MS;
  while (clock.monotonic() < deadline) {
    const files = await readdir(outboxDir);
    const file = files.find((name) => name.endsWith(".eml") && name.includes(callUuid));
    if (file !== undefined) return join(outboxDir, file);
    await sleep(clock, MAIL_POLL_MS);
  }
  throw new Error(`no mail about the call in ${outboxDir}`);
}

/** The first question, compared with other lines in the same voice. */
async function callerLine(
  channel: Int16Array,
  { scene, callerVoice }: EvidenceRequest,
  voices: Voices,
): Promise<SentenceMatch> {
  const [line = ""] = scene.spokenTexts;
  const others = ["Where can I buy a train ticket?", "The weather is nice in the mountains today."];
  return findSentence({
    recording: channel,
    sentence: await voices.speak(callerVoice, line),
    decoys: await Promise.all(others.map((other) => voices.speak(callerVoice, other))),
  });
}

/** The last expected answer of the agent. */
function agentLine(
  channel: Int16Array,
  scene: SceneResult,
  voices: Voices,
): Promise<SentenceMatch> {
  const expected = scene.exchanges.flatMap(({ expects }) => (expects === null ? [] : [expects]));
  return judge(channel, expected.at(-1) ?? "", voices, expected);
}

/** decisions 8: whole seconds from answer to hang-up, at least 15. */
export function isRightBill(billableSeconds: number, answeredMs: number): boolean {
  const bill = (ms: number) => Math.max(15, Math.ceil(ms / 1000));
  // The two ends of a call do not see its start and end at the same instant.
  return (
    billableSeconds >= bill(answeredMs - WATCH_TOLERANCE_MS) &&
    billableSeconds <= bill(answeredMs + WATCH_TOLERANCE_MS)
  );
}

const WATCH_TOLERANCE_MS = 400;
