/** When a session is valid, recent, stored, rotated or acting as a tenant: to the millisecond. */
import { expect, test } from "bun:test";
import { systemRandom } from "../../../src/core/random.ts";
import { hashOf } from "../../../src/features/identity/secrets.ts";
import { type ActiveSession, Sessions } from "../../../src/features/identity/sessions.ts";
import type { KnownSession } from "../../../src/features/identity/stores.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const USER = { id: 3, email: "a@b.example", name: "A", locale: "en", operator: false };
const SOURCE = { ip: "192.0.2.1", userAgent: "x".repeat(301) };

function world() {
  const clock = fakeClock();
  const rows: Record<string, unknown>[] = [];
  const told: unknown[][] = [];
  /** Overrides user, tenant or membership in every found session. */
  const joined: Partial<KnownSession> = {};
  const ended: object[] = [];
  const memberships: { tenantId: number }[] = [];
  const store = {
    audit: { insert: async (entry: object) => void told.push(["audit", entry]) },
    sessions: {
      async insert(row: Record<string, unknown>) {
        const id = rows.length + 1;
        const more = { formerHash: null, formerUntil: null, rotate: false, confirmedAt: null };
        rows.push({ ...row, ...more, id });
        return id;
      },
      async byToken(hash: string) {
        const session = rows.find((row) => [row.tokenHash, row.formerHash].includes(hash));
        return session ? { session, user: USER, tenant: null, membership: null, ...joined } : null;
      },
      async rotate(id: number, from: string, to: { tokenHash: string; formerUntil: number }) {
        const row = rows.find((of) => of.id === id && of.tokenHash === from);
        if (row) Object.assign(row, to, { formerHash: from });
        return row !== undefined;
      },
      list: async () => rows,
      touch: async (...what: unknown[]) => void told.push(["touch", ...what]),
      removeOldest: async (...what: unknown[]) => void told.push(["removeOldest", ...what]),
      async remove(userId: number, id: number) {
        const at = rows.findIndex((row) => userId === 3 && row.id === id);
        if (at >= 0) rows.splice(at, 1);
        return at >= 0;
      },
      setTenant: async (...what: unknown[]) => void told.push(["setTenant", ...what]),
      endActing: async () => ended,
    },
    team: {
      tenant: async (id: number) => (id < 9 ? { id, name: "T" } : null),
      member: async (id: number) => id === 1,
      membershipsOf: async () => memberships,
    },
  };
  const sessions = new Sessions({
    clock,
    random: systemRandom,
    stores: () => store,
    database: { read: {}, tx: (work: (queries: object) => unknown) => work({}) },
  } as unknown as ConstructorParameters<typeof Sessions>[0]);
  type Start = Parameters<typeof sessions.start>;
  const start = (stage: "totp" | "full" = "full") =>
    sessions.start(
      store as unknown as Start[0],
      { userId: 3, stage, method: "password", tenantId: null },
      SOURCE,
    );
  const found = async (token: string): Promise<ActiveSession> => {
    const session = await sessions.find(token);
    if (!session) throw new Error("no session");
    return session;
  };
  return { clock, rows, told, joined, ended, memberships, sessions, start, found };
}

test("a session ends after 12 idle hours, after 14 days, or after 10 minutes without the second factor", async () => {
  const { clock, rows, sessions, start } = world();
  const token = await start();
  await clock.advance(12 * HOUR - 1);
  expect([await sessions.find(token), (await sessions.list(3)).length]).toMatchObject([{}, 1]);
  await clock.advance(1);
  expect([await sessions.find(token), (await sessions.list(3)).length]).toEqual([null, 0]);
  const use = () => {
    for (const row of rows) row.lastSeenAt = clock.now();
  };
  const other = await start();
  await clock.advance(14 * 24 * HOUR - 1);
  use();
  expect(await sessions.find(other)).not.toBeNull();
  await clock.advance(1);
  expect([await sessions.find(other), (await sessions.list(3)).length]).toEqual([null, 0]);
  const half = await start("totp");
  expect(await sessions.list(3)).toHaveLength(0);
  await clock.advance(10 * MINUTE - 1);
  expect(await sessions.find(half)).not.toBeNull();
  await clock.advance(1);
  expect(await sessions.find(half)).toBeNull();
});

test("`again` finds a session by its id and no other session", async () => {
  const { clock, rows, sessions, start, found } = world();
  const [one, two] = [await found(await start()), await found(await start())];
  expect((await sessions.again(one))?.id).toBe(one.id);
  expect((await sessions.again(two))?.id).toBe(two.id);
  await clock.advance(12 * HOUR);
  expect(await sessions.again(one)).toBeNull();
  rows.length = 0;
  expect(await sessions.again(one)).toBeNull();
});

test("a former token is valid for 30 more seconds, and cannot be rotated again", async () => {
  const { clock, sessions, start, found } = world();
  const token = await start();
  const session = await found(token);
  expect(session.former).toBe(false);
  const next = await sessions.rotate(session, token);
  expect(await sessions.rotate(session, token)).toBeNull();
  expect((await found(next ?? "")).former).toBe(false);
  await clock.advance(29_999);
  expect((await found(token)).former).toBe(true);
  await clock.advance(1);
  expect(await sessions.find(token)).toBeNull();
});

test("a sign-in is recent for fifteen minutes, but not if the clock was set back", async () => {
  const { clock, sessions, start, found } = world();
  const session = await found(await start());
  const isRecent = () => {
    try {
      sessions.requireRecent(session);
      return true;
    } catch {
      return false;
    }
  };
  expect(isRecent()).toBe(true);
  await clock.advance(15 * MINUTE);
  expect(isRecent()).toBe(true);
  await clock.advance(1);
  expect(isRecent()).toBe(false);
  clock.stepWallClock(-15 * MINUTE - 2);
  expect(isRecent()).toBe(false);
});

