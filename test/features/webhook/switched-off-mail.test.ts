/** The mail about a switched-off endpoint, in the reader's language. */
import { expect, test } from "bun:test";
import { switchedOffMail } from "../../../src/features/webhook/switched-off-mail.ts";

const AT = Date.parse("2026-11-24T07:05:00Z");
const TIMES = {
  en: "24 November 2026 at 09:05 (Europe/Vilnius)",
  lt: "2026 m. lapkričio 24 d. 09:05 (Europe/Vilnius)",
  lv: "24.11.2026 09:05 (Europe/Vilnius)",
  ru: "24 ноября 2026 г. в 09:05 (Europe/Vilnius)",
};
const LOCALES = ["en", "lt", "lv", "ru"] as const;

test.each(LOCALES)("%s: it says which endpoint, when, why and what to do", (locale) => {
  const contact = {
    url: "https://hook.example/in",
    tenantName: "Rasa UAB",
    email: "rasa@clinic.example",
    agentNames: ["Nida"],
    locale,
    timeZone: "Europe/Vilnius",
  };
  const off = { atMs: AT, legacyUrl: null } as const;
  const webhook = switchedOffMail(1, { ...off, webhookId: 7, cause: "gone" }, contact);
  expect(webhook.subject).toContain("7");
  for (const words of [TIMES[locale], "Rasa UAB", contact.url, "410 Gone", "POST /webhooks/7/test"])
    expect(webhook.body).toContain(words);
  expect(webhook.body.match(/^\d\. /gm)).toEqual(["1. ", "2. ", "3. ", "4. ", "5. "]);
  const legacy = switchedOffMail(1, { ...off, webhookId: null, cause: "failing" }, contact);
  for (const words of ["webhook_url", "Nida", 'PATCH /agents/{id} {"webhook_url":"https://hook'])
    expect(legacy.body).toContain(words);
  for (const { body } of [webhook, legacy]) expect(body).not.toMatch(/undefined|\[object|\+00:00/);
});
