/**
 * A small SMTP server (RFC 5321) that stores received mail and rejects what the test defines. With
 * a certificate it has STARTTLS (RFC 3207). With an account it accepts mail only after AUTH PLAIN
 * or LOGIN (RFC 4954), which it offers only over TLS.
 */
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import type { Certificate } from "./test-ca.ts";

export interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  /** The mail without dot-stuffing, with CRLF line ends. */
  readonly data: string;
  /** Whether it came over TLS. */
  readonly secure: boolean;
  readonly user: string | null;
}

export interface SmtpOptions {
  readonly certificate?: Certificate;
  readonly account?: { readonly user: string; readonly password: string };
  /** Announced by SIZE (RFC 1870). */
  readonly sizeMax?: number;
  /** TLS from the first byte. */
  readonly implicitTls?: boolean;
}

export interface SmtpServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /**
   * Responses that replace the usual ones, by the command's first word: `{ RCPT: "550 no such user"
   * }`.
   */
  refuse: Record<string, string>;
  /** Called after a whole mail was received; its promise delays the response. */
  beforeAccept: (() => Promise<void>) | null;
  /** Called after the acceptance was sent. */
  afterAccept: (() => void) | null;
  /** Number of open connections. */
  connections(): number;
  close(): Promise<void>;
}

export async function smtpServer(
  host = "127.0.0.1",
  options: SmtpOptions = {},
): Promise<SmtpServer> {
  const state: Omit<SmtpServer, "close" | "connections" | "port"> & { port: number } = {
    port: 0,
    mails: [],
    refuse: {},
    beforeAccept: null,
    afterAccept: null,
  };
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    if (options.implicitTls) converse(secured(socket, options), state, options, true);
    else converse(socket, state, options, false);
  });
  await new Promise<void>((done) => server.listen(0, host, done));
  state.port = (server.address() as AddressInfo).port;
  return Object.assign(state, {
    connections: () => sockets.size,
    close: () =>
      new Promise<void>((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  });
}

function secured(socket: net.Socket, { certificate }: SmtpOptions): tls.TLSSocket {
  const secure = new tls.TLSSocket(socket, { isServer: true, ...certificate });
  secure.on("error", () => {});
  return secure;
}

const decoded = (base64: string) => Buffer.from(base64, "base64").toString("utf8");

const ANSWERS: Readonly<Record<string, string>> = {
  EHLO: "250-test.local\r\n250 8BITMIME",
  HELO: "250 test.local",
  MAIL: "250 ok",
  RCPT: "250 ok",
  DATA: "354 go on",
  RSET: "250 ok",
  QUIT: "221 bye",
};

function converse(
  socket: net.Socket,
  state: Pick<SmtpServer, "mails" | "refuse" | "beforeAccept" | "afterAccept">,
  options: SmtpOptions,
  secure: boolean,
  greets = true,
): void {
  const { certificate, account } = options;
  let user: string | null = null;
  /** Handler for a line that answers a challenge. */
  let expecting: ((line: string) => void) | null = null;
  let buffered = "";
  let from = "";
  let to = "";
  let inData = false;
  const say = (line: string) => socket.write(`${line}\r\n`);

  function login(name: string, password: string): void {
    expecting = null;
    const isKnown = name === account?.user && password === account.password;
    user = isKnown ? name : null;
    say(isKnown ? "235 welcome" : "535 5.7.8 authentication failed");
  }

  /** AUTH PLAIN with or without an initial response, and AUTH LOGIN. */
  function authenticate(line: string): void {
    const [, mechanism = "", initial] = line.split(" ");
    const plain = (answer: string) => {
      const [, name = "", password = ""] = decoded(answer).split("\0");
      login(name, password);
    };
    if (mechanism.toUpperCase() === "PLAIN") {
      expecting = plain;
      if (initial === undefined) say("334 ");
      else plain(initial);
      return;
    }
    say("334 VXNlcm5hbWU6");
    expecting = (name) => {
      say("334 UGFzc3dvcmQ6");
      expecting = (password) => login(decoded(name), decoded(password));
    };
  }

  function startTls(): void {
    say("220 go on");
    socket.removeAllListeners("data");
    converse(secured(socket, options), state, options, true, false);
  }

  function command(line: string): void {
    if (expecting) {
      expecting(line);
      return;
    }
    const word = line.split(" ")[0]?.toUpperCase() ?? "";
    const address = /<([^>]*)>/.exec(line)?.[1] ?? "";
    if (word === "STARTTLS" && certificate && !secure) {
      startTls();
      return;
    }
    if (word === "AUTH" && account && secure && !state.refuse.AUTH) {
      authenticate(line);
      return;
    }
    if (word === "MAIL" && account && user === null) {
      say("530 authentication required");
      return;
    }
    if (word === "EHLO" && !state.refuse.EHLO) {
      const extensions = ["8BITMIME"];
      if (options.sizeMax) extensions.push(`SIZE ${options.sizeMax}`);
      if (certificate && !secure) extensions.push("STARTTLS");
      if (account && secure) extensions.push("AUTH PLAIN LOGIN");
      const lines = ["test.local", ...extensions];
      lines.forEach((text, index) => {
        say(`250${index === lines.length - 1 ? " " : "-"}${text}`);
      });
      return;
    }
    if (word === "MAIL") from = address;
    if (word === "RCPT") to = address;
    const answer = state.refuse[word] ?? ANSWERS[word] ?? "502 unknown";
    inData = answer.startsWith("354");
    say(answer);
    if (word === "QUIT") socket.end();
  }

  async function endOfData(data: string): Promise<void> {
    inData = false;
    await state.beforeAccept?.();
    if (socket.destroyed) return;
    const refusal = state.refuse["."];
    if (!refusal) state.mails.push({ from, to, data: data.replace(/^\.\./gm, "."), secure, user });
    say(refusal ?? "250 taken");
    if (!refusal) state.afterAccept?.();
  }

  if (greets) say("220 test.local");
  socket.on("data", (chunk) => {
    buffered += chunk.toString("latin1");
    for (;;) {
      const end = buffered.indexOf(inData ? "\r\n.\r\n" : "\r\n");
      if (end < 0) return;
      const text = buffered.slice(0, end);
      buffered = buffered.slice(end + (inData ? 5 : 2));
      if (inData) void endOfData(`${text}\r\n`);
      else command(text);
    }
  });
}
