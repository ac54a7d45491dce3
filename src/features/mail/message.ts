/**
 * Builds a message from a queued email: addresses, identity, attachment, and its bytes (RFC 5322,
 * MIME).
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { Readable } from "node:stream";
import { yieldToEventLoop } from "../../core/clock.ts";
import type { QueuedMail } from "./stores.ts";

export interface MailMessage {
  /** Idempotency key, if the provider supports one. */
  readonly key: string;
  readonly callUuid: string | null;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** With angle brackets; the same on every retry, so that receivers can detect a duplicate. */
  readonly messageId: string;
  readonly date: Date;
  readonly attachment: MailAttachment | null;
}

interface MailAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
};

const PIECE_BYTES = 256 * 1024;

/** A header must be one line, whatever the agent's name is. */
const oneLine = (text: string): string => text.replace(/[\r\n\t]+/g, " ").trim();

/** With angle brackets. Equal keys give equal ids. */
export function messageIdFor(key: string, from: string): string {
  const digest = createHash("sha256").update(key).digest("hex").slice(0, 32);
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? "linevoice.local";
  return `<${digest}@${domain}>`;
}

/** `call-2026-11-21-0405-9f3a2c10.mp3`. For mails of older versions: the UTC time and the call. */
export function attachmentName(
  mail: Pick<QueuedMail, "callUuid" | "createdAt" | "recordingWords">,
  file: string,
) {
  const named = mail.recordingWords?.fileName;
  if (named !== undefined) return named + extname(file);
  const when = new Date(callStart(mail)).toISOString();
  const day = when.slice(0, 10);
  const minute = when.slice(11, 16).replace(":", "");
  const which = mail.callUuid?.slice(-8) ?? "recording";
  return `call-${day}-${minute}-${which}${extname(file)}`;
}

/** Start of the call. A UUID v7 begins with its time in ms (RFC 9562 5.7). */
function callStart(mail: Pick<QueuedMail, "callUuid" | "createdAt">): number {
  const isV7 = mail.callUuid?.[14] === "7";
  const stamp = isV7
    ? Number.parseInt(mail.callUuid?.replace("-", "").slice(0, 12) ?? "", 16)
    : Number.NaN;
  return Number.isNaN(stamp) ? mail.createdAt : stamp;
}

/**
 * Reads the attachment and builds the message. If the attachment is missing (its retention ended while the
 * provider was down), the transcript is sent without it.
 */
export async function buildMessage(
  mail: QueuedMail,
  from: string,
  recordingsDir: string,
  recordingLink: (callUuid: string) => string | null,
): Promise<MailMessage> {
  const attachment = mail.attachment
    ? await readAttachment(mail, mail.attachment, recordingsDir)
    : null;
  return {
    // A changed email needs a different key, because the same key with other content is a conflict.
    key: mail.recordingForm === "attached" ? mail.key : `${mail.key}:${mail.recordingForm}`,
    callUuid: mail.callUuid,
    from,
    to: mail.recipient,
    subject: oneLine(mail.subject),
    text: `${mail.body}${lastWords(mail, attachment !== null, recordingLink)}`,
    messageId: messageIdFor(mail.key, from),
    date: new Date(mail.createdAt),
    attachment,
  };
}

/** Text about the recording. Older emails, without separate texts, only mention the link. */
function lastWords(
  { recordingWords: words, recordingForm, callUuid }: QueuedMail,
  isAttached: boolean,
  recordingLink: (callUuid: string) => string | null,
): string {
  if (recordingForm === "linked" && callUuid !== null) {
    const url = recordingLink(callUuid);
    if (url === null) return words ? `${words.notKept ?? words.gone}\n` : "";
    return `${words?.linked.replace("{url}", url) ?? `\n${url}`}\n`;
  }
  if (!words) return "";
  if (recordingForm === "unreachable") return `${words.unreachable}\n`;
  return `${isAttached ? words.attached : words.gone}\n`;
}

async function readAttachment(
  mail: QueuedMail,
  file: string,
  recordingsDir: string,
): Promise<MailAttachment | null> {
  // The name comes from our own rows; `basename` still removes any path.
  const path = join(recordingsDir, basename(file));
  try {
    return {
      filename: attachmentName(mail, file),
      contentType: CONTENT_TYPES[extname(file)] ?? "application/octet-stream",
      content: await readFile(path),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Bytes in pieces, yielding to the event loop in between: a recording may have 100 MB. */
export async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES);
    await yieldToEventLoop();
  }
}

/** The message as sent or written to an .eml file, with CRLF lines. */
export async function composeBytes(message: MailMessage): Promise<Buffer> {
  const { attachment } = message;
  // Loaded with the first email: a quiet appliance rarely needs it.
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const composer = new MailComposer({
    from: message.from,
    to: message.to,
    subject: message.subject,
    text: message.text,
    messageId: message.messageId,
    date: message.date,
    headers: { "Auto-Submitted": "auto-generated" },
    newline: "\r\n",
    attachments: attachment
      ? [
          {
            filename: attachment.filename,
            contentType: attachment.contentType,
            content: Readable.from(piecesOf(attachment.content)),
          },
        ]
      : [],
  });
  return composer.compile().build();
}
