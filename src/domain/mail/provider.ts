/** A mail provider: takes a message over, or says why not. */
import type { MailMessage } from "./message.ts";

export interface MailProvider {
  readonly name: "outbox" | "smtp" | "resend";
  /** How long it may take to take a message without attachment over. */
  readonly answerMsMax: number;
  /**
   * Resolves when the provider has taken responsibility for the message. Rejects with MailRefused when
   * trying again cannot help, MailTooLarge where a smaller message may do; with anything else when it
   * may. When the signal aborts it lets go of the connection and rejects soon.
   */
  send(message: MailMessage, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The message itself is refused: bad recipient, bad sender. */
export class MailRejected extends Error {
  override readonly name: string = "MailRefused";
}

/** It is larger than the receiver takes. */
export class MailTooLarge extends MailRejected {
  override readonly name = "MailTooLarge";
}
