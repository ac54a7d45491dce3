/** Mails about money to the tenant's address. Each key makes its mail happen once. */
import { type MicroEur, microToEur } from "../../core/money.ts";
import type { MailDraft } from "../mail/ports.ts";
import type { Renewal, RenewingTenant } from "./stores.ts";

type Addressee = Pick<RenewingTenant, "id" | "name" | "email">;

const eur = (amount: MicroEur) => `${microToEur(amount).toFixed(2)} EUR`;

const draft = (to: Addressee, key: string, subject: string, paragraphs: string[]): MailDraft => ({
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
  return draft(
    to,
    `low-balance:${to.id}:${threshold}:${atMs}`,
    `The balance of ${to.name} is below ${eur(threshold)}`,
    [
      `The balance of ${to.name} is ${eur(balance)}.`,
      "When both the balance and the plan minutes run out, calls can no longer be answered or placed.",
      "What to do: top up under Usage and billing, through the API (POST /topup) or via your operator.",
    ],
  );
}

export function renewalUnpaidMail(
  to: Addressee,
  month: string,
  unpaid: readonly Renewal[],
  free: MicroEur,
): MailDraft {
  const lines = unpaid.map(({ item, plan, amount }) =>
    item === "plan" ? `Plan ${plan}: ${eur(amount)}` : `CRM bridge: ${eur(amount)}`,
  );
  const effects = unpaid.map(({ item }) =>
    item === "plan"
      ? "Until the plan is paid, this month has no included minutes: calls are charged to the wallet at the overage rate."
      : "The CRM bridge stays on for 7 days.",
  );
  return draft(
    to,
    `renewal-unpaid:${to.id}:${month}`,
    `The wallet of ${to.name} could not pay ${month}`,
    [
      `These are due for ${month}, and the wallet has ${eur(free)}:\n${lines.join("\n")}`,
      ...effects,
      "What to do: top up the wallet. The payment is tried again within a minute. You do not owe anything that is still unpaid at the end of the month.",
    ],
  );
}

export function bridgeOffMail(to: Addressee, month: string): MailDraft {
  return draft(
    to,
    `bridge-off:${to.id}:${month}`,
    `The CRM bridge of ${to.name} was switched off`,
    [
      `The CRM bridge was not paid for ${month}, so it was switched off.`,
      "What to do: buy it again with POST /checkout. Nothing is owed for the time it was on.",
    ],
  );
}
