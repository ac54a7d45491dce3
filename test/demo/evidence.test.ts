import { expect, test } from "bun:test";
import { createMp3Encoder } from "wasm-media-encoders";
import { isRightBill } from "../../src/demo/evidence/call-evidence.ts";
import { readMail } from "../../src/demo/evidence/mail-file.ts";
import { decodeMp3 } from "../../src/demo/evidence/mp3.ts";
import { composeBytes } from "../../src/features/mail/message.ts";
import { tone, toneShare } from "../support/media/phone.ts";

async function mp3Of(left: Int16Array, right: Int16Array): Promise<Buffer> {
  const encoder = await createMp3Encoder();
  encoder.configure({ sampleRate: 8000, channels: 2, bitrate: 32 });
  const float = (pcm: Int16Array) => Float32Array.from(pcm, (sample) => sample / 32768);
  const head = Buffer.from(encoder.encode([float(left), float(right)]));
  return Buffer.concat([head, Buffer.from(encoder.finalize())]);
}

test("an MP3 decodes to its two channels, each with its own sound", async () => {
  const decoded = await decodeMp3(await mp3Of(tone(600, 3000), tone(1000, 3000)));
  expect(toneShare(decoded.left, 600)).toBeGreaterThan(0.9);
  expect(toneShare(decoded.right, 1000)).toBeGreaterThan(0.9);
  expect(decoded.durationMs).toBeGreaterThanOrEqual(2900);
  expect(decoded.durationMs).toBeLessThan(3300);
});

test("a mail as the outbox writes it gives back text and attachment, byte for byte", async () => {
  const content = await mp3Of(tone(600, 500), tone(1000, 500));
  const text =
    "Agent: Labas rytas, čia klinika.\nCustomer: Hello, a line = that is long enough to be folded by quoted-printable, twice.";
  const eml = await composeBytes({
    key: "transcript:1",
    callUuid: "1",
    from: "Linevoice <linevoice@localhost>",
    to: "office@brightsmile.example",
    subject: "Call",
    text,
    messageId: "<1@localhost>",
    date: new Date(0),
    attachment: { filename: "call-1.mp3", contentType: "audio/mpeg", content },
  });
  const mail = await readMail(Buffer.from(eml).toString("utf8"));
  expect(mail.to).toContain("office@brightsmile.example");
  expect(mail.text.trim()).toBe(text);
  expect(mail.attachment?.filename).toBe("call-1.mp3");
  expect(mail.attachment?.content.equals(content)).toBe(true);
});

test("a bill counts started seconds, at least 15", () => {
  expect(isRightBill(15, 3_000)).toBe(true);
  expect(isRightBill(14, 3_000)).toBe(false);
  expect(isRightBill(21, 20_500)).toBe(true);
  expect(isRightBill(20, 20_500)).toBe(false);
  expect(isRightBill(22, 20_500)).toBe(false);
});
