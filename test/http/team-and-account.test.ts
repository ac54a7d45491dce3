/** Invitations, roles, passwords and profiles, over real HTTP. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { desc, eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { identityStores } from "../../src/features/identity/identity-stores.ts";
import { mails, passkeys } from "../../src/store/schema/index.ts";
import { Browser, person, signedInBrowser } from "../support/browser/dashboard-session.ts";
import { eventually } from "../support/eventually.ts";
import { ask, pick, pickId, pickText } from "../support/http/api-server.ts";
import { PASSWORD, tokenOf } from "../support/http/sign-in-world.ts";
import { timedServer } from "../support/http/timed-server.ts";

setDefaultTimeout(60_000);

const OTHER = "visai kitas sakinys cia";
/** A well-formed passkey that belongs to nobody. */
const PASSKEY = { id: "AQID", rawId: "AQID", type: "public-key", response: { clientDataJSON: "" } };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const { clock, server } = await timedServer();

/** The last mail to this address. */
async function mailTo(recipient: string) {
  const find = () =>
    server.database.read
      .select()
      .from(mails)
      .where(eq(mails.recipient, recipient))
      .orderBy(desc(mails.id))
      .get();
  await eventually(async () => (await find()) !== undefined, `a mail to ${recipient}`);
  return await find();
}

const linkIn = (body: string | undefined) => /#token=([\w-]{43})/.exec(body ?? "")?.[1] ?? "";

async function withPassword(tenantId: number, email: string): Promise<Browser> {
  await person(server, { tenantId, email });
  const { link } = await server.identity.setup.resetLink(email, false);
  await server.identity.account.resetPassword(tokenOf(link.url), PASSWORD);
  const browser = new Browser(server.base);
  await browser.ask("POST", "/sign-in", { email, password: PASSWORD });
  return browser;
}

