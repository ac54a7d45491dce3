/** Mail providers over real sockets: SMTP in the clear, with STARTTLS and TLS, and Resend. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { composeBytes } from "../../../src/features/mail/message.ts";
import { MailRejected, MailTooLarge } from "../../../src/features/mail/provider.ts";
import { resendProvider } from "../../../src/features/mail/providers/resend.ts";
import { smtpProvider } from "../../../src/features/mail/providers/smtp.ts";
import { eventually } from "../../support/eventually.ts";
import { readMail } from "../../support/http/mime.ts";
import { smtpServer } from "../../support/net/smtp-server.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

/** A signal that never aborts. */
const never = new AbortController().signal;

const plainMessage = {
  key: "k",
  callUuid: null,
  from: "a@b.example",
  to: "c@d.example",
  subject: "s",
  text: "t",
  messageId: "<3@b.example>",
  date: new Date(0),
  attachment: null,
};

/** The error of a hand-over. (`expect().rejects` runs the event loop inside itself: sockets stall.) */
const failure = (sending: Promise<unknown>): Promise<unknown> =>
  sending.then(
    () => expect.unreachable("it was handed over"),
    (error: unknown) => error,
  );

describe("the SMTP provider", () => {
  test("delivers text and attachment intact, and distinguishes refusals from outages", async () => {
    const smtp = await smtpServer("127.43.0.1");
    const provider = smtpProvider({
      host: "127.43.0.1",
      port: smtp.port,
      security: "none",
      username: null,
      password: null,
      timeoutMs: 10_000,
    });
    const message = {
      key: "k",
      callUuid: null,
      from: "Linevoice <calls@voice.example>",
      to: "desk@clinic.example",
      subject: "Zvans",
      text: "Teksts ķļņ\n.punkts",
      messageId: "<1@voice.example>",
      date: new Date("2026-11-21T04:05:06Z"),
      attachment: { filename: "a.mp3", contentType: "audio/mpeg", content: randomBytes(9999) },
    };
    await provider.send(message, never);
    const [mail] = smtp.mails;
    expect(mail).toMatchObject({ from: "calls@voice.example", to: "desk@clinic.example" });
    const read = readMail(mail?.data ?? "");
    expect(read.headers["message-id"]).toBe("<1@voice.example>");
    expect(read.text.replaceAll("\r\n", "\n")).toBe(message.text);
    expect(read.attachment?.content.equals(message.attachment.content)).toBe(true);

    smtp.refuse = { RCPT: "550 no such user" };
    expect(await failure(provider.send(message, never))).toBeInstanceOf(MailRejected);
    smtp.refuse = { RCPT: "500 not understood" };
    expect(await failure(provider.send(message, never))).toBeInstanceOf(MailRejected);
    for (const later of ["451 try later", "499 try later"]) {
      smtp.refuse = { RCPT: later };
      expect(await failure(provider.send(message, never))).not.toBeInstanceOf(MailRejected);
    }
    for (const refusal of [
      "552 too large",
      "523 message length exceeds the limit",
      "554 5.3.4 message too big for system",
      "550 5.2.3 message length exceeds the limit",
    ]) {
      smtp.refuse = { ".": refusal };
      expect(await failure(provider.send(message, never))).toBeInstanceOf(MailTooLarge);
    }
    smtp.refuse = { ".": "554 5.7.1 spam" };
    const spam = await failure(provider.send(message, never));
    expect(spam).toBeInstanceOf(MailRejected);
    expect(spam).not.toBeInstanceOf(MailTooLarge);
    await smtp.close();
    expect(await failure(provider.send(message, never))).not.toBeInstanceOf(MailRejected);
    await provider.close();
  });

  test("a long recording is encoded and sent in pieces that leave time for other work", async () => {
    const smtp = await smtpServer("127.43.0.1");
    const { port } = smtp;
    const account = { username: null, password: null, timeoutMs: 10_000 } as const;
    const provider = smtpProvider({ host: "127.43.0.1", port, security: "none", ...account });
    const content = randomBytes(16 * 1024 * 1024);
    const attachment = { filename: "a.mp3", contentType: "audio/mpeg", content };
    let turns = 0;
    let isBuilt = false;
    const turn = () => {
      turns++;
      if (!isBuilt) setImmediate(turn);
    };
    setImmediate(turn);
    const bytes = await composeBytes({ ...plainMessage, attachment });
    isBuilt = true;
    expect(turns).toBeGreaterThanOrEqual(64);
    await provider.send({ ...plainMessage, attachment }, never);
    expect(smtp.mails[0]?.data.length).toBe(bytes.length);
    const read = readMail(smtp.mails[0]?.data ?? "");
    expect(read.attachment?.content.equals(content)).toBe(true);
    await smtp.close();
  });

  test("an aborted hand-over destroys its connection: the server accepts nothing of it", async () => {
    const smtp = await smtpServer("127.43.0.1");
    const { port } = smtp;
    const provider = smtpProvider({
      host: "127.43.0.1",
      port,
      security: "none",
      timeoutMs: 10_000,
      username: null,
      password: null,
    });
    let isHere: () => void = () => {};
    const here = new Promise<void>((resolve) => {
      isHere = resolve;
    });
    smtp.beforeAccept = () => {
      isHere();
      return new Promise<void>(() => {});
    };
    const giveUp = new AbortController();
    const sending = provider.send(plainMessage, giveUp.signal);
    await here;
    expect(smtp.connections()).toBe(1);
    giveUp.abort(new Error("too late"));
    expect(await failure(sending)).toHaveProperty("message", "too late");
    await eventually(() => smtp.connections() === 0, "the connection is gone");
    expect(await failure(provider.send(plainMessage, giveUp.signal))).toHaveProperty(
      "message",
      "too late",
    );
    expect(smtp.mails).toEqual([]);
    await smtp.close();
  });

  test.each([
    ["below the announced limit", 40_000, "taken"],
    ["above it", 1_000, "too large"],
  ])("a mail %s of the server: %s", async (_, sizeMax, outcome) => {
    const smtp = await smtpServer("127.43.0.1", { sizeMax });
    const provider = smtpProvider({
      host: "127.43.0.1",
      port: smtp.port,
      security: "none",
      timeoutMs: 10_000,
      username: null,
      password: null,
    });
    const content = randomBytes(9_999);
    const attachment = { filename: "a.mp3", contentType: "audio/mpeg", content };
    const answer = await provider.send({ ...plainMessage, attachment }, never).then(
      () => "taken",
      (error: unknown) => (error instanceof MailTooLarge ? "too large" : String(error)),
    );
    expect(answer).toBe(outcome);
    expect(smtp.mails).toHaveLength(outcome === "taken" ? 1 : 0);
    await smtp.close();
  });

  test("with STARTTLS required, nothing is sent to a server without it", async () => {
    const smtp = await smtpServer("127.43.0.1");
    const { port } = smtp;
    const provider = smtpProvider({
      host: "127.43.0.1",
      port,
      security: "starttls",
      username: "u",
      password: "p",
      timeoutMs: 10_000,
    });
    await failure(provider.send(plainMessage, never));
    expect(smtp.mails).toEqual([]);
    await provider.close();
    await smtp.close();
  });
});

