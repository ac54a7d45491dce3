/** The operator's commands about people, on src/domain/identity. */
import { isoUtc } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Identity } from "../domain/identity/identity.ts";
import type { MadeLink } from "../domain/identity/one-time-links.ts";
import type { Membership, User } from "../domain/identity/stores.ts";
import type { OneTimeUrl, PeoplePort, UserSummary } from "../interface/control/people-port.ts";

const shown = ({ url, expiresAt }: MadeLink): OneTimeUrl => ({
  url,
  expires_at: isoUtc(expiresAt),
});

const summaryOf = (user: User, memberships: readonly Membership[]): UserSummary => ({
  id: user.id,
  email: user.email,
  name: user.name,
  operator: user.operator,
  second_factor: user.totpSealed !== null,
  password: user.passwordHash !== null,
  tenants: memberships.map(({ tenantId, tenantName, role }) => ({
    id: tenantId,
    name: tenantName,
    role,
  })),
  created_at: isoUtc(user.createdAt),
  last_seen_at: user.lastSeenAt === null ? null : isoUtc(user.lastSeenAt),
});

export function createPeopleService({ setup, team }: Identity): PeoplePort {
  return {
    setupNeeded: () => setup.needed(),

    ownerLink: async () => shown(await setup.ownerLink()),

    async createUser({ tenant, ...draft }) {
      const { user, made, link } = await setup.createUser({ ...draft, tenantId: tenant });
      const summary = summaryOf(user, await team.membershipsOf(user.id));
      return { user: summary, made, link: link && shown(link) };
    },

    async resetPassword({ email, mail, remove_second_factor }) {
      const { user, link } = await setup.resetLink(email, remove_second_factor);
      if (!mail) return { email: user.email, link: shown(link) };
      if (!(await setup.mailReset(user, link))) throw noMail();
      return { email: user.email, link: null };
    },

    async listUsers() {
      const all = await setup.users();
      return all.map(({ user, memberships }) => summaryOf(user, memberships));
    },

    signInLink: async (userId) => shown(await setup.createSignInLink(userId)),
  };
}

const noMail = () =>
  new AppError({
    code: "conflict",
    publicMessage: "No mail can be sent yet: there is no tenant. Leave --mail out to see the link.",
  });
