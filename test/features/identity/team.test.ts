/** Limits of members and open invitations, leaving a company, and rights of a new person. */
import { expect, test } from "bun:test";
import { Team } from "../../../src/features/identity/team.ts";
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

/** A new person accepts an invitation to company 7; `more` has other stores and parts. */
function newcomer(
  more: { users?: object; parts?: object; link?: object | null; members?: number } = {},
) {
  const link = { id: 1, email: "new@a.example", tenantId: 7, role: "viewer", ...more.link };
  const inserted: object[] = [];
  const put: unknown[][] = [];
  const users = {
    byEmail: async () => null,
    byId: async (id: number) => ({ id }),
    insert: async (draft: object) => 4 + inserted.push(draft),
    ...more.users,
  };
  const team = {
    member: async () => null,
    members: async () => Array.from({ length: more.members ?? 1 }, () => ({})),
    put: async (...row: unknown[]) => void put.push(row),
  };
  const links = { removeInvitation: async () => null };
  const clock = fakeClock();
  const deps = {
    clock,
    stores: () => ({ users, team, links }),
    vault: { lastingKey: () => new Uint8Array(32) },
    database: {
      tx: (work: (queries: null) => Promise<unknown>) => work(null),
      revocations: { note: async () => undefined },
    },
  };
  const found = more.link === null ? null : link;
  const parts = {
    passwords: { requireStrong: () => undefined, hash: async (password: string) => `#${password}` },
    links: { peek: async () => found, use: async () => found },
    signIn: { admit: async () => ({ next: "done" }) },
    ...more.parts,
  };
  const made = new Team(deps as unknown as Parts[0], parts as unknown as Parts[1]);
  const accept = (accepted: object = {}) =>
    made.accept(
      { token: "t", name: "Ona", password: "a long sentence", ...accepted },
      { source: { ip: "192.0.2.1", userAgent: "" }, token: null },
      null,
    );
  return { made, accept, inserted, put, clock };
}

test("a person who accepts an invitation gets its role, and is not an operator of the appliance", async () => {
  const { accept, inserted, put, clock } = newcomer();
  const signedIn = await accept();
  expect(signedIn).toMatchObject({ next: "done", tenantId: 7 });
  expect(inserted).toMatchObject([
    { email: "new@a.example", name: "Ona", passwordHash: "#a long sentence", operator: false },
  ]);
  expect(put).toEqual([[7, 5, "viewer", clock.now()]]);
});

test("an accepted invitation waits for room if the company is full", async () => {
  const full = newcomer({ members: 200 });
  await expect(full.accept()).rejects.toMatchObject({ code: "plan_limit_reached" });
  expect(full.put).toEqual([]);
  const last = newcomer({ members: 199 });
  await last.accept();
  expect(last.put).toHaveLength(1);
});

test("a new person needs a name, a strong password, a valid link and an unused address", async () => {
  const weak = () => {
    throw new Error("weak");
  };
  const known = [null, { id: 9 }];
  for (const [world, accepted, error] of [
    [{}, { name: undefined }, { code: "valid_name_required" }],
    [{}, { password: undefined }, { code: "valid_password_required" }],
    [{ parts: { passwords: { requireStrong: weak } } }, {}, { message: "weak" }],
    [{ link: null }, {}, { code: "not_found" }],
    [{ link: { email: null } }, {}, { code: "not_found" }],
    [{ link: { tenantId: null } }, {}, { code: "not_found" }],
    [{ link: { role: null } }, {}, { code: "not_found" }],
    // Another account appeared while the password was hashed.
    [
      { users: { byEmail: async () => known.shift() } },
      {},
      { messageName: { reason: "account_exists" } },
    ],
  ] as const) {
    const { accept, put } = newcomer(world);
    await expect(accept(accepted)).rejects.toMatchObject(error);
    expect(put).toEqual([]);
  }
});

test("an invitation that is not the company's cannot be revoked", async () => {
  await expect(newcomer().made.revokeInvitation(7, 1)).rejects.toMatchObject({ code: "not_found" });
});

