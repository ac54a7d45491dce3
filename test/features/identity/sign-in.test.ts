/** Sign-ins: accepted ones, counted failures, and the end of the browser's former session. */
import { expect, test } from "bun:test";
import { hashOf } from "../../../src/features/identity/secrets.ts";
import { normalEmail, SignIn } from "../../../src/features/identity/sign-in.ts";

type Parts = ConstructorParameters<typeof SignIn>;

const USER = { id: 3, email: "ona@a.example", passwordHash: "#right", totpSealed: null };
const NO_USER = "Email address or password is wrong.";

function world({
  totp = false,
  suspended = [false],
}: {
  totp?: boolean;
  suspended?: boolean[];
} = {}) {
  const user = { ...USER, totpSealed: totp ? "sealed" : null } as { passwordHash: string };
  const told: unknown[][] = [];
  const tell =
    (...name: string[]) =>
    async (...what: unknown[]) =>
      void told.push([...name, ...what]);
  const counting = (name: string) => async (subjects: readonly string[]) =>
    void told.push([name, ...subjects]);
  const state = {
    begun: { stage: "totp", former: false, method: "password", user: { id: 3 } } as object | null,
    owner: 3 as number | null,
    locked: false,
    onCheck: (): void => undefined,
  };
  const store = {
    users: {
      byEmail: async (email: string) => (email === USER.email ? { ...user } : null),
      byId: async (id: number) => (id === 3 ? { ...user } : null),
    },
    team: {
      membershipsOf: async () => suspended.map((is, at) => ({ tenantId: at + 1, suspended: is })),
    },
    sessions: {
      byToken: async (hash: string) =>
        hash === hashOf("former") ? { session: { userId: 9, id: 8 } } : null,
      remove: tell("removed"),
    },
  };
  const deps = {
    stores: () => store,
    database: {
      read: {},
      tx: (work: (queries: null) => Promise<unknown>) => work(null),
      revocations: { note: async () => undefined },
    },
  };
  const parts = {
    sessions: {
      find: async () => state.begun,
      start: async (_: unknown, start: object) => {
        told.push(["started", start]);
        return "token";
      },
    },
    passwords: {
      matches: async (password: string, stored: string | null) => {
        state.onCheck();
        return stored !== null && `#${password}` === stored;
      },
    },
    lockOut: {
      account: (email: string) => `account ${email}`,
      code: (id: number) => `code ${id}`,
      sources: (ip: string) => [`source ${ip}`],
      attempt: async (subjects: readonly string[]) => {
        told.push(["counted", ...subjects]);
        if (state.locked) throw new Error("locked");
      },
      undoAttempt: counting("uncounted"),
      clearFailures: counting("cleared"),
    },
    secondFactor: { accepts: async (_: unknown, __: unknown, code: string) => code === "123456" },
    passkeys: { owner: async () => state.owner },
    links: { use: async () => ({ userId: state.owner }) },
  };
  const signIn = new SignIn(deps as unknown as Parts[0], parts as unknown as Parts[1]);
  const words = () => told.map(([word]) => word);
  return { signIn, told, words, state, user };
}

const visitor = (token: string | null = null) => ({
  source: { ip: "192.0.2.1", userAgent: "" },
  token,
});
const ACCOUNT = "account ona@a.example";
const SOURCE = "source 192.0.2.1";

test("the right password signs in, is not counted and replaces the former session", async () => {
  const { signIn, told } = world();
  const signedIn = await signIn.byPassword(" Ona@A.example", "right", visitor("former"));
  expect(signedIn).toMatchObject({ next: "done", token: "token", tenantId: 1 });
  expect(told).toEqual([
    ["counted", ACCOUNT, SOURCE],
    ["uncounted", ACCOUNT, SOURCE],
    ["removed", 9, 8],
    ["started", { userId: 3, stage: "full", method: "password", tenantId: 1 }],
    ["cleared", ACCOUNT],
  ]);
});

test("a wrong password and an unknown address get the same answer, and both are counted", async () => {
  for (const [email, password] of [
    ["ona@a.example", "wrong"],
    ["nobody@a.example", "right"],
  ] as const) {
    const { signIn, words } = world();
    const refused = signIn.byPassword(email, password, visitor());
    await expect(refused).rejects.toMatchObject({ code: "unauthorized", message: NO_USER });
    expect(words()).toEqual(["counted"]);
  }
});