const ca = testCa(tempDir());
for (const security of ["starttls", "tls"] as const)
  describe(`SMTP with ${security} and a login`, () => {
    const HOST = "127.43.0.7";
    const account = { user: "clinic", password: "pässword with spaces" };
    const start = (certified = HOST) =>
      smtpServer(HOST, {
        certificate: ca.issue([`IP:${certified}`]),
        account,
        implicitTls: security === "tls",
      });
    const provider = (port: number, password = account.password, caPem: string | null = ca.caPem) =>
      smtpProvider({
        host: HOST,
        port,
        security,
        username: account.user,
        password,
        caPem,
        timeoutMs: 10_000,
      });

    test("the mail is sent encrypted, after the login", async () => {
      const server = await start();
      const smtpClient = provider(server.port);
      await smtpClient.send(plainMessage, never);
      expect(server.mails).toMatchObject([{ secure: true, user: "clinic", to: "c@d.example" }]);
      await smtpClient.close();
      await server.close();
    });

    test("a wrong password counts as an operator's error: the mail is not refused permanently", async () => {
      const server = await start();
      const smtpClient = provider(server.port, "wrong");
      const error = await smtpClient.send(plainMessage, never).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(MailRejected);
      expect(server.mails).toEqual([]);
      await smtpClient.close();
      await server.close();
    });

    test("a server with a wrong or untrusted certificate gets neither password nor mail", async () => {
      for (const [certified, caPem] of [
        ["127.43.0.8", ca.caPem],
        [HOST, null],
      ] as const) {
        const server = await start(certified);
        const smtpClient = provider(server.port, account.password, caPem);
        await failure(smtpClient.send(plainMessage, never));
        expect(server.mails).toEqual([]);
        await smtpClient.close();
        await server.close();
      }
    });
  });

