/** Fields shared by the contracts of sign-in, account and team. */

import { z } from "zod";
import { choice, field, nameIn, shown, timeOrNull } from "./contracts/schema.ts";

const PASSWORD_LENGTH_MIN = 12;
const PASSWORD_LENGTH_MAX = 200;

export const emailIn = () =>
  field(
    z
      .string()
      .trim()
      .max(254)
      .regex(/^[^\s@<>",;:()[\]\\\p{Cc}\p{Cf}]+@[^\s@<>",;:()[\]\\\p{Cc}\p{Cf}]+$/u),
    {
      description: "Email address, not case-sensitive.",
      example: "rasa@clinic.example",
      must: "be an email address such as rasa@clinic.example",
    },
  );

/** A new password. */
export const newPassword = () =>
  field(z.string().min(PASSWORD_LENGTH_MIN).max(PASSWORD_LENGTH_MAX), {
    description: `New password, ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters.`,
    example: "correct horse battery staple",
    must: `be ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters long`,
  });

/** A password for signing in. It may be older than the current rules. */
export const givenPassword = (description = "The password.") =>
  field(z.string().min(1).max(PASSWORD_LENGTH_MAX), {
    description,
    example: "correct horse battery staple",
    must: `be 1 to ${PASSWORD_LENGTH_MAX} characters long`,
    reason: "length",
    params: { from: 1, to: PASSWORD_LENGTH_MAX },
  });

/** The secret of a one-time link. */
export const LINK_TOKEN_HEADER = "x-link-token";

/** Optional in the query, because proxies log it: a header works as well. */
export const linkTokenQuery = () =>
  z.strictObject({
    token: field(z.string().min(1).max(200), {
      description:
        "Token of the link. Send it as the header X-Link-Token if you can, because proxies log URLs.",
      example: "Zm9vYmFy",
      must: "be the token of a link",
    }).optional(),
  });

export const linkToken = () =>
  field(z.string().min(1).max(200), {
    description: "Token of the link.",
    example: "Zm9vYmFy",
    must: "be the token of a link",
  });

export const personName = () => nameIn(120, "The person's name.", "Rasa Kazlauskienė");

export const roleIn = () => choice(["owner", "member", "viewer"], "Role of the person.", "member");

export const roleOut = () => shown(z.enum(["owner", "member", "viewer"]), "The role.", "member");

/** `done`: signed in. `totp`: a code of the authenticator is still needed (POST /sign-in/totp). */
export const nextStep = () =>
  shown(z.enum(["done", "totp"]), "Next step. `totp`: the second factor is still missing.", "done");

export const isoOrNullOut = (description: string) => timeOrNull(`${description}`);

/** Validity of a one-time link. */
export const linkOut = z
  .strictObject({
    valid: shown(z.boolean(), "Whether the link exists, is unused and has not expired.", true),
    expires_at: isoOrNullOut("Time when the link expires. `null` if it does not exist."),
  })
  .meta({ id: "OneTimeLink" });
