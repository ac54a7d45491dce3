/** Emails to users: invitations, password links, and changes of their account. Pure. */
import type { MailDraft } from "../mail/ports.ts";
import { companyName, nameInMail, timeFor } from "../mail/reader.ts";
import type { MadeLink } from "./one-time-links.ts";
import type { Locale } from "./stores.ts";

/** Emails with this key prefix contain a link; their content is removed once they are sent. */
export const LINK_MAIL_PREFIX = "link:";

/** A mail that still needs the reader's time zone for its times. */
export type ZonedMail = (timeZone: string) => MailDraft;

/** Changes to the sign-in methods of an account. Its owner is notified. */
export type AccountChange = "password" | "passkey" | "totp_on" | "totp_off";

interface Words {
  readonly invitation: (company: string, inviter: string) => readonly [string, string];
  readonly reset: readonly [string, string];
  readonly changed: Readonly<Record<AccountChange, string>>;
  /** Printed after the name of the change. */
  readonly changedBy: string;
  /** Sentence after a new password; the passkey names follow. */
  readonly passkeysStay: string;
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
      "Someone, probably you, asked to reset your Linevoice password. Open this link to set a new one:",
    ],
    changed: {
      password: "Your password was changed",
      passkey: "A passkey was added to your account",
      totp_on: "Two-factor authentication was turned on for your account",
      totp_off: "Two-factor authentication was turned off for your account",
    },
    changedBy:
      "This change was made in Linevoice. If it was not you, request a new password on the sign-in page, check the passkeys and sessions of your account, and inform your operator.",
    passkeysStay: "Other sessions have ended. These passkeys still sign in to your account:",
    until: "The link works once, until",
    notYou: "If you did not expect this, you do not need to do anything.",
  },
  lt: {
    invitation: (company, inviter) => [
      `Kvietimas į įmonę ${company} (Linevoice)`,
      `${inviter} kviečia jus dirbti įmonėje ${company} sistemoje „Linevoice“. Norėdami priimti kvietimą, atverkite šią nuorodą:`,
    ],
    reset: [
      "Nustatykite naują slaptažodį",
      "Kažkas, tikriausiai jūs, paprašė naujo „Linevoice“ slaptažodžio. Jį nustatysite atvėrę šią nuorodą:",
    ],
    changed: {
      password: "Jūsų slaptažodis pakeistas",
      passkey: "Prie jūsų paskyros pridėtas prieigos raktas",
      totp_on: "Jūsų paskyroje įjungtas dviejų veiksnių tapatumo nustatymas",
      totp_off: "Jūsų paskyroje išjungtas dviejų veiksnių tapatumo nustatymas",
    },
    changedBy:
      "Tai padaryta sistemoje „Linevoice“. Jei tai ne jūs, prisijungimo puslapyje paprašykite naujo slaptažodžio, peržiūrėkite savo paskyros prieigos raktus bei seansus ir praneškite sistemos administratoriui.",
    passkeysStay:
      "Kiti seansai baigti. Šiais prieigos raktais prie paskyros vis dar prisijungiama:",
    until: "Nuoroda veikia vieną kartą, iki",
    notYou: "Jei šio laiško nelaukėte, nieko daryti nereikia.",
  },
  lv: {
    invitation: (company, inviter) => [
      `Uzaicinājums uzņēmumā ${company} (Linevoice)`,
      `${inviter} aicina jūs strādāt uzņēmumā ${company} sistēmā Linevoice. Lai pieņemtu uzaicinājumu, atveriet šo saiti:`,
    ],
    reset: [
      "Iestatiet jaunu paroli",
      "Kāds, visticamāk jūs, lūdza jaunu Linevoice paroli. To iestatīsiet, atverot šo saiti:",
    ],
    changed: {
      password: "Jūsu parole ir nomainīta",
      passkey: "Jūsu kontam ir pievienota piekļuves atslēga",
      totp_on: "Jūsu kontam ir ieslēgta divpakāpju autentifikācija",
      totp_off: "Jūsu kontam ir izslēgta divpakāpju autentifikācija",
    },
    changedBy:
      "Tas notika sistēmā Linevoice. Ja to nedarījāt jūs, ieejas lapā lūdziet jaunu paroli, pārbaudiet sava konta piekļuves atslēgas un sesijas un informējiet sistēmas administratoru.",
    passkeysStay: "Pārējās sesijas ir beigtas. Ar šīm piekļuves atslēgām kontā joprojām var ieiet:",
    until: "Saite darbojas vienu reizi. Derīga līdz:",
    notYou: "Ja šo vēstuli negaidījāt, nekas nav jādara.",
  },
  ru: {
    invitation: (company, inviter) => [
      `Приглашение в компанию ${company} (Linevoice)`,
      `${inviter} приглашает вас работать в компании ${company} в системе Linevoice. Чтобы принять приглашение, откройте ссылку:`,
    ],
    reset: [
      "Задайте новый пароль",
      "Кто-то, вероятно вы, запросил новый пароль для Linevoice. Чтобы задать его, откройте ссылку:",
    ],
    changed: {
      password: "Ваш пароль изменён",
      passkey: "К вашей учётной записи добавлен ключ доступа",
      totp_on: "В вашей учётной записи включена двухфакторная аутентификация",
      totp_off: "В вашей учётной записи выключена двухфакторная аутентификация",
    },
    changedBy:
      "Это сделано в системе Linevoice. Если это не вы, запросите новый пароль на странице входа, проверьте ключи доступа и сеансы своей учётной записи и сообщите администратору системы.",
    passkeysStay:
      "Остальные сеансы завершены. С этими ключами доступа по-прежнему можно войти в учётную запись:",
    until: "Ссылка действует один раз, до",
    notYou: "Если вы не ждали этого письма, ничего делать не нужно.",
  },
};

function linkMail(
  locale: Locale,
  recipient: string,
  [subject, sentence]: readonly [string, string],
  link: MadeLink,
): ZonedMail {
  const { until, notYou } = words[locale];
  return (timeZone) => ({
    key: `${LINK_MAIL_PREFIX}${link.id}`,
    callUuid: null,
    recipient,
    subject,
    body: [
      sentence,
      link.url,
      `${until} ${timeFor({ locale, timeZone }, link.expiresAt)}.`,
      notYou,
      "",
    ].join("\n\n"),
    attachment: null,
  });
}

export const invitationMail = (
  locale: Locale,
  to: { email: string; company: string; inviter: string },
  link: MadeLink,
): ZonedMail => {
  const company = companyName(to.company, locale);
  return linkMail(
    locale,
    to.email,
    words[locale].invitation(company, nameInMail(to.inviter)),
    link,
  );
};

export const resetMail = (locale: Locale, email: string, link: MadeLink): ZonedMail =>
  linkMail(locale, email, words[locale].reset, link);

export function accountChangedMail(
  locale: Locale,
  user: { id: number; email: string },
  change: AccountChange,
  atMs: number,
  /** Names of the passkeys, after a new password. */
  passkeys: readonly string[] = [],
): ZonedMail {
  const { changed, changedBy, passkeysStay } = words[locale];
  const stay =
    passkeys.length === 0
      ? ""
      : `${passkeysStay}\n${passkeys.map((name) => `- ${nameInMail(name)}`).join("\n")}\n\n`;
  return (timeZone) => ({
    key: `account-${change}:${user.id}:${atMs}`,
    callUuid: null,
    recipient: user.email,
    subject: changed[change],
    body: `${changed[change]}: ${timeFor({ locale, timeZone }, atMs)}.\n\n${stay}${changedBy}\n`,
    attachment: null,
  });
}
