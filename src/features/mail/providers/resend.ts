/**
 * Email through Resend's HTTP API, with its official client. The email's key prevents duplicates
 * there.
 */
import type { Resend } from "resend";
import { type MailProvider, MailRejected, MailTooLarge } from "../provider.ts";

interface ResendSettings {
  readonly apiKey: string;
  readonly baseUrl?: string;
  /** For an email without attachment. */
  readonly timeoutMs: number;
}

/** The key or the account is wrong: the operator can fix that, the message is fine. */
const OPERATORS_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

const TOO_LARGE = 413;

export function resendProvider(settings: ResendSettings): MailProvider {
  const options = settings.baseUrl ? { baseUrl: settings.baseUrl } : undefined;
  let client: Resend | null = null;

  /** The package is loaded with the first email. */
  async function connected(): Promise<Resend> {
    const { Resend } = await import("resend");
    client ??= new Resend(settings.apiKey, options);
    return client;
  }

  return {
    name: "resend",
    answerMsMax: settings.timeoutMs,
    async send(message, signal) {
      const { attachment } = message;
      const { emails } = await connected();
      const { error } = await emails.send(
        {
          from: message.from,
          to: message.to,
          subject: message.subject,
          text: message.text,
          headers: { "Message-ID": message.messageId, "Auto-Submitted": "auto-generated" },
          attachments: attachment
            ? [
                {
                  filename: attachment.filename,
                  contentType: attachment.contentType,
                  content: attachment.content,
                },
              ]
            : undefined,
        },
        { idempotencyKey: message.key, signal },
      );
      signal.throwIfAborted();
      if (!error) return;
      const status = error.statusCode ?? 0;
      if (status === TOO_LARGE) throw new MailTooLarge(`${error.name}: ${error.message}`);
      if (status >= 400 && status < 500 && !OPERATORS_STATUSES.has(status))
        throw new MailRejected(`${error.name}: ${error.message}`);
      throw new Error(`resend: ${error.name}: ${error.message}`);
    },
    async close() {},
  };
}
