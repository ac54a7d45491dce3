/** Names of a mail's file, attachment and id, providers' time limits, and permissions of the outbox. */
import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { attachmentName, messageIdFor } from "../../../src/features/mail/message.ts";
import { outboxProvider } from "../../../src/features/mail/providers/outbox.ts";
import { smtpProvider } from "../../../src/features/mail/providers/smtp.ts";
import { tempDir } from "../../support/temp-dir.ts";

const DATE = new Date("2026-11-21T04:05:06.789Z");
const CALL = "019aa4c8-0000-7000-8000-0000deadbeef";

test("an id is 32 characters of its key's digest at the sender's domain", () => {
  expect(messageIdFor("k", "Calls <calls@voice.example>")).toMatch(
    /^<[0-9a-f]{32}@voice\.example>$/,
  );
  expect(messageIdFor("k", "calls")).toEndWith("@linevoice.local>");
  expect(messageIdFor("k", "a@b.c")).toBe(messageIdFor("k", "a@b.c"));
});

test("an attachment's name has the time and id of its call", () => {
  const stamp = DATE.getTime().toString(16).padStart(12, "0");
  const callUuid = `${stamp.slice(0, 8)}-${stamp.slice(8)}-7000-8000-0000deadbeef`;
  expect(attachmentName({ callUuid, createdAt: 0, recordingWords: null }, "a.mp3")).toBe(
    "call-2026-11-21-0405-deadbeef.mp3",
  );
  const other = { callUuid: null, createdAt: DATE.getTime(), recordingWords: null };
  expect(attachmentName(other, "a.wav")).toBe("call-2026-11-21-0405-recording.wav");
});

test("only its owner may read the outbox, and a file's name has its time and call or id", async () => {
  const directory = join(tempDir(), "not", "there", "yet");
  const provider = outboxProvider(directory);
  const message = {
    key: "k",
    from: "a@b.example",
    to: "c@d.example",
    subject: "s",
    text: "t",
    attachment: null,
    date: DATE,
    messageId: messageIdFor("k", "a@b.example"),
  };
  const { signal } = new AbortController();
  await provider.send({ ...message, callUuid: CALL }, signal);
  await provider.send({ ...message, callUuid: null }, signal);
  const id = message.messageId.slice(1, 17);
  const names = [`2026-11-21T040506-${CALL}.eml`, `2026-11-21T040506-${id}.eml`];
  expect(readdirSync(directory).sort()).toEqual(names.sort());
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  for (const name of names) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
});

test("a disk may take two minutes, an SMTP server ten", () => {
  expect(outboxProvider("/").answerMsMax).toBe(120_000);
  const server = { host: "127.0.0.1", port: 25, security: "none", timeoutMs: 1 } as const;
  expect(smtpProvider({ ...server, username: null, password: null }).answerMsMax).toBe(600_000);
});
