/**
 * One try of one mail: how its recording goes, and how long the provider has.
 *
 * The recording is attached up to the operator's limit. Above it, and where the receiver refuses the
 * size, the mail carries a signed link instead, and the recording stays until its retention ends.
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
  /** Attachments are files in here. */
  readonly recordingsDir: string;
  /** `[mail] attachment_bytes_max`. */
  readonly attachmentBytesMax: number;
  /** Signed, and good for as long as the recording stays. */
  readonly recordingLink: (callUuid: string) => string;
  /** `Linevoice <calls@example.com>` or a bare address. */
  readonly from: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a try changes in the store while it goes on. */
interface SendAttemptSteps {
  /** Nobody else may take the mail for so long. */
  extendLease(ms: number): Promise<void>;
  /** From now on the mail goes without its attachment. */
  detach(form: "linked" | "unreachable"): Promise<void>;
}

/** A slow uplink or receiver: 1 MB in a minute is 140 kbit/s. */
const MS_PER_MB = 60_000;
const MB = 1_000_000;

/** How long the provider has for a mail with so many bytes attached. */
const sendTimeoutMs = (provider: Pick<MailProvider, "answerMsMax">, bytes: number): number =>
  provider.answerMsMax + Math.ceil((bytes / MB) * MS_PER_MB);

/**
 * Resolves with the mail as it was handed over; rejects with what the provider says, or with the
 * signal's reason. The provider is done with the message then.
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

/** 0: it is gone. */
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
 * Aborts the work when its time is up, and waits until it has ended: a second try must not begin while
 * the first goes on. Rejects at once with the signal's reason when that aborts: the process ends.
 */
async function within(
  clock: Clock,
  limitMs: number,
  signal: AbortSignal,
  work: (until: AbortSignal) => Promise<void>,
): Promise<void> {
  const late = new AbortController();
  const timer = clock.after(limitMs, () =>
    late.abort(new Error(`the provider did not take the mail within ${limitMs} ms`)),
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