test("a locked account has no password check; attempts without a check are not counted", async () => {
  const { signIn, state, words } = world();
  let checked = 0;
  state.onCheck = () => void checked++;
  state.locked = true;
  await expect(signIn.byPassword(USER.email, "right", visitor())).rejects.toThrow("locked");
  await expect(signIn.byCode("123456", visitor("t"))).rejects.toThrow("locked");
  await expect(signIn.byPasskey({}, "o", visitor())).rejects.toThrow("locked");
  expect([checked, ...words()]).toEqual([0, "counted", "counted", "counted"]);
  state.locked = false;
  state.onCheck = () => {
    throw new Error("busy");
  };
  await expect(signIn.byPassword(USER.email, "right", visitor())).rejects.toThrow("busy");
  expect(words().slice(3)).toEqual(["counted", "uncounted"]);
});

test("a password changed during its check signs nobody in", async () => {
  const { signIn, state, user, words } = world();
  state.onCheck = () => {
    user.passwordHash = "#new";
  };
  const refused = signIn.byPassword(USER.email, "right", visitor());
  await expect(refused).rejects.toMatchObject({ message: NO_USER });
  expect(words()).not.toContain("started");
});

test("with a second factor the password alone neither signs in nor clears failures; the code does both", async () => {
  const { signIn, told, words } = world({ totp: true });
  expect((await signIn.byPassword(USER.email, "right", visitor())).next).toBe("totp");
  expect(told.at(-1)).toEqual(["started", expect.objectContaining({ stage: "totp" })]);
  told.length = 0;
  const wrong = signIn.byCode("000000", visitor("t"));
  await expect(wrong).rejects.toMatchObject({ code: "unauthorized" });
  expect(words()).toEqual(["counted"]);
  told.length = 0;
  expect((await signIn.byCode("123456", visitor("t"))).next).toBe("done");
  expect(told).toEqual([
    ["counted", "code 3", SOURCE],
    ["started", { userId: 3, stage: "full", method: "password", tenantId: 1 }],
    ["uncounted", "code 3", SOURCE],
    ["cleared", ACCOUNT, "code 3"],
  ]);
});

test("a code is accepted only from the browser that sent the password", async () => {
  const begun = { stage: "totp", former: false, method: "password", user: { id: 3 } };
  for (const [token, session] of [
    [null, begun],
    ["t", null],
    ["t", { ...begun, stage: "full" }],
    ["t", { ...begun, former: true }],
  ] as const) {
    const { signIn, state, words } = world({ totp: true });
    state.begun = session;
    const refused = signIn.byCode("123456", visitor(token));
    await expect(refused).rejects.toMatchObject({ code: "unauthorized" });
    expect(words()).toEqual([]);
  }
});

test("a passkey and a link sign in to their own account only", async () => {
  const { signIn, state, told, words } = world({ totp: true });
  await signIn.byPasskey({}, "o", visitor());
  expect(words()).toEqual(["counted", "uncounted", "started"]);
  await signIn.byLink("t", visitor("former"));
  expect(told.slice(3)).toEqual([
    ["removed", 9, 8],
    ["started", expect.objectContaining({ userId: 3, method: "link", stage: "full" })],
  ]);
  for (const owner of [null, 4]) {
    state.owner = owner;
    told.length = 0;
    const passkey = signIn.byPasskey({}, "o", visitor());
    await expect(passkey).rejects.toMatchObject({ code: "unauthorized" });
    await expect(signIn.byLink("t", visitor())).rejects.toMatchObject({ code: "not_found" });
    expect(words()).not.toContain("started");
  }
});

test("a confirmation of identity is counted until it succeeds", async () => {
  for (const [password, code, isRight] of [
    ["right", "123456", true],
    ["wrong", "000000", false],
  ] as const) {
    const { signIn, told } = world({ totp: true });
    expect(await signIn.confirms(USER, password, "192.0.2.1")).toBe(isRight);
    expect(await signIn.confirmsCode(3, code, "192.0.2.1")).toBe(isRight);
    const subjects = [
      [ACCOUNT, SOURCE],
      ["code 3", SOURCE],
    ];
    expect(told).toEqual(
      subjects.flatMap((of) => [["counted", ...of], ...(isRight ? [["uncounted", ...of]] : [])]),
    );
  }
  expect(await world().signIn.confirmsCode(4, "123456", "192.0.2.1")).toBe(false);
});

test.each([
  [[], null],
  [[true], 1],
  [[true, false, false], 2],
])("of companies with suspended %p, number %p is entered first", async (suspended, tenantId) => {
  const { signIn } = world({ suspended });
  expect((await signIn.byPassword(USER.email, "right", visitor())).tenantId).toBe(tenantId);
});

test("addresses are compared in lower case, Unicode-composed and trimmed", () => {
  expect(normalEmail("  Ąna@A.example\n")).toBe("ąna@a.example");
  expect(normalEmail("A\u0328na@a.example")).toBe("ąna@a.example");
});
