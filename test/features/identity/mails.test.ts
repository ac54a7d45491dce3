/** Mails to people about their account, in their language. */
import { describe, expect, test } from "bun:test";
import {
  accountChangedMail,
  invitationMail,
  LINK_MAIL_PREFIX,
  resetMail,
} from "../../../src/features/identity/mails.ts";

const LOCALES = ["en", "lt", "lv", "ru"] as const;
const link = {
  id: 7,
  url: "https://voice.example.com/app/x#token=T",
  expiresAt: 1_795_000_000_000,
};
const ZONE = "Europe/Vilnius";
/** 11:06:40 in UTC. */
const UNTIL = {
  en: "18 November 2026 at 13:06 (Europe/Vilnius)",
  lt: "2026 m. lapkričio 18 d. 13:06 (Europe/Vilnius)",
  lv: "18.11.2026 13:06 (Europe/Vilnius)",
  ru: "18 ноября 2026 г. в 13:06 (Europe/Vilnius)",
};
const to = { email: "new@example.com", company: "Dantų klinika", inviter: "Rasa" };

describe("mails with a link", () => {
  for (const locale of LOCALES)
    test(`${locale}: state purpose and expiry, and repeat nothing`, () => {
      const mails = [invitationMail(locale, to, link), resetMail(locale, to.email, link)].map(
        (mail) => mail(ZONE),
      );
      for (const mail of mails) {
        expect(mail.key).toBe(`${LINK_MAIL_PREFIX}7`);
        expect(mail.recipient).toBe(to.email);
        expect(mail.subject).not.toBe("");
        expect(mail.body.split(link.url)).toHaveLength(2);
        expect(mail.body).toContain(UNTIL[locale]);
        expect(mail.body).not.toMatch(/undefined|\[object|\$\{/);
      }
      expect(mails[0]?.subject).toContain(to.company);
      expect(mails[0]?.body).toContain(to.inviter);
    });

  test("with line breaks in a name have no additional paragraph, subject or text direction", () => {
    const name = "Rasa\r\n\nYour account is closed:\u2028\u202Ehttps://evil.example/\u0000";
    const hostile = { ...to, inviter: name, company: `Smile${name}` };
    const mail = invitationMail("en", hostile, link)(ZONE);
    const paragraphs = invitationMail("en", to, link)(ZONE).body.split("\n");
    expect(mail.body.split("\n")).toHaveLength(paragraphs.length);
    expect(`${mail.subject}${mail.body}`).not.toMatch(/[\r\0\u2028\u202e]/);
    expect(mail.subject).not.toContain("\n");
    const { body } = accountChangedMail("en", { id: 3, email: to.email }, "password", 0, [name])(
      ZONE,
    );
    expect(body.split("\n").filter((line) => line.includes("evil"))).toHaveLength(1);
  });

  test.each([
    ["http://evil.example/a", /https?:\/\/|evil\.example/],
    ["HTTPS://1.2.3.4", /HTTPS:\/\/|1\.2\.3/],
    ["www.evil.example", /www\.\S|evil\.example/],
    ["evil.example", /evil\.example/],
    ["mailto:a@evil.example", /mailto:a|@evil\.example/],
    ["tel:+37060000000", /tel:\+/],
    ["evil\u3002example", /evil\u3002example/],
    ["evil\uff0eexample", /evil\uff0eexample/],
  ])("with an address as a name have no link: %s", (name, address) => {
    for (const locale of LOCALES) {
      const mail = invitationMail(locale, { ...to, inviter: name, company: name }, link)(ZONE);
      expect(mail.subject).not.toMatch(address);
      expect(mail.body.replace(link.url, "")).not.toMatch(address);
    }
    const mail = accountChangedMail("en", { id: 3, email: to.email }, "password", 0, [name])(ZONE);
    expect(mail.body).not.toMatch(address);
  });

  test("differ from language to language", () => {
    const subjects = LOCALES.map((locale) => resetMail(locale, to.email, link)(ZONE).subject);
    expect(new Set(subjects).size).toBe(LOCALES.length);
  });
});

test("each account change has its own text in each language, and its own key", () => {
  const user = { id: 3, email: "rasa@example.com" };
  const told = LOCALES.map(
    (locale) =>
      accountChangedMail(locale, user, "password", link.expiresAt, ["Laptop", "Phone"])(ZONE).body,
  );
  expect(new Set(told).size).toBe(4);
  for (const body of told) expect(body).toContain(":\n- Laptop\n- Phone\n\n");
  const mails = LOCALES.flatMap((locale) =>
    (["password", "passkey", "totp_on", "totp_off"] as const).map((change) =>
      accountChangedMail(locale, user, change, link.expiresAt)(ZONE),
    ),
  );
  expect(new Set(mails.map(({ subject }) => subject)).size).toBe(16);
  expect(new Set(mails.map(({ key }) => key)).size).toBe(4);
  for (const { body } of mails) expect(body).not.toContain("http");
  for (const locale of LOCALES)
    expect(mails.some(({ body }) => body.includes(`: ${UNTIL[locale]}.`))).toBe(true);
});
