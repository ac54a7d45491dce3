/** A mail provider: takes a message over, or says why not. */
import type { MailMessage } from "./message.ts";

export interface MailProvider {
  readonly name: "outbox" | "smtp" | "resend";
  /**
   * Resolves when the provider has taken responsibility for the message. Rejects with MailRefused when
   * trying again cannot help; with anything else when it may.
   */
  send(message: MailMessage): Promise<void>;
  close(): Promise<void>;
}

/** The message itself is refused: bad recipient, bad sender, too large. */
export class MailRefused extends Error {
  override readonly name = "MailRefused";
}