describe("the Resend provider", () => {
  test("an aborted hand-over ends the request", async () => {
    const arrived = Promise.withResolvers<AbortSignal>();
    const server = Bun.serve({
      hostname: "127.43.0.2",
      port: 0,
      fetch(request) {
        arrived.resolve(request.signal);
        return new Promise<Response>(() => {});
      },
    });
    const provider = resendProvider({
      apiKey: "re_test",
      baseUrl: `http://127.43.0.2:${server.port}`,
      timeoutMs: 30_000,
    });
    const giveUp = new AbortController();
    const sending = provider.send(plainMessage, giveUp.signal);
    const request = await arrived.promise;
    giveUp.abort(new Error("too late"));
    expect(await failure(sending)).toHaveProperty("message", "too late");
    await eventually(() => request.aborted, "the request has ended");
    await server.stop(true);
  });

  test("sends the message with its idempotency key, and distinguishes refusals from outages", async () => {
    const seen: { key: string | null; body: Record<string, unknown> }[] = [];
    let status = 200;
    const server = Bun.serve({
      hostname: "127.43.0.2",
      port: 0,
      async fetch(request) {
        const body = (await request.json()) as Record<string, unknown>;
        seen.push({ key: request.headers.get("idempotency-key"), body });
        const error = { name: "validation_error", message: "bad", statusCode: status };
        return Response.json(status === 200 ? { id: "1" } : error, { status });
      },
    });
    const baseUrl = `http://127.43.0.2:${server.port}`;
    const provider = resendProvider({ apiKey: "re_test", baseUrl, timeoutMs: 30_000 });
    const content = randomBytes(1000);
    const message = {
      ...plainMessage,
      key: "transcript:1",
      attachment: { filename: "a.mp3", contentType: "audio/mpeg", content },
    };
    await provider.send(message, never);
    expect(seen[0]?.key).toBe("transcript:1");
    expect(seen[0]?.body).toMatchObject({ from: "a@b.example", subject: "s", text: "t" });
    const sent = (seen[0]?.body.attachments ?? []) as { content: string; filename: string }[];
    const attachment = sent[0];
    expect(attachment?.filename).toBe("a.mp3");
    expect(Buffer.from(attachment?.content ?? "", "base64").equals(content)).toBe(true);
    status = 413;
    expect(await failure(provider.send(message, never))).toBeInstanceOf(MailTooLarge);
    status = 422;
    expect(await failure(provider.send(message, never))).toBeInstanceOf(MailRejected);
    for (status of [400, 404, 499])
      expect(await failure(provider.send(message, never))).toBeInstanceOf(MailRejected);
    for (status of [401, 403, 429, 500])
      expect(await failure(provider.send(message, never))).not.toBeInstanceOf(MailRejected);
    await server.stop(true);
    expect(await failure(provider.send(message, never))).not.toBeInstanceOf(MailRejected);
  });
});
