/** How many people and open invitations a company may have, and what a new person may. */
import { expect, test } from "bun:test";
import { Team } from "../../../src/domain/identity/team.ts";
import { fakeClock } from "../../support/fake-clock.ts";

type Parts = ConstructorParameters<typeof Team>;

/** The result of one more invitation: `sent`, or the code of the refusal. */
async function invited(members: number, open: number): Promise<string> {
  const store = {
    team: {
      members: async () =>
        Array.from({ length: members }, (_, at) => ({ email: `${at}@a.example` })),
      tenant: async () => ({ name: "Bright Smile" }),
    },
    links: {
      removeInvitationsTo: async () => undefined,
      invitations: async () => Array.from({ length: open }, (_, id) => ({ id })),
    },
  };
  const deps = {
    clock: fakeClock(),
    stores: () => store,
    vault: { lastingKey: () => new Uint8Array(32), deriveKey: () => new Uint8Array(32) },
    database: { tx: (work: (queries: null) => Promise<unknown>) => work(null) },
  };
  const parts = {
    lockOut: { attempt: async () => undefined, invitationOf: () => [] },
    links: { make: async () => ({ id: 1, url: "https://voice.example.com/", expiresAt: 1 }) },
    identityMailer: { send: async () => undefined },
  };
  const inviter = { id: 1, name: "Rasa", locale: "en" } as Parameters<Team["invite"]>[1];
  return await new Team(deps as unknown as Parts[0], parts as unknown as Parts[1])
    .invite(1, inviter, "new@a.example", "viewer")
    .then(
      () => "sent",
      (error) => error.code as string,
    );
}

test.each([
  [199, 49, "sent"],
  [200, 0, "plan_limit_reached"],
  [1, 50, "plan_limit_reached"],
])("with %d members and %d open invitations another one is: %s", async (members, open, result) => {
  expect(await invited(members, open)).toBe(result);
});

test("who accepts an invitation is a member with its role, and no operator of the appliance", async () => {
  const link = { id: 1, email: "new@a.example", tenantId: 7, role: "viewer" };
  const inserted: object[] = [];
  const put: unknown[][] = [];
  const users = {
    byEmail: async () => null,
    byId: async (id: number) => ({ id }),
    insert: async (draft: object) => 4 + inserted.push(draft),
  };
  const team = { member: async () => null, put: async (...row: unknown[]) => void put.push(row) };
  const clock = fakeClock();
  const deps = {
    clock,
    stores: () => ({ users, team }),
    vault: { lastingKey: () => new Uint8Array(32) },
    database: {
      tx: (work: (queries: null) => Promise<unknown>) => work(null),
      revocations: { note: async () => undefined },
    },
  };
  const parts = {
    passwords: { requireStrong: () => undefined, hash: async (password: string) => `#${password}` },
    links: { peek: async () => link, use: async () => link },
    signIn: { admit: async () => ({ next: "done" }) },
  };
  const visitor = { source: { ip: "192.0.2.1", userAgent: "" }, token: null };
  const accepted = { token: "t", name: "Ona", password: "a long sentence" };
  const signedIn = await new Team(deps as unknown as Parts[0], parts as unknown as Parts[1]).accept(
    accepted,
    visitor,
    null,
  );
  expect(signedIn).toMatchObject({ next: "done", tenantId: 7 });
  expect(inserted).toMatchObject([
    { email: "new@a.example", name: "Ona", passwordHash: "#a long sentence", operator: false },
  ]);
  expect(put).toEqual([[7, 5, "viewer", clock.now()]]);
});
