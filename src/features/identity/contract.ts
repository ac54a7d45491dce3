/** People, for the operator: `linevoice setup` and `user`. */
import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { wireOf } from "../../core/wire-names.ts";
import { id, nothing, operation, optionalTime } from "../../http/contracts/operation.ts";
import { choice, nameIn, shown, timeOut } from "../../http/contracts/schema.ts";
import type { MadeLink } from "./one-time-links.ts";
import type { Membership, User } from "./stores.ts";

/** Shown once. */
const OneTimeUrl = z.strictObject({ url: z.string(), expires_at: timeOut("Until when.") });
export type OneTimeUrl = z.output<typeof OneTimeUrl>;

const ROLES = ["owner", "member", "viewer"] as const;

const UserAccount = z.strictObject({
  id,
  email: z.string(),
  name: z.string(),
  operator: z.boolean(),
  second_factor: z.boolean(),
  password: shown(
    z.boolean(),
    "Whether a password is set. Without one, the person signs in with a link or a passkey.",
  ),
  tenants: z.array(z.strictObject({ id, name: z.string(), role: z.enum(ROLES) })),
  created_at: timeOut("Time of creation."),
  last_seen_at: optionalTime,
});
export type UserAccount = z.output<typeof UserAccount>;

const CreatedUser = z.strictObject({
  user: UserAccount,
  made: shown(
    z.boolean(),
    "Whether the account is new. `false`: an existing account was added to the tenant.",
  ),
  link: shown(
    OneTimeUrl.nullable(),
    "Link to set the first password. `null` if the account has one.",
  ),
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
    publicMessage:
      "Email can't be sent before the first tenant exists. Run the command without --mail to see the link.",
  });

export const peopleOperations = {
  /** Creates a link for a new owner. Earlier owner links become invalid. */
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
      name: nameIn(120, "The person's name.", "Rasa Kazlauskienė").nullable().default(null),
      role: choice(ROLES, "Role of the person in the tenant.", "owner").default("owner"),
      operator: z.boolean().default(false),
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
      mail: shown(z.boolean(), "Whether to mail the link instead of showing it.").default(false),
      remove_second_factor: z.boolean().default(false),
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
} as const;
