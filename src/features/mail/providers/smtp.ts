/**
 * Email over SMTP (RFC 5321) with nodemailer: STARTTLS or implicit TLS, verified. One connection
 * per email; it is destroyed when the attempt is aborted.
 */
import { Readable } from "node:stream";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import { composeBytes, piecesOf } from "../message.ts";
import { type MailProvider, MailRejected, MailTooLarge } from "../provider.ts";

interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /**
   * `tls`: from the first byte (465). `starttls`: required after EHLO (587). `none`: a local relay.
   */
  readonly security: "tls" | "starttls" | "none";
  readonly username: string | null;
  readonly password: string | null;
  /** For connecting, and for the server's greeting. */
  readonly timeoutMs: number;
  /** PEM trusted in addition to the built-in roots. */
  readonly caPem?: string | null;
}

/**
 * Maximum time for the server to scan and store the message after its last line (RFC 5321
 * 4.5.3.2.6).
 */
const ANSWER_MS_MAX = 600_000;
/** Longer than any timeout of the caller: the caller's signal ends the attempt. */
const SOCKET_TIMEOUT_MS = 2 * ANSWER_MS_MAX;
/** 552: storage allocation exceeded. 523: too large for this receiver. */
const TOO_LARGE_CODES: ReadonlySet<number> = new Set([552, 523]);
/** Message length exceeds the limit of the receiver or of the system (RFC 3463 3.3, 3.4). */
const TOO_LARGE_STATUS = /^5\d\d[ -]5\.(?:2\.3|3\.4)\b/;

interface SmtpFailure {
  readonly responseCode?: number;
  readonly code?: string;
  readonly response?: string;
}

/** 5yz is permanent (RFC 5321 4.2.1), but a failed login can be fixed by the operator. */
const isFinal = ({ responseCode = 0, code }: SmtpFailure): boolean =>
  responseCode >= 500 && (code === "EENVELOPE" || code === "EMESSAGE");

/** Reported by the server, or computed from the limit that it announced (RFC 1870). */
const isTooLarge = ({ responseCode, code, response = "" }: SmtpFailure): boolean =>
  (code === "EMESSAGE" && responseCode === undefined) ||
  TOO_LARGE_CODES.has(responseCode ?? 0) ||
  TOO_LARGE_STATUS.test(response);

export function smtpProvider(settings: SmtpSettings): MailProvider {
  const { host, port, security, username, password, timeoutMs } = settings;
  const options: SMTPConnection.Options = {
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: SOCKET_TIMEOUT_MS,
    tls: settings.caPem ? { ca: settings.caPem } : {},
  };
  const login = username === null ? null : { user: username, pass: password ?? "" };

  return {
    name: "smtp",
    answerMsMax: ANSWER_MS_MAX,
    async send(message, signal) {
      signal.throwIfAborted();
      const raw = await composeBytes(message);
      const envelope = { from: addressOf(message.from), to: [message.to], size: raw.length };
      // The package is loaded with the first email.
      const { default: Connection } = await import("nodemailer/lib/smtp-connection");
      // Closing destroys the socket: unsent data must not be sent after the attempt was aborted.
      const connection = new Connection({ ...options, socketCloseTimeout: 0 } as typeof options);
      const { promise: ended, reject: end } = Promise.withResolvers<never>();
      ended.catch(() => undefined);
      connection.on("error", end);
      connection.on("end", () => end(new Error("the server closed the connection")));
      const onAbort = () => {
        end(signal.reason);
        connection.close();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        await Promise.race([transfer(connection, login, envelope, raw), ended]);
        connection.quit();
      } catch (error) {
        connection.close();
        const failure = error as SmtpFailure & Error;
        const serverReply = failure.response ?? failure.message;
        if (isTooLarge(failure)) throw new MailTooLarge(serverReply, { cause: error });
        if (isFinal(failure)) throw new MailRejected(serverReply, { cause: error });
        throw error;
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
    },
    async close() {},
  };
}

async function transfer(
  connection: SMTPConnection,
  login: { readonly user: string; readonly pass: string } | null,
  envelope: SMTPConnection.Envelope,
  raw: Buffer,
): Promise<void> {
  const done = (step: (callback: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => {
      step((error) => (error ? reject(error) : resolve()));
    });
  await done((callback) => connection.connect(callback));
  if (login) await done((callback) => connection.login(login, callback));
  await done((callback) => connection.send(envelope, Readable.from(piecesOf(raw)), callback));
}

/** `Linevoice <calls@example.com>` → `calls@example.com`. */
const addressOf = (from: string): string => /<([^>]+)>/.exec(from)?.[1] ?? from.trim();
