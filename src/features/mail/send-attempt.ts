/**
 * One attempt to send an email: how the recording is sent, and the timeout for the provider.
 *
 * The recording is attached up to the operator's limit. Above it, or if the receiver rejects the size, the
 * email contains a signed link. The recording then stays until its retention ends.
 */
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { buildMessage } from "./message.ts";
import { type MailProvider, MailTooLarge } from "./provider.ts";
import type { ClaimedMail, QueuedMail } from "./stores.ts";

export interface SendAttemptOptions {
  readonly provider: MailProvider;
  /** The directory of attachments. */
  readonly recordingsDir: string;
  /** `[mail] attachment_bytes_max`. */
  readonly attachmentBytesMax: number;
  /** Signed link, valid as long as the recording is stored; null if recordings are not stored. */
  readonly recordingLink: (callUuid: string) => string | null;
  /** `Linevoice <calls@example.com>` or a bare address. */
  readonly from: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Changes to the stored row during an attempt. */
interface SendAttemptSteps {
  /** Extends the lease of this email by `ms`. */
  extendLease(ms: number): Promise<void>;
  /** From now on the email is sent without its attachment. */
  detach(form: "linked" | "unreachable"): Promise<void>;
}

/** Timeout per MB, for a slow uplink or receiver: 1 MB per minute is 140 kbit/s. */
const MS_PER_MB = 60_000;
const MB = 1_000_000;

/** The timeout for an email with an attachment of this many bytes. */
const sendTimeoutMs = (provider: Pick<MailProvider, "answerMsMax">, bytes: number): number =>
  provider.answerMsMax + Math.ceil((bytes / MB) * MS_PER_MB);

/**
 * Resolves with the email as it was sent. Rejects with the provider's error or the signal's reason;
 * by then the provider no longer uses the message.
 */
export async function attemptSend(
  options: SendAttemptOptions,
  claimed: ClaimedMail,
  steps: SendAttemptSteps,
  signal: AbortSignal,
): Promise<QueuedMail> {
  let mail: QueuedMail = claimed;
  const { log } = options;
  const fields = { mail_id: mail.id, call_id: mail.callUuid };

  async function detach(form: "linked" | "unreachable"): Promise<void> {
    await steps.detach(form);
    mail = { ...mail, attachment: null, recordingForm: form };
    log.info("mail.recording_not_attached", { ...fields, form });
  }

  const bytes = mail.attachment === null ? 0 : sizeOf(options.recordingsDir, mail.attachment);
  if (claimed.isLost) await detach("unreachable");
  else if (bytes > options.attachmentBytesMax) await detach("linked");
  try {
    await send(options, mail, steps, signal);
  } catch (error) {
    if (!(error instanceof MailTooLarge) || mail.attachment === null) throw error;
    await detach("linked");
    await send(options, mail, steps, signal);
  }
  return mail;
}

/** 0 if the file does not exist. */
function sizeOf(directory: string, file: string): number {
  return statSync(join(directory, basename(file)), { throwIfNoEntry: false })?.size ?? 0;
}

async function send(
  options: SendAttemptOptions,
  mail: QueuedMail,
  steps: SendAttemptSteps,
  signal: AbortSignal,
): Promise<void> {
  const { provider, clock, recordingLink, from, recordingsDir } = options;
  const message = await buildMessage(mail, from, recordingsDir, recordingLink);
  const limitMs = sendTimeoutMs(provider, message.attachment?.content.length ?? 0);
  await steps.extendLease(limitMs + MS_PER_MB);
  await within(clock, limitMs, signal, (until) => provider.send(message, until));
}

/**
 * Aborts the work after the timeout and waits until it has ended, so that two attempts never
 * overlap. Rejects at once with the signal's reason when that aborts, because the process is
 * ending.
 */
async function within(
  clock: Clock,
  limitMs: number,
  signal: AbortSignal,
  work: (until: AbortSignal) => Promise<void>,
): Promise<void> {
  const late = new AbortController();
  const timer = clock.after(limitMs, () =>
    late.abort(new Error(`the provider did not accept the email within ${limitMs} ms`)),
  );
  const stopped = Promise.withResolvers<never>();
  const onStop = () => stopped.reject(signal.reason);
  signal.addEventListener("abort", onStop, { once: true });
  try {
    signal.throwIfAborted();
    await Promise.race([work(AbortSignal.any([signal, late.signal])), stopped.promise]);
  } catch (error) {
    throw late.signal.aborted ? late.signal.reason : error;
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", onStop);
  }
}
