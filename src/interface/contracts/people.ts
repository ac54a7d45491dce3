/** People and keys, for the operator: `linevoice setup`, `user` and `key create`. */
import { z } from "zod";
import { AppError, invalidField } from "../../core/errors.ts";
import { wireOf } from "../../core/wire-names.ts";
import type { MadeLink } from "../../domain/identity/one-time-links.ts";
import type { Membership, User } from "../../domain/identity/stores.ts";
import { KEY_NETWORKS_MAX, KEY_SCOPES } from "../../domain/tenant/key-limits.ts";
import { id, nothing, operation, optionalTime } from "./operation.ts";
import { shown, timeOut } from "./schema.ts";

const LABEL_MAX = 120;

/** Shown once. */
const OneTimeUrl = z.strictObject({ url: z.string(), expires_at: timeOut("Until when.") });

const role = z.enum(["owner", "member", "viewer"]);

const UserAccount = z.strictObject({
  id,
  email: z.string(),
  name: z.string(),
  operator: z.boolean(),
  second_factor: z.boolean(),
  password: shown(z.boolean(), "False: signs in by link or passkey until a password is set."),
  tenants: z.array(z.strictObject({ id, name: z.string(), role })),
  created_at: timeOut("When it was made."),
  last_seen_at: optionalTime,
});
export type UserAccount = z.output<typeof UserAccount>;

const CreatedUser = z.strictObject({
  user: UserAccount,
  made: shown(z.boolean(), "False: there was such an account; it works in this tenant too now."),
  link: shown(OneTimeUrl.nullable(), "Sets the first password; null where there is one."),
});
export type CreatedUser = z.output<typeof CreatedUser>;

const CreatedKey = z.strictObject({
  id,
  label: z.string(),
  prefix: z.string(),
  scopes: shown(z.array(z.enum(KEY_SCOPES)).nullable(), "null: all."),
  networks: z.array(z.string()).nullable(),
  secret: shown(z.string(), "Shown once."),
  expires_at: optionalTime,
  created_at: timeOut("When it was made."),
});

const presentLink = (link: MadeLink) => wireOf(OneTimeUrl, link);

const presentUser = (user: User, memberships: readonly Membership[]) =>
  wireOf(UserAccount, user, {
    second_factor: user.totpSealed !== null,
    password: user.passwordHash !== null,
    tenants: memberships.map(({ tenantId: id, tenantName: name, role }) => ({ id, name, role })),
  });

const noMail = () =>
  new AppError({
    code: "conflict",
    publicMessage: "No mail can be sent yet: there is no tenant. Leave --mail out to see the link.",
  });

export const peopleOperations = {
  /** Makes an owner; ends the owner links before it. */
  "setup.link": operation({
    input: nothing,
    output: OneTimeUrl,
    role: "operator",
    run: async ({ identity }) => presentLink(await identity.setup.ownerLink()),
  }),
  "user.create": operation({
    input: z.strictObject({
      tenant: id,
      email: z.string().max(500),
      name: z.string().min(1).max(120).nullable(),
      role,
      operator: z.boolean(),
    }),
    output: CreatedUser,
    role: "operator",
    run: async ({ identity: { setup, team } }, { tenant, ...draft }) => {
      const { user, made, link } = await setup.createUser({ ...draft, tenantId: tenant });
      const account = presentUser(user, await team.membershipsOf(user.id));
      return { user: account, made, link: link && presentLink(link) };
    },
  }),
  "user.reset_password": operation({
    input: z.strictObject({
      email: z.string().max(500),
      mail: shown(z.boolean(), "Sent instead of shown, where mail can leave."),
      remove_second_factor: z.boolean(),
    }),
    output: z.strictObject({ email: z.string(), link: OneTimeUrl.nullable() }),
    role: "operator",
    run: async ({ identity: { setup } }, { email, mail, remove_second_factor }) => {
      const { user, link } = await setup.resetLink(email, remove_second_factor);
      if (!mail) return { email: user.email, link: presentLink(link) };
      if (!(await setup.mailReset(user, link))) throw noMail();
      return { email: user.email, link: null };
    },
  }),
  "user.list": operation({
    input: nothing,
    output: z.array(UserAccount),
    role: "operator",
    run: async ({ identity }) =>
      (await identity.setup.users()).map(({ user, memberships }) => presentUser(user, memberships)),
  }),
  "key.create": operation({
    input: z.strictObject({
      tenant: id,
      label: z.string().min(1).max(LABEL_MAX),
      scopes: z.array(z.enum(KEY_SCOPES)).nullable().default(null),
      expires_at: z.number().nullable().default(null),
      networks: z.array(z.string().max(50)).max(KEY_NETWORKS_MAX).nullable().default(null),
    }),
    output: CreatedKey,
    role: "operator",
    run: async ({ tenants, apiKeys }, { tenant, label, scopes, expires_at, networks }) => {
      await tenants.require(tenant);
      if (label.trim() === "")
        throw invalidField("label", `A key's label has 1 to ${LABEL_MAX} characters.`);
      const key = await apiKeys.create(tenant, label, { scopes, expiresAt: expires_at, networks });
      return wireOf(CreatedKey, key);
    },
  }),
} as const;
