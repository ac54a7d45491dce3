/** A person's own account: profile, password, second factor, passkeys, sessions. */
import { z } from "zod";
import {
  deletedReply,
  field,
  idOut,
  okReply,
  okTrue,
  shown,
  timeOut,
} from "../../../contracts/schema.ts";
import { contract } from "../../contract.ts";
import { givenPassword, isoOrNullOut, newPassword, personName } from "./fields.ts";
import { credentialIn, credentialOptions, proofFields } from "./session.ts";

const tag = "Account";
/** About the person, whatever tenant is active. */
const own = { tag, scope: "user", role: "viewer" } as const;
const done = z.strictObject({ ok: okTrue });

export const updateProfile = contract({
  operationId: "updateProfile",
  method: "POST",
  path: "/profile",
  ...own,
  summary: "Change one's name or language",
  body: z
    .strictObject({
      name: personName().optional(),
      locale: field(z.enum(["en", "lt", "lv", "ru"]), {
        description: "Language of the dashboard.",
        example: "lt",
        must: "be en, lt, lv or ru",
      }).optional(),
    })
    .meta({ id: "ProfileRequest" }),
  reply: done,
  errors: [],
});

export const changePassword = contract({
  operationId: "changePassword",
  method: "POST",
  path: "/password",
  ...own,
  summary: "Change one's password; every other session ends",
  body: z
    .strictObject({ current: givenPassword("The password until now."), password: newPassword() })
    .meta({ id: "PasswordRequest" }),
  reply: done,
  errors: ["rate_limited"],
});

export const beginTotp = contract({
  operationId: "beginTotp",
  method: "POST",
  path: "/totp/begin",
  ...own,
  summary: "Begin to set up an authenticator app",
  reply: okReply({
    secret: shown(z.string(), "For typing in, Base32.", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"),
    otpauth_uri: shown(z.string(), "For the QR code."),
  }),
  errors: ["conflict"],
});

export const confirmTotp = contract({
  operationId: "confirmTotp",
  method: "POST",
  path: "/totp/confirm",
  ...own,
  summary: "Turn the second factor on with a first code",
  body: z
    .strictObject({
      code: field(
        z
          .string()
          .trim()
          .regex(/^\d{6}$/),
        {
          description: "What the authenticator shows.",
          example: "492039",
          must: "be the six digits that the authenticator shows now",
        },
      ),
    })
    .meta({ id: "ConfirmTotpRequest" }),
  reply: okReply({
    recovery_codes: shown(
      z.array(z.string()),
      "Ten, each good for once. Shown now and never again.",
    ),
  }),
  errors: ["conflict", "rate_limited"],
});

export const disableTotp = contract({
  operationId: "disableTotp",
  method: "POST",
  path: "/totp/disable",
  ...own,
  summary: "Turn the second factor off",
  description:
    "Besides the password a code of the authenticator, a recovery code or a passkey is needed.",
  body: z
    .strictObject({ ...proofFields, password: givenPassword() })
    .meta({ id: "DisableTotpRequest" }),
  reply: done,
  errors: ["rate_limited"],
});

const Passkey = z
  .strictObject({
    id: idOut("passkey"),
    name: z.string(),
    created_at: timeOut("When it was registered."),
    last_used_at: isoOrNullOut("When it was last used; null: never."),
  })
  .meta({ id: "Passkey" });

export const listPasskeys = contract({
  operationId: "listPasskeys",
  method: "GET",
  path: "/passkeys",
  ...own,
  summary: "One's passkeys",
  reply: okReply({ passkeys: z.array(Passkey) }),
  errors: [],
});

export const passkeyOptions = contract({
  operationId: "passkeyOptions",
  method: "POST",
  path: "/passkeys/options",
  ...own,
  summary: "Begin to register a passkey",
  reply: okReply({ options: credentialOptions }),
  errors: ["plan_limit_reached"],
});

export const addPasskey = contract({
  operationId: "addPasskey",
  method: "POST",
  path: "/passkeys",
  ...own,
  summary: "Register a passkey",
  body: z
    .strictObject({
      name: field(z.string().trim().min(1).max(60), {
        description: "Your name for it.",
        example: "Office laptop",
        must: "be text of 1 to 60 characters",
      }),
      response: credentialIn(),
    })
    .meta({ id: "NewPasskeyRequest" }),
  reply: okReply({ passkey: Passkey }),
  errors: ["conflict", "plan_limit_reached"],
});

export const removePasskey = contract({
  operationId: "removePasskey",
  method: "DELETE",
  path: "/passkeys/{id}",
  noun: "passkey",
  ...own,
  summary: "Remove a passkey",
  reply: deletedReply(),
  errors: [],
});

export const listSessions = contract({
  operationId: "listSessions",
  method: "GET",
  path: "/sessions",
  ...own,
  summary: "Where one is signed in",
  reply: okReply({
    sessions: z.array(
      z
        .strictObject({
          id: idOut("session"),
          current: shown(z.boolean(), "The one that asks.", true),
          ip: shown(z.string(), "Where it was last used from.", "192.0.2.7"),
          user_agent: z.string(),
          method: shown(z.enum(["password", "passkey", "link"]), "How it signed in.", "password"),
          created_at: timeOut("When it signed in."),
          last_seen_at: timeOut("When it was last used."),
          expires_at: timeOut("When it ends at the latest."),
        })
        .meta({ id: "SessionEntry" }),
    ),
  }),
  errors: [],
});

export const endSession = contract({
  operationId: "endSession",
  method: "DELETE",
  path: "/sessions/{id}",
  noun: "session",
  ...own,
  summary: "End a session, at once",
  reply: deletedReply(),
  errors: [],
});

export const accountContracts = [
  updateProfile,
  changePassword,
  beginTotp,
  confirmTotp,
  disableTotp,
  listPasskeys,
  passkeyOptions,
  addPasskey,
  removePasskey,
  listSessions,
  endSession,
];
