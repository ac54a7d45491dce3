/** Mail over SMTP (RFC 5321) with nodemailer: STARTTLS or implicit TLS, verified. */
import type { Transporter } from "nodemailer";
import type SMTPTransport from "nodemailer/lib/smtp-transport";
import { composeBytes } from "../message.ts";
import { type MailProvider, MailRefused } from "../provider.ts";

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte (465). `starttls`: required after EHLO (587). `none`: a relay nearby. */
  readonly security: "tls" | "starttls" | "none";
  readonly username: string | null;
  readonly password: string | null;
  /** PEM trusted beside the built-in roots. */
  readonly caPem?: string | null;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Between two answers of the server. */
const SOCKET_TIMEOUT_MS = 30_000;

/** 5yz is final (RFC 5321 4.2.1), but a failed login is the operator's to mend, not the message's. */
function isFinal(error: { responseCode?: number; code?: string }): boolean {
  const { responseCode = 0, code } = error;
  return responseCode >= 500 && (code === "EENVELOPE" || code === "EMESSAGE");
}

export function smtpProvider(settings: SmtpSettings): MailProvider {
  const { host, port, security, username, password } = settings;
  const options: SMTPTransport.Options = {
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    auth: username === null ? undefined : { user: username, pass: password ?? "" },
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    tls: settings.caPem ? { ca: settings.caPem } : {},
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  let transport: Transporter | null = null;

  /** The package is loaded with the first mail. */
  async function opened(): Promise<Transporter> {
    const { default: nodemailer } = await import("nodemailer");
    transport ??= nodemailer.createTransport(options);
    return transport;
  }

  return {
    name: "smtp",
    async send(message) {
      const envelope = { from: addressOf(message.from), to: [message.to] };
      try {
        const raw = await composeBytes(message);
        await (await opened()).sendMail({ envelope, raw });
      } catch (error) {
        const refusal = error as { responseCode?: number; code?: string; response?: string };
        if (isFinal(refusal))
          throw new MailRefused(refusal.response ?? "refused", { cause: error });
        throw error;
      }
    },
    async close() {
      transport?.close();
    },
  };
}

/** `Linevoice <calls@example.com>` → `calls@example.com`. */
const addressOf = (from: string): string => /<([^>]+)>/.exec(from)?.[1] ?? from.trim();
