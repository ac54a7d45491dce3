/** A person's own account: profile, password, second factor, passkeys, sessions. */
import { z } from "zod";
import {
  choice,
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
  at: "POST /profile",
  ...own,
  summary: "Change one's name or language",
  body: z
    .strictObject({
      name: personName().optional(),
      locale: choice(["en", "lt", "lv", "ru"], "Language of the dashboard.", "lt").optional(),
    })
    .meta({ id: "ProfileRequest" }),
  reply: done,
});

export const changePassword = contract({
  operationId: "changePassword",
  at: "POST /password",
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
  at: "POST /totp/begin",
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
  at: "POST /totp/confirm",
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
  at: "POST /totp/disable",
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
  at: "GET /passkeys",
  ...own,
  summary: "One's passkeys",
  reply: okReply({ passkeys: z.array(Passkey) }),
});

export const passkeyOptions = contract({
  operationId: "passkeyOptions",
  at: "POST /passkeys/options",
  ...own,
  summary: "Begin to register a passkey",
  reply: okReply({ options: credentialOptions }),
  errors: ["plan_limit_reached"],
});

export const addPasskey = contract({
  operationId: "addPasskey",
  at: "POST /passkeys",
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
  at: "DELETE /passkeys/{id}",
  noun: "passkey",
  ...own,
  summary: "Remove a passkey",
  reply: deletedReply(),
});

export const listSessions = contract({
  operationId: "listSessions",
  at: "GET /sessions",
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
});

export const endSession = contract({
  operationId: "endSession",
  at: "DELETE /sessions/{id}",
  noun: "session",
  ...own,
  summary: "End a session, at once",
  reply: deletedReply(),
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