test("use is stored once per minute, with 300 characters of user agent and at most twenty sessions per user", async () => {
  const { clock, rows, told, sessions, start, found } = world();
  const session = await found(await start());
  expect(rows[0]).toMatchObject({ tokenHash: expect.any(String), userAgent: "x".repeat(300) });
  expect(told).toMatchObject([
    ["touch", 1, { userAgent: "x".repeat(300) }],
    ["removeOldest", 3, 20],
  ]);
  told.length = 0;
  await clock.advance(59_999);
  await sessions.seen(session, SOURCE);
  expect(told).toEqual([]);
  await clock.advance(1);
  await sessions.seen(session, SOURCE);
  expect(told).toEqual([
    ["touch", 1, { atMs: clock.now(), ip: SOURCE.ip, userAgent: "x".repeat(300) }],
  ]);
  told.length = 0;
  await start("totp");
  expect(told).toEqual([["removeOldest", 3, 20]]);
});

test("only members and operators enter an existing tenant", async () => {
  const { sessions, start, found } = world();
  const session = await found(await start());
  const operator = { ...session, user: { ...session.user, operator: true } };
  expect((await sessions.enter(session, 1)).id).toBe(1);
  expect((await sessions.enter(operator, 2)).id).toBe(2);
  for (const [who, tenantId] of [
    [session, 2],
    [operator, 9],
  ] as const)
    await expect(sessions.enter(who, tenantId)).rejects.toMatchObject({ code: "not_found" });
  await sessions.revoke(3, 1);
  await expect(sessions.revoke(4, 1)).rejects.toMatchObject({ code: "not_found" });
});

test("a malformed token is not looked up; one of 43 characters is", async () => {
  const { sessions, start, rows } = world();
  const token = await start();
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(rows[0]?.tokenHash).toBe(hashOf(token));
  expect(await sessions.find(`${token}0`)).toBeNull();
  await sessions.end("no token");
  expect(rows).toHaveLength(1);
  await sessions.end(token);
  expect(rows).toHaveLength(0);
});

const TENANT = { id: 5, name: "T", suspended: false } as KnownSession["tenant"];
const person = (operator: boolean) => ({ ...USER, operator }) as unknown as KnownSession["user"];

test.each([
  ["a member", false, "viewer", null, ["viewer", null, false]],
  ["nobody of the tenant", false, null, null, [null, null, false]],
  ["nobody of the tenant, whom a row lets act", false, null, 1, [null, null, false]],
  ["an operator who acts", true, null, 1, ["owner", 1, false]],
  ["an operator whose time is over", true, null, 0, [null, null, true]],
  ["an operator who does not act", true, null, null, [null, null, false]],
  ["an operator who is a member", true, "viewer", null, ["owner", null, false]],
  ["an operator who is a member and acted", true, "viewer", 0, ["owner", null, false]],
] as const)(
  "%s: role, end of acting, whether acting is over",
  async (_, operator, membership, leftMs, [role, left, isActingOver]) => {
    const { clock, rows, joined, start, found } = world();
    const token = await start();
    Object.assign(joined, { user: person(operator), tenant: TENANT, membership });
    Object.assign(rows[0] ?? {}, { actingUntil: leftMs === null ? null : clock.now() + leftMs });
    const actingUntil = left === null ? null : clock.now() + left;
    const tenant = role === null ? null : TENANT;
    expect(await found(token)).toMatchObject({ tenant, role, actingUntil, isActingOver });
  },
);

test("without a tenant nobody has a role", async () => {
  const { joined, start, found } = world();
  const token = await start();
  Object.assign(joined, { user: person(true), membership: "owner" });
  expect(await found(token)).toMatchObject({ tenant: null, role: null, actingUntil: null });
});

test("an operator acts for an hour, after a sign-in of the last fifteen minutes; a member enters any time", async () => {
  const { clock, told, sessions, start, found } = world();
  const session = { ...(await found(await start())), user: person(true) };
  await clock.advance(15 * MINUTE);
  told.length = 0;
  const until = clock.now() + HOUR;
  expect((await sessions.enter(session, 2)).actingUntil).toBe(until);
  await clock.advance(1);
  await expect(sessions.enter(session, 2)).rejects.toMatchObject({ field: "sign_in" });
  expect((await sessions.enter(session, 1)).actingUntil).toBeNull();
  expect(told).toEqual([
    ["setTenant", 1, 2, until],
    ["setTenant", 1, 1, null],
  ]);
});

test("after acting, a person returns to their own first company, or to none", async () => {
  const { told, memberships, sessions, start, found } = world();
  const session = await found(await start());
  told.length = 0;
  await sessions.stopActing(session);
  memberships.push({ tenantId: 4 }, { tenantId: 6 });
  await sessions.stopActing(session);
  expect(told).toEqual([
    ["setTenant", 1, null, null],
    ["setTenant", 1, 4, null],
  ]);
});

test("the tenant's audit log records the end of an operator's acting", async () => {
  const { clock, told, ended, sessions } = world();
  const who = { userId: 3, userEmail: "a@b.example", tenantId: 5, ip: SOURCE.ip };
  ended.push(who);
  await sessions.endOverdueActing();
  const entry = { ...who, action: "stopActing", outcome: "done", at: clock.now() };
  expect(told).toEqual([["audit", expect.objectContaining(entry)]]);
});
