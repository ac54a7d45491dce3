/** The port of an email provider: accepts a message or reports why not. */
import type { MailMessage } from "./message.ts";

export interface MailProvider {
  readonly name: "outbox" | "smtp" | "resend";
  /** Maximum time to accept a message without attachment. */
  readonly answerMsMax: number;
  /**
   * Resolves when the provider has accepted the message. Rejects with MailRejected when a retry
   * cannot help, MailTooLarge when a smaller message might be accepted, and with another error when
   * a retry may help. When the signal aborts, it closes the connection and rejects soon.
   */
  send(message: MailMessage, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The message itself is rejected: invalid recipient or sender. */
export class MailRejected extends Error {
  override readonly name: string = "MailRejected";
}

/** The message is larger than the receiver accepts. */
export class MailTooLarge extends MailRejected {
  override readonly name = "MailTooLarge";
}