const VISITOR = { source: { ip: "192.0.2.1", userAgent: "" }, token: null };
const lastOwner = { code: "conflict", messageName: { reason: "last_owner" } };

/** Company 7 with its people by id and role; person 3 exists and was invited as a viewer. */
function company(roles: Readonly<Record<number, string>>) {
  const people = new Map(Object.entries(roles).map(([id, role]) => [Number(id), role]));
  const told: unknown[][] = [];
  const tell =
    (...name: string[]) =>
    async (...what: unknown[]) =>
      void told.push([...name, ...what]);
  const memberOf = (id: number) => ({ userId: id, email: `${id}@a.example`, role: people.get(id) });
  const link = { id: 1, email: "3@a.example", tenantId: 7, role: "viewer" };
  const store = {
    users: { byEmail: async () => ({ id: 3 }), byId: async (id: number) => ({ id }) },
    team: {
      member: async (tenantId: number, id: number) =>
        tenantId === 7 && people.has(id) ? memberOf(id) : null,
      members: async () => [...people.keys()].map(memberOf),
      owners: async () => [...people.values()].filter((role) => role === "owner").length,
      tenant: async () => ({ name: "Bright Smile" }),
      put: async (_: number, id: number, role: string) => void people.set(id, role),
      remove: async (_: number, id: number) => void people.delete(id),
    },
    links: {
      removeInvitationsBy: tell("invitations of"),
      removeInvitationsTo: tell("invitations to"),
      invitations: async () => [],
    },
    sessions: { markForRotation: tell("rotate") },
  };
  const key = () => new Uint8Array(32);
  const deps = {
    clock: fakeClock(),
    stores: () => store,
    vault: { lastingKey: key, deriveKey: key },
    database: {
      tx: (work: (queries: null) => Promise<unknown>) => work(null),
      revocations: { note: async (_: null, [what]: [object]) => void told.push(["noted", what]) },
    },
  };
  let next: "done" | "totp" | "wrong" = "done";
  const parts = {
    lockOut: { attempt: tell("counted"), invitationOf: (_: number, email: string) => [email] },
    links: {
      peek: async () => link,
      use: async () => {
        await tell("used")();
        return link;
      },
      make: async () => ({ id: 1, url: "https://voice.example.com/", expiresAt: 1 }),
    },
    identityMailer: { send: tell("mailed") },
    signIn: {
      byPassword: async () => {
        if (next === "wrong") throw new Error("wrong password");
        return { next };
      },
    },
  };
  const team = new Team(deps as unknown as Parts[0], parts as unknown as Parts[1]);
  const words = () => told.map(([word]) => word);
  const signsIn = (result: typeof next) => {
    next = result;
  };
  return { team, people, told, words, signsIn };
}

test("the last owner cannot be demoted or leave; one of two may", async () => {
  const alone = company({ 1: "owner", 2: "member" });
  for (const role of ["member", "viewer"] as const)
    await expect(alone.team.changeRole(7, 1, role)).rejects.toMatchObject(lastOwner);
  await expect(alone.team.remove(7, 1)).rejects.toMatchObject(lastOwner);
  expect([...alone.people]).toEqual([
    [1, "owner"],
    [2, "member"],
  ]);
  await alone.team.changeRole(7, 1, "owner");
  await alone.team.changeRole(7, 2, "viewer");
  await alone.team.remove(7, 2);
  expect([...alone.people]).toEqual([[1, "owner"]]);
  const two = company({ 1: "owner", 2: "owner" });
  await two.team.changeRole(7, 1, "member");
  expect([...two.people]).toEqual([
    [1, "member"],
    [2, "owner"],
  ]);
  await expect(two.team.remove(7, 2)).rejects.toMatchObject(lastOwner);
});

