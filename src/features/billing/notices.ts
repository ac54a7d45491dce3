/** Mails about money to the tenant's address, in the reader's language. The key makes each mail happen once. */
import type { MicroEur } from "../../core/money.ts";
import { fill, textsOf } from "../../core/texts.ts";
import type { MailDraft } from "../mail/ports.ts";
import { companyName, moneyFor } from "../mail/reader.ts";
import noticeTexts from "./notice-texts.json" with { type: "json" };
import type { Renewal, RenewingTenant } from "./stores.ts";

const TEXTS = textsOf(noticeTexts);

type Addressee = Pick<RenewingTenant, "id" | "name" | "email" | "locale">;

const nameOf = ({ name, locale }: Addressee): string => companyName(name, locale);

const draft = (
  to: Addressee,
  key: string,
  subject: string,
  paragraphs: readonly string[],
): MailDraft => ({
  key,
  callUuid: null,
  recipient: to.email,
  subject,
  body: `${paragraphs.join("\n\n")}\n`,
  attachment: null,
});

export function lowBalanceMail(
  to: Addressee,
  threshold: MicroEur,
  balance: MicroEur,
  atMs: number,
): MailDraft {
  const words = TEXTS[to.locale].lowBalance;
  const company = nameOf(to);
  return draft(
    to,
    `low-balance:${to.id}:${threshold}:${atMs}`,
    fill(words.subject, { company, threshold: moneyFor(to, threshold) }),
    [fill(words.balance, { company, balance: moneyFor(to, balance) }), ...words.advice],
  );
}

export function renewalUnpaidMail(
  to: Addressee,
  month: string,
  unpaid: readonly Renewal[],
  free: MicroEur,
): MailDraft {
  const words = TEXTS[to.locale].unpaid;
  const lines = unpaid.map(
    ({ item, plan, amount }) =>
      `${item === "plan" ? fill(words.plan, { plan: plan ?? "" }) : words.bridge}: ${moneyFor(to, amount)}`,
  );
  return draft(
    to,
    `renewal-unpaid:${to.id}:${month}`,
    fill(words.subject, { company: nameOf(to), month }),
    [
      `${fill(words.due, { month, free: moneyFor(to, free) })}\n${lines.join("\n")}`,
      ...unpaid.map(({ item }) => words.effects[item]),
      words.advice,
    ],
  );
}

export function bridgeOffMail(to: Addressee, month: string): MailDraft {
  const words = TEXTS[to.locale].bridgeOff;
  return draft(to, `bridge-off:${to.id}:${month}`, fill(words.subject, { company: nameOf(to) }), [
    fill(words.unpaid, { month }),
    words.advice,
  ]);
}
