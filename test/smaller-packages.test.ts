/** Packages whose bytes the program keeps compressed beside its code do as they did. */
import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Parser } from "htmlparser2";
import { createDecoder, createEncoder } from "libopus-wasm";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import tokenizer from "llama-tokenizer-js";
import MailComposer from "nodemailer/lib/mail-composer";
import { TOTP } from "otpauth";
import PostalMime from "postal-mime";
import Stripe from "stripe";
import { smallerPackages } from "../scripts/smaller-packages.ts";
import { tempDir } from "./support/temp-dir.ts";

interface Packages {
  createDecoder: typeof createDecoder;
  createEncoder: typeof createEncoder;
  tokenizer: typeof tokenizer;
  TOTP: typeof TOTP;
  parsePhoneNumberFromString: typeof parsePhoneNumberFromString;
  PostalMime: typeof PostalMime;
  Stripe: typeof Stripe;
  MailComposer: typeof MailComposer;
  Parser: typeof Parser;
}

const at = (name: string) => JSON.stringify(fileURLToPath(import.meta.resolve(name)));
const ENTRY = `
export { createDecoder, createEncoder } from ${at("libopus-wasm")};
export { default as tokenizer } from ${at("llama-tokenizer-js")};
export { TOTP } from "otpauth";
export { parse } from "csv-parse";
export { parse as parseAll } from "csv-parse/sync";
export { parsePhoneNumberFromString } from ${at("libphonenumber-js/max")};
export { default as PostalMime } from "postal-mime";
export { default as Stripe } from "stripe";
export { fileTypeFromBlob } from "file-type";
export { Resend } from "resend";
export { verifyAuthenticationResponse } from "@simplewebauthn/server";
export { X509CertificateGenerator } from "@peculiar/x509";
export { default as MailComposer } from "nodemailer/lib/mail-composer";
export { default as Connection } from "nodemailer/lib/smtp-connection";
export { Parser } from "htmlparser2";
`;
const MAIL = "From: Ona <ona@example.com>\r\nSubject: =?utf-8?q?=C5=BDuvis?=\r\n\r\nLabas.\r\n";
/** We make texts of tokens only. */
const TOKENS = tokenizer.encode("Which river is the longest?");
/** Kept compressed: two packages' bytes, the numbers, and the twelve that are asked for seldom. */
const FILES = 1 + 2 + 1 + 12;
const LIMIT_MS = 60_000;
const SAMPLES = 320;
const CODE_BYTES_MAX = 150_000;

async function results(packages: Packages) {
  const { createEncoder, createDecoder, tokenizer, TOTP, PostalMime, Stripe, MailComposer } =
    packages;
  const encoder = await createEncoder({ sampleRate: 16_000, channels: 1 });
  const decoder = await createDecoder({ sampleRate: 16_000, channels: 1 });
  const tone = Int16Array.from({ length: SAMPLES }, (_, time) => 9_000 * Math.sin(time / 5));
  const packet = encoder.encode(tone, { frameSize: SAMPLES });
  const heard = decoder.decode(packet);
  const text = tokenizer.decode(TOKENS);
  const token = new TOTP({ secret: "JBSWY3DPEHPK3PXP" }).generate({ timestamp: 0 });
  const number = packages.parsePhoneNumberFromString("+37061234567")?.formatNational();
  const { from, subject, text: body } = await PostalMime.parse(MAIL);
  const order = { payload: "{}", secret: "whsec_1", timestamp: 1 };
  const signature = await new Stripe("sk_1").webhooks.generateTestHeaderStringAsync(order);
  const letter = { from: "ona@example.com", subject: "Žuvis", text: "Labas.", date: new Date(0) };
  const composed = new MailComposer({ ...letter, messageId: "<1@example.com>" }).compile();
  const mail = { from, subject, body, signature, sent: String(await composed.build()) };
  const letters: string[] = [];
  const parser = new packages.Parser({ ontext: (piece) => void letters.push(piece) });
  parser.end("<p>Žuvis &amp; duona</p>");
  return { packet, heard, text, token, number, mail, page: letters.join("") };
}

test(
  "packages that are made smaller answer as before, and are small and plain",
  async () => {
    const directory = tempDir();
    const [entry, outdir] = [join(directory, "entry.ts"), join(directory, "out")];
    writeFileSync(entry, ENTRY);
    const built = await Bun.build({
      entrypoints: [entry],
      outdir,
      target: "bun",
      minify: { whitespace: true },
      root: directory,
      publicPath: `${outdir}/`,
      plugins: [smallerPackages],
    });
    expect(built.success).toBe(true);
    const bundle = join(outdir, "entry.js");
    const code = await Bun.file(bundle).bytes();
    expect(code.length).toBeLessThan(CODE_BYTES_MAX);
    expect(code.every((byte) => byte < 128)).toBe(true);
    expect(readdirSync(outdir).length).toBe(FILES);
    const smaller: Packages = await import(bundle);
    const whole = { createDecoder, createEncoder, tokenizer, TOTP };
    const others = { parsePhoneNumberFromString, PostalMime, Stripe, MailComposer, Parser };
    const asBefore = await results({ ...whole, ...others });
    expect(Object.values(smaller).every((part) => typeof part !== "undefined")).toBe(true);
    expect(await results(smaller)).toEqual(asBefore);
    expect(asBefore.text).toBe("Which river is the longest?");
  },
  LIMIT_MS,
);