describe("invitations", () => {
  test("are mailed in the inviter's language, and create an account with the role", async () => {
    const { id } = await server.tenant({ name: "Dantų klinika" });
    const owner = await signedInBrowser(server, { tenantId: id });
    await owner.ask("POST", "/profile", { locale: "lt", name: "Rasa" });
    const body = { email: "New@Invited.example", role: "member" };
    expect((await owner.ask("POST", "/team/invitations", body)).status).toBe(200);
    const mail = await mailTo("new@invited.example");
    expect(mail?.subject).toBe("Kvietimas į įmonę „Dantų klinika“ (Linevoice)");
    expect(mail?.body).toContain("Rasa kviečia jus");
    expect(mail?.body).toContain(`${server.base}/app/invitation#token=`);
    const token = linkIn(mail?.body);
    const guest = new Browser(server.base);
    expect(pick(await guest.ask("GET", `/invitation?token=${token}`), "invitation")).toMatchObject({
      email: "new@invited.example",
      role: "member",
      tenant_name: "Dantų klinika",
      has_account: false,
    });
    for (const [sent, error] of [
      [{ token, password: PASSWORD }, "valid_name_required"],
      [{ token, name: "New" }, "valid_password_required"],
      [{ token, name: "New", password: "passwordpassword" }, "valid_password_required"],
    ] as const)
      expect(pick(await guest.ask("POST", "/invitation", sent), "error")).toBe(error);
    const accepted = await guest.ask("POST", "/invitation", {
      token,
      name: "New",
      password: PASSWORD,
    });
    expect([accepted.status, pick(accepted, "next")]).toEqual([200, "done"]);
    expect(pick(await guest.ask("GET", "/session"), "session")).toMatchObject({
      tenant: { id },
      role: "member",
      operator: false,
    });
    expect(pick(await guest.ask("GET", `/invitation?token=${token}`), "invitation")).toBeNull();
    const again = { token, name: "Again", password: PASSWORD };
    expect((await guest.ask("POST", "/invitation", again)).status).toBe(404);
    expect(pick(await owner.ask("GET", "/team"), "invitations")).toEqual([]);
  });

  test("to a person with an account need that account, by password or session", async () => {
    const [home, next] = [await server.tenant(), await server.tenant({ name: "Next" })];
    const known = await withPassword(home.id, "known@invited.example");
    const owner = await signedInBrowser(server, { tenantId: next.id });
    const inviteAgain = async (email: string) => {
      await owner.ask("POST", "/team/invitations", { email, role: "viewer" });
      return linkIn((await mailTo(email))?.body);
    };
    const token = await inviteAgain("known@invited.example");
    const stranger = new Browser(server.base);
    const asNew = { token, name: "Thief", password: "wrong password here" };
    expect((await stranger.ask("POST", "/invitation", asNew)).status).toBe(401);
    expect((await stranger.ask("POST", "/invitation", { token })).status).toBe(400);
    expect((await known.ask("POST", "/invitation", { token })).status).toBe(200);
    const entered = await known.ask("POST", "/active-tenant", { tenant_id: next.id });
    expect(pick(entered, "tenant.name")).toBe("Next");
    expect(pick(await known.ask("GET", "/session"), "session.role")).toBe("viewer");

    const other = await signedInBrowser(server, { tenantId: home.id });
    const second = await inviteAgain(other.person.email);
    const wrongPerson = await known.ask("POST", "/invitation", { token: second });
    expect(wrongPerson.status).toBe(400);
    expect((await other.ask("POST", "/invitation", { token: second })).status).toBe(200);
  });

  test("join nobody before the second factor; the password alone is not enough", async () => {
    const [home, next] = [await server.tenant(), await server.tenant({ name: "Guarded" })];
    const email = "guarded@invited.example";
    const known = await withPassword(home.id, email);
    const secret = pickText(await known.ask("POST", "/totp/begin"), "secret");
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const code = () => totp.generate({ timestamp: clock.now() });
    expect((await known.ask("POST", "/totp/confirm", { code: code() })).status).toBe(200);
    const owner = await signedInBrowser(server, { tenantId: next.id });
    await owner.ask("POST", "/team/invitations", { email, role: "member" });
    const token = linkIn((await mailTo(email))?.body);

    const visitor = new Browser(server.base);
    const half = await visitor.ask("POST", "/invitation", { token, password: PASSWORD });
    expect([half.status, pick(half, "next")]).toEqual([200, "totp"]);
    const team = await owner.ask("GET", "/team");
    expect(pick(team, "members")).toHaveLength(1);
    expect(pick(team, "invitations.0.email")).toBe(email);
    expect((await visitor.ask("POST", "/invitation", { token })).status).toBe(400);

    await clock.advance(MINUTE);
    expect((await visitor.ask("POST", "/sign-in/totp", { code: code() })).status).toBe(200);
    expect((await visitor.ask("POST", "/invitation", { token })).status).toBe(200);
    const entered = await visitor.ask("POST", "/active-tenant", { tenant_id: next.id });
    expect(pick(entered, "tenant.name")).toBe("Guarded");
  });

  test("are replaced, withdrawn, expire after seven days, and are not for members", async () => {
    const { id } = await server.tenant();
    const owner = await signedInBrowser(server, { tenantId: id });
    const email = "late@invited.example";
    const isOpen = async (token: string) =>
      pick(await owner.ask("GET", `/invitation?token=${token}`), "invitation") !== null;
    const inviteOnce = async () => {
      const made = await owner.ask("POST", "/team/invitations", { email, role: "viewer" });
      return { id: pickId(made, "invitation.id"), token: linkIn((await mailTo(email))?.body) };
    };
    const first = await inviteOnce();
    const second = await inviteOnce();
    expect([await isOpen(first.token), await isOpen(second.token)]).toEqual([false, true]);
    expect((await owner.ask("DELETE", `/team/invitations/${second.id}`)).status).toBe(200);
    expect(await isOpen(second.token)).toBe(false);
    const third = await inviteOnce();
    const reader = await server.identity.team.peek(third.token);
    expect(reader).not.toBeNull();
    await clock.advance(7 * DAY - 1);
    expect(await server.identity.team.peek(third.token)).not.toBeNull();
    await clock.advance(1);
    expect(await server.identity.team.peek(third.token)).toBeNull();
    const back = await signedInBrowser(server, { tenantId: id });
    expect(pick(await back.ask("GET", "/team"), "invitations")).toEqual([]);
    const member = { email: back.person.email, role: "owner" };
    expect((await back.ask("POST", "/team/invitations", member)).status).toBe(409);
  });

  test("are limited to fifty per company", async () => {
    const { id } = await server.tenant();
    const owner = await signedInBrowser(server, { tenantId: id });
    const inviteOne = (count: number) =>
      owner.ask("POST", "/team/invitations", { email: `p${count}@many.example`, role: "viewer" });
    for (let count = 1; count <= 50; count++) expect((await inviteOne(count)).status).toBe(200);
    const full = await inviteOne(51);
    expect([full.status, pick(full, "error")]).toEqual([403, "plan_limit_reached"]);
    expect((await inviteOne(50)).status).toBe(200);
  });

  test("are limited to five per address, then one from time to time, without effect on another company", async () => {
    const [own, other] = [await server.tenant(), await server.tenant()];
    const [owner, neighbour] = [
      await signedInBrowser(server, { tenantId: own.id }),
      await signedInBrowser(server, { tenantId: other.id }),
    ];
    const body = { email: "flooded@many.example", role: "viewer" };
    const inviteAs = async (browser: Browser) =>
      (await browser.ask("POST", "/team/invitations", body)).status;
    const statuses: number[] = [];
    for (let count = 1; count <= 6; count++) statuses.push(await inviteAs(owner));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect(await inviteAs(neighbour)).toBe(200);
    await clock.advance(10 * MINUTE);
    expect([await inviteAs(owner), await inviteAs(owner)]).toEqual([200, 429]);
  });

  test("of a former owner are closed, others' stay", async () => {
    const { id } = await server.tenant();
    const owner = await signedInBrowser(server, { tenantId: id });
    const openAfter = async (end: (leaver: number) => Promise<{ readonly status: number }>) => {
      const leaver = await signedInBrowser(server, { tenantId: id });
      for (const [browser, name] of [
        [owner, "kept"],
        [leaver, "back"],
      ] as const)
        await browser.ask("POST", "/team/invitations", {
          email: `${name}@re-entry.example`,
          role: "owner",
        });
      expect((await end(leaver.person.id)).status).toBe(200);
      const { invitations } = (await owner.ask("GET", "/team")).json as {
        invitations: { email: string }[];
      };
      return invitations.map(({ email }) => email);
    };
    const kept = ["kept@re-entry.example"];
    expect(await openAfter((leaver) => owner.ask("DELETE", `/team/${leaver}`))).toEqual(kept);
    const demoted = { role: "member" };
    expect(await openAfter((leaver) => owner.ask("PATCH", `/team/${leaver}`, demoted))).toEqual(
      kept,
    );
  });
});

