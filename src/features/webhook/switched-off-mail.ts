/** The email about a disabled endpoint, with the remedy, in the reader's language. Pure. */
import type { MailDraft } from "../mail/ports.ts";
import { companyName, nameInMail, type Reader, timeFor } from "../mail/reader.ts";
import type { SwitchedOff } from "./outcome.ts";
import type { EndpointContact } from "./stores.ts";

interface SwitchedOffWords {
  readonly webhook: (id: number) => string;
  /** An agent's `webhook_url`. */
  readonly legacyUrl: string;
  readonly subject: (what: string) => string;
  readonly sentence: (what: string, company: string, at: string) => string;
  readonly agents: string;
  readonly causes: Readonly<Record<SwitchedOff["cause"], string>>;
  readonly effect: string;
  readonly whatToDo: string;
  readonly repair: string;
  readonly webhookSteps: (id: number) => readonly string[];
  readonly legacyStep: (change: string) => string;
}

const WORDS: Readonly<Record<Reader["locale"], SwitchedOffWords>> = {
  en: {
    webhook: (id) => `Webhook ${id}`,
    legacyUrl: "An agent's webhook_url",
    subject: (what) => `${what} was switched off`,
    sentence: (what, company, at) => `${what} of ${company} was switched off on ${at}.`,
    agents: "Agents",
    causes: {
      gone: "Your server returned 410 Gone, which asks us to stop.",
      failing: "Every delivery to it has failed for five days.",
    },
    effect: "No further events are sent to it, and the waiting events have failed.",
    whatToDo: "What to do:",
    repair: "Fix your server: it must respond with a status from 200 to 299 within 8 seconds.",
    webhookSteps: (id) => [
      `Find the cause: GET /webhooks/${id}/deliveries lists the attempts.`,
      `Test it: POST /webhooks/${id}/test sends a test event, even while the webhook is switched off.`,
      "Switch it on again in the dashboard under Webhooks. There you can resend all failed events at once.",
      `Without the dashboard: delete it and create it again, with DELETE /webhooks/${id}, then POST /webhooks. It gets a new signing secret.`,
    ],
    legacyStep: (change) =>
      `Set webhook_url of the agent again, to the same URL or another: ${change}. Deliveries start again at once.`,
  },
  lt: {
    webhook: (id) => `Webhook adresas ${id}`,
    legacyUrl: "Agento webhook_url",
    subject: (what) => `${what} išjungtas`,
    sentence: (what, company, at) => `${what} (įmonė ${company}) išjungtas ${at}.`,
    agents: "Agentai",
    causes: {
      gone: "Jūsų serveris atsakė 410 Gone, t. y. paprašė nebesiųsti.",
      failing: "Penkias dienas nepavyko nė vienas pristatymas.",
    },
    effect: "Įvykiai ten nebesiunčiami, o laukusieji nepristatyti.",
    whatToDo: "Ką daryti:",
    repair: "Sutvarkykite savo serverį: per 8 sekundes jis turi atsakyti būsena nuo 200 iki 299.",
    webhookSteps: (id) => [
      `Pažiūrėkite, kas nepavyko: GET /webhooks/${id}/deliveries rodo bandymus.`,
      `Išbandykite: POST /webhooks/${id}/test išsiunčia vieną bandomąjį įvykį, net kai adresas išjungtas.`,
      "Vėl įjunkite skyde, puslapyje „Webhook“; ten viską, kas nepristatyta, galima išsiųsti iš karto.",
      `Be skydo: ištrinkite ir sukurkite iš naujo – DELETE /webhooks/${id}, tada POST /webhooks. Pasirašymo raktas bus naujas.`,
    ],
    legacyStep: (change) =>
      `Vėl nustatykite agento webhook_url, tą patį ar kitą: ${change}. Pristatymas iškart atsinaujins.`,
  },
  lv: {
    webhook: (id) => `Webhook adrese ${id}`,
    legacyUrl: "Aģenta webhook_url adrese",
    subject: (what) => `${what} ir izslēgta`,
    sentence: (what, company, at) => `${what} (uzņēmums ${company}) ir izslēgta: ${at}.`,
    agents: "Aģenti",
    causes: {
      gone: "Jūsu serveris atbildēja 410 Gone, proti, lūdza vairs nesūtīt.",
      failing: "Piecas dienas nav izdevusies neviena piegāde.",
    },
    effect: "Notikumi turp vairs netiek sūtīti, un gaidošie nav piegādāti.",
    whatToDo: "Ko darīt:",
    repair: "Sakārtojiet savu serveri: 8 sekunžu laikā tam jāatbild ar statusu no 200 līdz 299.",
    webhookSteps: (id) => [
      `Apskatiet, kas neizdevās: GET /webhooks/${id}/deliveries rāda mēģinājumus.`,
      `Izmēģiniet: POST /webhooks/${id}/test nosūta vienu izmēģinājuma notikumu arī tad, kad adrese ir izslēgta.`,
      "Ieslēdziet to panelī, lapā „Webhook”; tur visu nepiegādāto var uzreiz nosūtīt vēlreiz.",
      `Bez paneļa: izdzēsiet un izveidojiet no jauna – DELETE /webhooks/${id}, tad POST /webhooks. Paraksta atslēga būs jauna.`,
    ],
    legacyStep: (change) =>
      `Iestatiet aģenta webhook_url vēlreiz, to pašu vai citu: ${change}. Piegāde uzreiz atsāksies.`,
  },
  ru: {
    webhook: (id) => `Вебхук ${id}`,
    legacyUrl: "Адрес webhook_url агента",
    subject: (what) => `${what} отключён`,
    sentence: (what, company, at) => `${what} (компания ${company}) отключён ${at}.`,
    agents: "Агенты",
    causes: {
      gone: "Ваш сервер ответил 410 Gone, то есть попросил больше не отправлять.",
      failing: "Пять дней не удавалась ни одна доставка.",
    },
    effect: "События туда больше не отправляются, а ожидавшие не доставлены.",
    whatToDo: "Что делать:",
    repair: "Исправьте свой сервер: за 8 секунд он должен ответить статусом от 200 до 299.",
    webhookSteps: (id) => [
      `Посмотрите, что не удалось: GET /webhooks/${id}/deliveries показывает попытки.`,
      `Проверьте: POST /webhooks/${id}/test отправляет одно тестовое событие, даже когда вебхук отключён.`,
      "Снова включите его в панели, на странице «Вебхуки»; там всё недоставленное можно сразу отправить ещё раз.",
      `Без панели: удалите и создайте заново — DELETE /webhooks/${id}, затем POST /webhooks. Ключ подписи будет новым.`,
    ],
    legacyStep: (change) =>
      `Задайте webhook_url агента снова, тот же или другой: ${change}. Доставка сразу возобновится.`,
  },
};

