/** What is mailed to people: invitations, password links, and that a password was changed. Pure. */
import { isoUtc } from "../core/clock.ts";
import type { MailDraft } from "../mail/ports.ts";
import type { MadeLink } from "./one-time-links.ts";
import type { Locale } from "./stores.ts";

/** Mails whose key begins so are emptied once they are sent: they carried a link. */
export const LINK_MAIL_PREFIX = "link:";

interface Words {
  readonly invitation: (company: string, inviter: string) => readonly [string, string];
  readonly reset: readonly [string, string];
  readonly changed: readonly [string, string];
  readonly until: string;
  readonly notYou: string;
}

const words: Readonly<Record<Locale, Words>> = {
  en: {
    invitation: (company, inviter) => [
      `Invitation to ${company} on Linevoice`,
      `${inviter} invites you to work in ${company} on Linevoice. Open this link to accept:`,
    ],
    reset: [
      "Set a new password",
      "Somebody, probably you, asked for a new password for Linevoice. Open this link to set it:",
    ],
    changed: [
      "Your password was changed",
      "The password of your Linevoice account was changed. If that was not you, ask for a new one on the sign-in page and tell your operator.",
    ],
    until: "It works once, until",
    notYou: "If you did not expect this, you need not do anything.",
  },
  lt: {
    invitation: (company, inviter) => [
      `Kvietimas į ${company} (Linevoice)`,
      `${inviter} kviečia jus dirbti įmonėje ${company} sistemoje „Linevoice“. Norėdami priimti kvietimą, atverkite šią nuorodą:`,
    ],
    reset: [
      "Nustatykite naują slaptažodį",
      "Kažkas, tikriausiai jūs, paprašė naujo „Linevoice“ slaptažodžio. Jį nustatysite atvėrę šią nuorodą:",
    ],
    changed: [
      "Jūsų slaptažodis pakeistas",
      "Jūsų „Linevoice“ paskyros slaptažodis pakeistas. Jei tai padarėte ne jūs, prisijungimo puslapyje paprašykite naujo ir praneškite sistemos prižiūrėtojui.",
    ],
    until: "Nuoroda veikia vieną kartą, iki",
    notYou: "Jei šio laiško nelaukėte, nieko daryti nereikia.",
  },
  lv: {
    invitation: (company, inviter) => [
      `Uzaicinājums uz ${company} (Linevoice)`,
      `${inviter} aicina jūs strādāt uzņēmumā ${company} sistēmā Linevoice. Lai pieņemtu uzaicinājumu, atveriet šo saiti:`,
    ],
    reset: [
      "Iestatiet jaunu paroli",
      "Kāds, visticamāk jūs, lūdza jaunu Linevoice paroli. To iestatīsiet, atverot šo saiti:",
    ],
    changed: [
      "Jūsu parole ir nomainīta",
      "Jūsu Linevoice konta parole ir nomainīta. Ja to nedarījāt jūs, pieteikšanās lapā lūdziet jaunu un informējiet sistēmas uzturētāju.",
    ],
    until: "Saite darbojas vienu reizi, līdz",
    notYou: "Ja šo vēstuli negaidījāt, nekas nav jādara.",
  },
  ru: {
    invitation: (company, inviter) => [
      `Приглашение в ${company} (Linevoice)`,
      `${inviter} приглашает вас работать в компании ${company} в системе Linevoice. Чтобы принять приглашение, откройте ссылку:`,
    ],
    reset: [
      "Задайте новый пароль",
      "Кто-то, вероятно вы, запросил новый пароль для Linevoice. Чтобы задать его, откройте ссылку:",
    ],
    changed: [
      "Ваш пароль изменён",
      "Пароль вашей учётной записи Linevoice изменён. Если это сделали не вы, запросите новый на странице входа и сообщите оператору.",
    ],
    until: "Ссылка действует один раз, до",
    notYou: "Если вы не ждали этого письма, ничего делать не нужно.",
  },
};

function linkMail(
  locale: Locale,
  recipient: string,
  [subject, sentence]: readonly [string, string],
  link: MadeLink,
): MailDraft {
  const { until, notYou } = words[locale];
  return {
    key: `${LINK_MAIL_PREFIX}${link.id}`,
    callUuid: null,
    recipient,
    subject,
    body: [sentence, link.url, `${until} ${isoUtc(link.expiresAt)}.`, notYou, ""].join("\n\n"),
    attachment: null,
  };
}

export const invitationMail = (
  locale: Locale,
  to: { email: string; company: string; inviter: string },
  link: MadeLink,
): MailDraft => linkMail(locale, to.email, words[locale].invitation(to.company, to.inviter), link);

export const resetMail = (locale: Locale, email: string, link: MadeLink): MailDraft =>
  linkMail(locale, email, words[locale].reset, link);

export function passwordChangedMail(
  locale: Locale,
  user: { id: number; email: string },
  atMs: number,
): MailDraft {
  const [subject, sentence] = words[locale].changed;
  return {
    key: `password-changed:${user.id}:${atMs}`,
    callUuid: null,
    recipient: user.email,
    subject,
    body: `${sentence}\n\n${isoUtc(atMs)}\n`,
    attachment: null,
  };
}
