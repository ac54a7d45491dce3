/** Company names in mails: they are not declined, but the noun before them is. */
import { expect, test } from "bun:test";
import { microEur } from "../../../src/core/money.ts";
import { lowBalanceMail } from "../../../src/features/billing/notices.ts";
import { invitationMail } from "../../../src/features/identity/mails.ts";
import { companyName } from "../../../src/features/mail/reader.ts";

const link = { id: 7, url: "https://voice.example.com/x", expiresAt: 0 };

test.each([
  ["en", "Dantų klinika", "Dantų klinika"],
  ["lt", "Dantų klinika", "„Dantų klinika“"],
  ["lt", "UAB „Smaidas“", "UAB „Smaidas“"],
  ["lv", "Smaids", "„Smaids”"],
  ["lv", 'SIA "Smaids"', 'SIA "Smaids"'],
  ["ru", "Улыбка", "«Улыбка»"],
  ["ru", "ООО «Улыбка»", "ООО «Улыбка»"],
] as const)("%s: %s", (locale, name, written) => {
  expect(companyName(name, locale)).toBe(written);
});

test.each([
  ["en", "Invitation to Smile on Linevoice", "Rasa invites you to work in Smile "],
  ["lt", "Kvietimas į įmonę „Smile“ (Linevoice)", "dirbti įmonėje „Smile“ "],
  ["lv", "Uzaicinājums uzņēmumā „Smile” (Linevoice)", "strādāt uzņēmumā „Smile” "],
  ["ru", "Приглашение в компанию «Smile» (Linevoice)", "работать в компании «Smile» "],
] as const)("%s: an invitation", (locale, subject, sentence) => {
  const to = { email: "new@example.com", company: "Smile", inviter: "Rasa" };
  const mail = invitationMail(locale, to, link)("UTC");
  expect(mail.subject).toBe(subject);
  expect(mail.body).toContain(sentence);
});

test.each([
  ["lt", "Įmonės „Smile“ piniginėje mažiau nei"],
  ["lv", "Uzņēmuma „Smile” makā ir mazāk par"],
  ["ru", "В кошельке компании «Smile» меньше"],
] as const)("%s: a notice about money", (locale, begins) => {
  const to = { id: 1, name: "Smile", email: "rasa@clinic.example", locale };
  expect(lowBalanceMail(to, microEur(5), microEur(4), 0).subject).toStartWith(begins);
});