test("demoting a member revokes their invitations and rotates their session; a restore keeps both", async () => {
  const { team, told } = company({ 1: "owner", 2: "owner" });
  await team.changeRole(7, 2, "viewer");
  const noted = (role: string | null) => [
    "noted",
    expect.objectContaining({ kind: "member", role }),
  ];
  expect(told).toEqual([["invitations of", 7, 2], ["rotate", 7, 2], noted("viewer")]);
  told.length = 0;
  await team.changeRole(7, 2, "owner");
  expect(told).toEqual([["rotate", 7, 2], noted("owner")]);
  told.length = 0;
  await team.changeRole(7, 2, "owner");
  expect(told).toEqual([noted("owner")]);
  told.length = 0;
  await team.remove(7, 2);
  expect(told).toEqual([["invitations of", 7, 2], ["rotate", 7, 2], noted(null)]);
});

test("the role of a person outside the company cannot be changed", async () => {
  const { team, told } = company({ 1: "owner" });
  const gone = { code: "not_found" };
  for (const [tenantId, userId] of [
    [7, 2],
    [8, 1],
  ] as const) {
    await expect(team.changeRole(tenantId, userId, "owner")).rejects.toMatchObject(gone);
    await expect(team.remove(tenantId, userId)).rejects.toMatchObject(gone);
  }
  expect(told).toEqual([]);
});

test("an invitation is counted, replaces one to the same address, and cannot go to a member", async () => {
  const { team, words, told } = company({ 1: "owner" });
  const inviter = { id: 1, name: "Rasa", locale: "en" } as Parameters<Team["invite"]>[1];
  const again = team.invite(7, inviter, " 1@A.example", "owner");
  await expect(again).rejects.toMatchObject({ messageName: { reason: "already_member" } });
  expect(words()).toEqual(["counted"]);
  told.length = 0;
  await team.invite(7, inviter, " New@a.example", "owner");
  expect(told.slice(0, 2)).toEqual([
    ["counted", ["new@a.example"]],
    ["invitations to", 7, "new@a.example"],
  ]);
  expect(words()).toEqual(["counted", "invitations to", "mailed"]);
});

test("an operator invites an owner only if there is none", async () => {
  const inviter = { id: 1, name: "Ops", locale: "en" } as Parameters<Team["invite"]>[1];
  await company({ 2: "member" }).team.inviteOwner(7, inviter, "new@a.example");
  const owned = company({ 2: "owner" }).team.inviteOwner(7, inviter, "new@a.example");
  await expect(owned).rejects.toMatchObject({ messageName: { reason: "have_owner" } });
});

test("a person with an account joins by their session, or by their password and second factor", async () => {
  const accepted = { token: "t", password: "a long sentence" };
  const session = (id: number) => ({ user: { id } }) as Parameters<Team["accept"]>[2];
  const own = company({ 1: "owner" });
  expect(await own.team.accept({ token: "t" }, VISITOR, session(3))).toBeNull();
  expect(own.people.get(3)).toBe("viewer");
  const other = company({ 1: "owner" });
  for (const who of [null, session(1)])
    await expect(other.team.accept({ token: "t" }, VISITOR, who)).rejects.toMatchObject({
      code: "valid_password_required",
    });
  other.signsIn("wrong");
  await expect(other.team.accept(accepted, VISITOR, session(1))).rejects.toThrow("wrong password");
  other.signsIn("totp");
  expect(await other.team.accept(accepted, VISITOR, null)).toMatchObject({ next: "totp" });
  expect([other.people.has(3), other.words()]).toEqual([false, []]);
  other.signsIn("done");
  await other.team.accept(accepted, VISITOR, null);
  expect([other.people.get(3), other.words()]).toEqual(["viewer", ["used", "noted"]]);
});

test("an invitation does not change an existing role", async () => {
  const { team, people, words } = company({ 3: "owner" });
  await team.accept({ token: "t" }, VISITOR, { user: { id: 3 } } as Parameters<Team["accept"]>[2]);
  expect([people.get(3), words()]).toEqual(["owner", ["used"]]);
});