describe("roles", () => {
  test("apply from the next request, up and down", async () => {
    const { id } = await server.tenant();
    const owner = await signedInBrowser(server, { tenantId: id });
    const other = await signedInBrowser(server, { tenantId: id, role: "viewer" });
    const tries = async () => (await other.fetch("POST", "/api/v1/keys", { label: "x" })).status;
    const give = (role: string) => owner.ask("PATCH", `/team/${other.person.id}`, { role });
    expect(await tries()).toBe(403);
    expect(pick(await give("owner"), "member.role")).toBe("owner");
    expect(await tries()).toBe(200);
    await give("member");
    expect(await tries()).toBe(403);
    expect((await owner.ask("DELETE", `/team/${other.person.id}`)).status).toBe(200);
    expect((await other.ask("GET", "/team")).status).toBe(403);
    expect(pick(await other.ask("GET", "/session"), "session")).toMatchObject({
      tenant: null,
      role: null,
      tenants: [],
    });
  });

  test("a company keeps an owner, even if two leave at once", async () => {
    const { id } = await server.tenant();
    const owner = await signedInBrowser(server, { tenantId: id });
    const alone = [
      await owner.ask("PATCH", `/team/${owner.person.id}`, { role: "viewer" }),
      await owner.ask("DELETE", `/team/${owner.person.id}`),
    ];
    expect(alone.map(({ status }) => status)).toEqual([409, 409]);
    const second = await signedInBrowser(server, { tenantId: id });
    const race = await Promise.all([
      owner.ask("DELETE", `/team/${owner.person.id}`),
      second.ask("DELETE", `/team/${second.person.id}`),
    ]);
    expect(race.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe("API keys", () => {
  test("name their creator, also of a key created by a key, and after the person has left", async () => {
    const tenant = await server.tenant();
    const owner = await signedInBrowser(server, { tenantId: tenant.id });
    const other = await signedInBrowser(server, { tenantId: tenant.id });
    const theirs = await other.fetch("POST", "/api/v1/keys", { label: "theirs" });
    await owner.fetch("POST", "/api/v1/keys", { label: "mine" });
    for (const [key, label] of [
      [pickText(theirs, "key.secret"), "of theirs"],
      [tenant.key, "of the operator's"],
    ] as const)
      await ask(server, { ...tenant, key }, "POST", "/keys", { label });
    const makers = async () => {
      const { keys } = (await owner.fetch("GET", "/api/v1/keys")).json as {
        keys: { label: string; created_by: string | null }[];
      };
      return keys.map(({ label, created_by }) => [label, created_by]);
    };
    const expected = [
      ["test", null],
      ["theirs", other.person.email],
      ["mine", owner.person.email],
      ["of theirs", other.person.email],
      ["of the operator's", null],
    ];
    expect(await makers()).toEqual(expected);
    expect((await owner.ask("DELETE", `/team/${other.person.id}`)).status).toBe(200);
    expect(await makers()).toEqual(expected);
  });
});

describe("one's account", () => {
  test("a new password ends every other session and gives this one another token", async () => {
    const { id } = await server.tenant();
    const email = "changes@account.example";
    const browser = await withPassword(id, email);
    const elsewhere = new Browser(server.base);
    await elsewhere.ask("POST", "/sign-in", { email, password: PASSWORD });
    const change = (current: string, password: string) =>
      browser.ask("POST", "/password", { current, password });
    expect(pick(await change("wrong", OTHER), "error")).toBe("valid_current_required");
    expect(pick(await change(PASSWORD, "passwordpassword"), "error")).toBe(
      "valid_password_required",
    );
    const { cookie } = browser;
    expect((await change(PASSWORD, OTHER)).status).toBe(200);
    expect(browser.cookie).not.toBe(cookie);
    expect((await browser.ask("GET", "/team")).status).toBe(200);
    expect((await elsewhere.ask("GET", "/team")).status).toBe(401);
    const signIn = (password: string) =>
      new Browser(server.base).ask("POST", "/sign-in", { email, password });
    expect((await signIn(PASSWORD)).status).toBe(401);
    expect((await signIn(OTHER)).status).toBe(200);
    expect((await mailTo(email))?.subject).toBe("Your password was changed");
  });

  test("a session without password may guess it only a few times", async () => {
    const { id } = await server.tenant();
    const browser = await withPassword(id, "guessed@account.example");
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++)
      statuses.push(
        (await browser.ask("POST", "/password", { current: "x", password: OTHER })).status,
      );
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
  });

  test("a forgotten password: a link by mail, valid for an hour, once; every session ends", async () => {
    const { id } = await server.tenant();
    const email = "forgets@account.example";
    const browser = await withPassword(id, email);
    const visitor = new Browser(server.base);
    const askForLink = async () => {
      await visitor.ask("POST", "/forgot-password", { email });
      await eventually(async () => linkIn((await mailTo(email))?.body) !== "", "the link");
      return linkIn((await mailTo(email))?.body);
    };
    const reset = (token: string, password: string) =>
      visitor.ask("POST", "/reset-password", { token, password });
    const late = await askForLink();
    await clock.advance(60 * MINUTE);
    expect((await reset(late, OTHER)).status).toBe(404);
    await clock.advance(60 * MINUTE);
    await server.database.tx(async (queries) => {
      await queries.delete(mails).where(eq(mails.recipient, email));
    });
    const token = await askForLink();
    expect((await reset(token, "passwordpassword")).status).toBe(400);
    await server.database.tx(async (queries) => {
      const userId = (await identityStores(queries).users.byEmail(email))?.id ?? 0;
      await queries.insert(passkeys).values({
        userId,
        credentialId: "AQID",
        publicKey: "AQID",
        counter: 0,
        transports: [],
        name: "Somebody's laptop",
        createdAt: clock.now(),
      });
    });
    const done = await reset(token, OTHER);
    expect([done.status, pick(done, "passkeys")]).toEqual([200, ["Somebody's laptop"]]);
    const told = async () => (await mailTo(email))?.body ?? "";
    await eventually(async () => (await told()).includes("- Somebody's laptop\n"), "their names");
    expect((await browser.ask("GET", "/team")).status).toBe(401);
    expect((await reset(token, PASSWORD)).status).toBe(404);
    expect((await visitor.ask("POST", "/sign-in", { email, password: OTHER })).status).toBe(200);
  });

  test("name and language", async () => {
    const { id } = await server.tenant();
    const browser = await signedInBrowser(server, { tenantId: id, role: "viewer" });
    expect((await browser.ask("POST", "/profile", { name: "Žana", locale: "lv" })).status).toBe(
      200,
    );
    expect((await browser.ask("POST", "/profile", {})).status).toBe(200);
    expect(pick(await browser.ask("GET", "/session"), "session.user")).toMatchObject({
      name: "Žana",
      locale: "lv",
      totp_enabled: false,
      passkeys: 0,
    });
    expect((await browser.ask("POST", "/profile", { locale: "de" })).status).toBe(400);
    expect((await browser.ask("POST", "/profile", { email: "x@y.example" })).status).toBe(400);
  });

  test("new ways to sign in need a sign-in of the last 15 minutes, and the error says so", async () => {
    const { id } = await server.tenant();
    const browser = await withPassword(id, "recent@example.com");
    const secret = Secret.fromBase32(pickText(await browser.ask("POST", "/totp/begin"), "secret"));
    await clock.advance(15 * MINUTE + 1);
    const code = new TOTP({ secret }).generate({ timestamp: clock.now() });
    for (const [method, path, body] of [
      ["POST", "/totp/begin", undefined],
      ["POST", "/totp/confirm", { code }],
      ["POST", "/passkeys/options", undefined],
      ["POST", "/passkeys", { name: "Laptop", response: PASSKEY }],
      ["DELETE", "/passkeys/1", undefined],
    ] as const) {
      const answer = await browser.ask(method, path, body);
      expect([path, answer.status, pick(answer, "error"), pick(answer, "field")]).toEqual([
        ...[path, 403, "forbidden", "sign_in"],
      ]);
    }
    expect((await browser.ask("GET", "/passkeys")).status).toBe(200);
    await browser.ask("POST", "/sign-in", { email: "recent@example.com", password: PASSWORD });
    expect((await browser.ask("POST", "/totp/begin")).status).toBe(200);
  });

  test("an operator who enters a company is in that company's audit log", async () => {
    const { id } = await server.tenant();
    const other = await server.tenant();
    const operator = await signedInBrowser(server, { tenantId: id, operator: true });
    expect((await operator.ask("POST", "/active-tenant", { tenant_id: other.id })).status).toBe(
      200,
    );
    const owner = await signedInBrowser(server, { tenantId: other.id });
    const log = await owner.ask("GET", "/audit");
    expect(pick(log, "entries")).toContainEqual(
      expect.objectContaining({ action: "setActiveTenant", user_email: operator.person.email }),
    );
  });

  test("the authenticator's first code turns it on, not before; it is set up once", async () => {
    const { id } = await server.tenant();
    const browser = await signedInBrowser(server, { tenantId: id });
    const confirm = (code: string) => browser.ask("POST", "/totp/confirm", { code });
    expect((await confirm("123456")).status).toBe(409);
    const begun = await browser.ask("POST", "/totp/begin");
    expect(pickText(begun, "secret")).toMatch(/^[A-Z2-7]{32}$/);
    expect(pickText(begun, "otpauth_uri")).toContain("otpauth://totp/Linevoice:");
    expect(pick(await confirm("000000"), "error")).toBe("valid_code_required");
    expect(pick(await browser.ask("GET", "/session"), "session.user.totp_enabled")).toBe(false);
    const secret = Secret.fromBase32(pickText(begun, "secret"));
    const code = new TOTP({ secret }).generate({ timestamp: clock.now() });
    const { cookie } = browser;
    expect((await confirm(code)).status).toBe(200);
    expect((await browser.ask("POST", "/totp/begin")).status).toBe(409);
    expect((await mailTo(browser.person.email))?.subject).toBe(
      "Two-factor authentication was turned on for your account",
    );
    // The previous token ends at once, so a thief is signed out.
    const before = new Browser(server.base);
    before.cookie = cookie;
    expect((await before.ask("GET", "/team")).status).toBe(401);
  });
});
