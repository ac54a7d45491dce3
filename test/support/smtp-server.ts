/** A small SMTP server (RFC 5321) that keeps what it is given and refuses what the test says. */
import net, { type AddressInfo } from "node:net";

export interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  /** As sent, dot-stuffing undone, CRLF lines. */
  readonly data: string;
}

export interface SmtpServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** Answer instead of the usual one, by the command's first word: `{ RCPT: "550 no such user" }`. */
  refuse: Record<string, string>;
  /** A whole mail is here and not yet accepted. Nothing is answered until it resolves. */
  beforeAccept: (() => Promise<void>) | null;
  /** The acceptance is on its way. */
  afterAccept: (() => void) | null;
  close(): Promise<void>;
}

export async function smtpServer(host = "127.0.0.1"): Promise<SmtpServer> {
  const state: Omit<SmtpServer, "close" | "port"> & { port: number } = {
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
    converse(socket, state);
  });
  await new Promise<void>((done) => server.listen(0, host, done));
  state.port = (server.address() as AddressInfo).port;
  return Object.assign(state, {
    close: () =>
      new Promise<void>((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  });
}

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
): void {
  let buffered = "";
  let from = "";
  let to = "";
  let inData = false;
  const say = (line: string) => socket.write(`${line}\r\n`);

  function command(line: string): void {
    const word = line.split(" ")[0]?.toUpperCase() ?? "";
    const address = /<([^>]*)>/.exec(line)?.[1] ?? "";
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
    if (!refusal) state.mails.push({ from, to, data: data.replace(/^\.\./gm, ".") });
    say(refusal ?? "250 taken");
    if (!refusal) state.afterAccept?.();
  }

  say("220 test.local");
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
