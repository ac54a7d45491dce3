/** Links that work once, over real HTTP: lifetime, purpose, and end. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { mailStore } from "../../src/features/mail/mail-store.ts";
import { mails, oneTimeLinks } from "../../src/store/schema/index.ts";
import { Browser, person } from "../support/browser/dashboard-session.ts";
import { eventually } from "../support/eventually.ts";
import { pick } from "../support/http/api-server.ts";
import { PASSWORD, signInWorld, tokenOf } from "../support/http/sign-in-world.ts";

setDefaultTimeout(60_000);

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const { timed, clock, tenantId, newSource, account, signIn } = await signInWorld();
const { server } = timed;

describe("links for a new password", () => {
  const isOpen = async (token: string) => {
    const looked = await new Browser(server.base).ask("GET", `/reset-password?token=${token}`);
    return pick(looked, "link.valid");
  };

  async function mailed(email: string): Promise<string> {
    const of = eq(mails.recipient, email);
    const before = (await server.database.read.select().from(mails).where(of)).length;
    await new Browser(server.base).ask("POST", "/forgot-password", { email }, newSource());
    const all = () => server.database.read.select().from(mails).where(of);
    await eventually(async () => (await all()).length > before, "the mail is queued");
    const bodies = (await all()).map(({ id, body }) => ({ id, body })).sort((a, b) => b.id - a.id);
    return /#token=([\w-]{43})/.exec(bodies[0]?.body ?? "")?.[1] ?? "";
  }

  test("the newest counts, created by a person, an operator, or with a new account", async () => {
    const email = "several@example.com";
    const draft = { email, name: null, tenantId, role: "viewer", operator: false } as const;
    const create = async () => (await server.identity.setup.createUser(draft)).link?.url ?? "";
    const links: string[] = [];
    for (const make of [
      async () => tokenOf(await create()),
      async () => tokenOf(await create()),
      () => mailed(email),
      async () => tokenOf((await server.identity.setup.resetLink(email, false)).link.url),
      () => mailed(email),
    ]) {
      links.push(await make());
      expect(await Promise.all(links.map(isOpen))).toEqual(
        links.map((_, index) => index === links.length - 1),
      );
    }
  });

  test("an existing account becomes an operator's when created again as one, and stays so", async () => {
    const wish = { email: "rank@example.com", name: null, tenantId, role: "viewer" } as const;
    const ranks = [];
    for (const operator of [false, true, false])
      ranks.push((await server.identity.setup.createUser({ ...wish, operator })).user.operator);
    expect(ranks).toEqual([false, true, true]);
  });

  test("a new password ends them, and the printed sign-in links", async () => {
    const { id, email } = await account("renewed@example.com");
    const browser = new Browser(server.base);
    await signIn(email, PASSWORD, newSource(), browser);
    const made = async () => ({
      signIn: tokenOf((await server.identity.setup.createSignInLink(id)).url),
      reset: tokenOf((await server.identity.setup.resetLink(email, false)).link.url),
    });
    const opens = async (token: string) =>
      (await new Browser(server.base).ask("POST", "/sign-in/link", { token }, newSource())).status;
    const first = await made();
    const password = { current: PASSWORD, password: "visai kitas sakinys cia" };
    expect((await browser.ask("POST", "/password", password, newSource())).status).toBe(200);
    expect([await isOpen(first.reset), await opens(first.signIn)]).toEqual([false, 404]);
    const second = await made();
    const reset = { token: second.reset, password: PASSWORD };
    expect((await browser.ask("POST", "/reset-password", reset, newSource())).status).toBe(200);
    expect(await opens(second.signIn)).toBe(404);
  });
});

describe("one-time links", () => {
  test("a sign-in link works once, within 30 minutes", async () => {
    const { id } = await person(server, { tenantId });
    const setup = server.identity.setup;
    const use = (url: string) =>
      new Browser(server.base).ask("POST", "/sign-in/link", { token: tokenOf(url) }, newSource());
    const { url } = await setup.createSignInLink(id);
    await clock.advance(30 * MINUTE - 1);
    expect((await use(url)).status).toBe(200);
    expect((await use(url)).status).toBe(404);
    const late = await setup.createSignInLink(id);
    await clock.advance(30 * MINUTE);
    expect((await use(late.url)).status).toBe(404);
    const races = await setup.createSignInLink(id);
    const raced = await Promise.all([use(races.url), use(races.url), use(races.url)]);
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  });

  test("a link of another kind or an unknown one is refused", async () => {
    const { id, email } = await person(server, { tenantId });
    const signInUrl = (await server.identity.setup.createSignInLink(id)).url;
    const reset = await server.identity.setup.resetLink(email, false);
    const browser = new Browser(server.base);
    const body = (url: string) => ({ token: tokenOf(url), password: PASSWORD });
    expect((await browser.ask("POST", "/reset-password", body(signInUrl))).status).toBe(404);
    const signInBody = { token: tokenOf(reset.link.url) };
    expect((await browser.ask("POST", "/sign-in/link", signInBody)).status).toBe(404);
    for (const token of ["x", "A".repeat(43), "' OR 1=1 --"])
      expect((await browser.ask("POST", "/sign-in/link", { token })).status).toBe(404);
  });

  test("the token is stored nowhere, and a mailed one is removed from the queue after sending", async () => {
    const { email } = await account("forgot@example.com");
    const browser = new Browser(server.base);
    await browser.ask("POST", "/forgot-password", { email }, newSource());
    const queued = async () =>
      (await server.database.read.select().from(mails).where(eq(mails.recipient, email))).find(
        ({ key }) => key.startsWith("link:"),
      );
    await eventually(async () => (await queued()) !== undefined, "the mail is queued");
    const token = /#token=([\w-]{43})/.exec((await queued())?.body ?? "")?.[1] ?? "";
    expect(token).not.toBe("");
    const links = await server.database.read.select().from(oneTimeLinks);
    expect(JSON.stringify(links)).not.toContain(token);
    const link = await browser.ask("GET", `/reset-password?token=${token}`);
    expect(pick(link, "link.valid")).toBe(true);
    const id = (await queued())?.id ?? 0;
    await server.database.tx(async (queries) => {
      await queries.update(mails).set({ leaseOwner: "us" }).where(eq(mails.id, id));
      await mailStore(queries).markSent(id, "us", clock.now());
    });
    expect(await queued()).toMatchObject({ status: "sent", body: "" });
  });
});
