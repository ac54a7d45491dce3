/** Emails to users: invitations, password links, and changes of their account. Pure. */
import { fill, textsOf } from "../../core/texts.ts";
import type { MailDraft } from "../mail/ports.ts";
import { companyName, nameInMail, timeFor } from "../mail/reader.ts";
import mailTexts from "./mail-texts.json" with { type: "json" };
import type { MadeLink } from "./one-time-links.ts";
import type { Locale } from "./stores.ts";

/** Emails with this key prefix contain a link; their content is removed once they are sent. */
export const LINK_MAIL_PREFIX = "link:";

/** A mail that still needs the reader's time zone for its times. */
export type ZonedMail = (timeZone: string) => MailDraft;

/** Changes to the sign-in methods of an account. Its owner is notified. */
export type AccountChange = "password" | "passkey" | "totp_on" | "totp_off";

const TEXTS = textsOf(mailTexts);

function linkMail(
  locale: Locale,
  recipient: string,
  { subject, sentence }: { subject: string; sentence: string },
  link: MadeLink,
): ZonedMail {
  const { until, notYou } = TEXTS[locale];
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
  const { invitation } = TEXTS[locale];
  const names = { company: companyName(to.company, locale), inviter: nameInMail(to.inviter) };
  return linkMail(
    locale,
    to.email,
    {
      subject: fill(invitation.subject, names),
      sentence: fill(invitation.sentence, names),
    },
    link,
  );
};

export const resetMail = (locale: Locale, email: string, link: MadeLink): ZonedMail =>
  linkMail(locale, email, TEXTS[locale].reset, link);

export function accountChangedMail(
  locale: Locale,
  user: { id: number; email: string },
  change: AccountChange,
  atMs: number,
  /** Names of the passkeys, after a new password. */
  passkeys: readonly string[] = [],
): ZonedMail {
  const { changed, changedBy, passkeysStay } = TEXTS[locale];
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
