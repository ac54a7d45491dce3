/** Mails about money, in the reader's language. */
import { expect, test } from "bun:test";
import { microEur } from "../../../src/core/money.ts";
import {
  bridgeOffMail,
  lowBalanceMail,
  renewalUnpaidMail,
} from "../../../src/features/billing/notices.ts";

const LOCALES = ["en", "lt", "lv", "ru"] as const;
const MONEY = { en: "€4.50", lt: "4,50\u00a0€", lv: "4,50\u00a0€", ru: "4,50\u00a0€" };
const DUE = { status: "due", createdAt: 0, settledAt: null } as const;
const eur = (cents: number) => microEur(cents * 10_000);

test("each mail exists in each language, and says how much and what to do", () => {
  const subjects = new Set<string>();
  for (const locale of LOCALES) {
    const to = { id: 1, name: "Rasa UAB", email: "rasa@clinic.example", locale };
    const unpaid = [
      { ...DUE, month: "2026-12", item: "plan", plan: "start", amount: eur(1900) },
      { ...DUE, month: "2026-12", item: "crm_bridge", plan: null, amount: eur(7900) },
    ] as const;
    const mails = [
      lowBalanceMail(to, eur(500), eur(450), 0),
      renewalUnpaidMail(to, "2026-12", unpaid, eur(450)),
      bridgeOffMail(to, "2026-12"),
    ];
    for (const { subject, body } of mails) {
      expect(subject).toContain("Rasa UAB");
      expect(`${subject}\n${body}`).not.toMatch(/undefined|null|\[object|[{}]/);
      subjects.add(subject);
    }
    for (const mail of mails.slice(0, 2)) expect(mail.body).toContain(MONEY[locale]);
    expect(mails.map(({ key }) => key)).toEqual([
      "low-balance:1:5000000:0",
      "renewal-unpaid:1:2026-12",
      "bridge-off:1:2026-12",
    ]);
  }
  expect(subjects.size).toBe(12);
});
