/** Who takes a mail from us, over real sockets: SMTP in the clear, with STARTTLS and TLS, and Resend. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { MailRefused } from "../../../src/mail/provider.ts";
import { resendProvider } from "../../../src/mail/providers/resend.ts";
import { smtpProvider } from "../../../src/mail/providers/smtp.ts";
import { readMail } from "../../support/mime.ts";
import { smtpServer } from "../../support/smtp-server.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { testCa } from "../../support/test-ca.ts";

setDefaultTimeout(30_000);

const plainMessage = {
  ...{ key: "k", callUuid: null, from: "a@b.example", to: "c@d.example", subject: "s", text: "t" },
  ...{ messageId: "<3@b.example>", date: new Date(0), attachment: null },
};

describe("the SMTP provider", () => {
  test("hands over text and attachment intact, and tells refusals from outages", async () => {
    const smtp = await smtpServer("127.43.0.1");
    const provider = smtpProvider({
      host: "127.43.0.1",
      port: smtp.port,
      security: "none",
      username: null,
      password: null,
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
    await provider.send(message);
    const [mail] = smtp.mails;
    expect(mail).toMatchObject({ from: "calls@voice.example", to: "desk@clinic.example" });
    const read = readMail(mail?.data ?? "");
    expect(read.headers["message-id"]).toBe("<1@voice.example>");
    expect(read.text.replaceAll("\r\n", "\n")).toBe(message.text);
    expect(read.attachment?.content.equals(message.attachment.content)).toBe(true);

    smtp.refuse = { RCPT: "550 no such user" };
    await expect(provider.send(message)).rejects.toBeInstanceOf(MailRefused);
    smtp.refuse = { RCPT: "451 try later" };
    await expect(provider.send(message)).rejects.not.toBeInstanceOf(MailRefused);
    smtp.refuse = { ".": "552 too large" };
    await expect(provider.send(message)).rejects.toBeInstanceOf(MailRefused);
    await smtp.close();
    await expect(provider.send(message)).rejects.not.toBeInstanceOf(MailRefused);
    await provider.close();
  });

  test("with STARTTLS asked for, nothing goes to a server that has none", async () => {
    const smtp = await smtpServer("127.43.0.1");
    const { port } = smtp;
    const provider = smtpProvider({
      host: "127.43.0.1",
      port,
      security: "starttls",
      username: "u",
      password: "p",
    });
    await expect(provider.send(plainMessage)).rejects.toThrow();
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
        ...{ certificate: ca.issue([`IP:${certified}`]), account },
        implicitTls: security === "tls",
      });
    const provider = (port: number, password = account.password, caPem: string | null = ca.caPem) =>
      smtpProvider({ host: HOST, port, security, username: account.user, password, caPem });

    test("the mail goes encrypted, after the login", async () => {
      const server = await start();
      const smtpClient = provider(server.port);
      await smtpClient.send(plainMessage);
      expect(server.mails).toMatchObject([{ secure: true, user: "clinic", to: "c@d.example" }]);
      await smtpClient.close();
      await server.close();
    });

    test("a wrong password is the operator's to mend: the mail is not refused for good", async () => {
      const server = await start();
      const smtpClient = provider(server.port, "wrong");
      const error = await smtpClient.send(plainMessage).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(MailRefused);
      expect(server.mails).toEqual([]);
      await smtpClient.close();
      await server.close();
    });

    test("a certificate of another name, or of nobody we trust, gets neither password nor mail", async () => {
      for (const [certified, caPem] of [
        ["127.43.0.8", ca.caPem],
        [HOST, null],
      ] as const) {
        const server = await start(certified);
        const smtpClient = provider(server.port, account.password, caPem);
        await expect(smtpClient.send(plainMessage)).rejects.toThrow();
        expect(server.mails).toEqual([]);
        await smtpClient.close();
        await server.close();
      }
    });
  });

describe("the Resend provider", () => {
  test("posts the message with its idempotency key, and tells refusals from outages", async () => {
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
    const provider = resendProvider({ apiKey: "re_test", baseUrl });
    const content = randomBytes(1000);
    const message = {
      ...plainMessage,
      key: "transcript:1",
      attachment: { filename: "a.mp3", contentType: "audio/mpeg", content },
    };
    await provider.send(message);
    expect(seen[0]?.key).toBe("transcript:1");
    expect(seen[0]?.body).toMatchObject({ from: "a@b.example", subject: "s", text: "t" });
    const sent = (seen[0]?.body.attachments ?? []) as { content: string; filename: string }[];
    const attachment = sent[0];
    expect(attachment?.filename).toBe("a.mp3");
    expect(Buffer.from(attachment?.content ?? "", "base64").equals(content)).toBe(true);
    status = 422;
    await expect(provider.send(message)).rejects.toBeInstanceOf(MailRefused);
    for (status of [401, 429, 500])
      await expect(provider.send(message)).rejects.not.toBeInstanceOf(MailRefused);
    await server.stop(true);
    await expect(provider.send(message)).rejects.not.toBeInstanceOf(MailRefused);
  });
});