/**
 * The key ensures one email each time an endpoint is disabled: `webhook-disabled:<webhook id, or
 * the URL>:<time>`.
 */
export function switchedOffMail(
  tenantId: number,
  { webhookId, atMs, cause }: SwitchedOff,
  contact: EndpointContact,
): MailDraft {
  const words = WORDS[contact.locale];
  const what = webhookId === null ? words.legacyUrl : words.webhook(webhookId);
  return {
    key: `webhook-disabled:${webhookId ?? `${tenantId}:${contact.url}`}:${atMs}`,
    callUuid: null,
    recipient: contact.email,
    subject: words.subject(what),
    body: [
      words.sentence(what, companyName(contact.tenantName, contact.locale), timeFor(contact, atMs)),
      facts(contact, words),
      `${words.causes[cause]} ${words.effect}`,
      steps(contact, webhookId, words),
      "",
    ].join("\n\n"),
    attachment: null,
  };
}

function facts({ url, agentNames }: EndpointContact, { agents }: SwitchedOffWords): string {
  const lines = [`URL: ${url}`];
  if (agentNames.length > 0) lines.push(`${agents}: ${agentNames.map(nameInMail).join(", ")}`);
  return lines.join("\n");
}

function steps({ url }: EndpointContact, webhookId: number | null, words: SwitchedOffWords) {
  const change = `PATCH /agents/{id} ${JSON.stringify({ webhook_url: url })}`;
  const [look, ...others] = webhookId === null ? [] : words.webhookSteps(webhookId);
  const all = look ? [look, words.repair, ...others] : [words.repair, words.legacyStep(change)];
  return [words.whatToDo, ...all.map((step, index) => `${index + 1}. ${step}`)].join("\n");
}
