/** What is mailed to people, in their language. */
import { describe, expect, test } from "bun:test";
import {
  accountChangedMail,
  invitationMail,
  LINK_MAIL_PREFIX,
  resetMail,
} from "../../../src/domain/identity/mails.ts";

const LOCALES = ["en", "lt", "lv", "ru"] as const;
const link = {
  id: 7,
  url: "https://voice.example.com/app/x#token=T",
  expiresAt: 1_795_000_000_000,
};
const to = { email: "new@example.com", company: "Dantų klinika", inviter: "Rasa" };

describe("mails with a link", () => {
  for (const locale of LOCALES)
    test(`${locale}: say what it is for, until when, and nothing twice`, () => {
      const mails = [invitationMail(locale, to, link), resetMail(locale, to.email, link)];
      for (const mail of mails) {
        expect(mail.key).toBe(`${LINK_MAIL_PREFIX}7`);
        expect(mail.recipient).toBe(to.email);
        expect(mail.subject).not.toBe("");
        expect(mail.body.split(link.url)).toHaveLength(2);
        expect(mail.body).toContain("2026-11-18T11:06:40+00:00");
        expect(mail.body).not.toMatch(/undefined|\[object|\$\{/);
      }
      expect(mails[0]?.subject).toContain(to.company);
      expect(mails[0]?.body).toContain(to.inviter);
    });

  test("differ from language to language", () => {
    const subjects = LOCALES.map((locale) => resetMail(locale, to.email, link).subject);
    expect(new Set(subjects).size).toBe(LOCALES.length);
  });
});

test("each change of an account has words of its own in each language, and a key of its own", () => {
  const user = { id: 3, email: "rasa@example.com" };
  const mails = LOCALES.flatMap((locale) =>
    (["password", "passkey", "totp_on", "totp_off"] as const).map((change) =>
      accountChangedMail(locale, user, change, 1_795_000_000_000),
    ),
  );
  expect(new Set(mails.map(({ subject }) => subject)).size).toBe(16);
  expect(new Set(mails.map(({ key }) => key)).size).toBe(4);
  for (const { body } of mails) expect(body).not.toContain("http");
});
