/** The link that creates the first owner, over real HTTP. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { tenants } from "../../src/store/schema/index.ts";
import { Browser } from "../support/browser/dashboard-session.ts";
import { pick } from "../support/http/api-server.ts";
import { PASSWORD, tokenOf } from "../support/http/sign-in-world.ts";
import { timedServer } from "../support/http/timed-server.ts";

setDefaultTimeout(60_000);

const MINUTE = 60_000;

const { clock, server } = await timedServer();

describe("the owner's link", () => {
  const draft = (token: string, more = {}) => ({
    token,
    name: "Jonas",
    email: "jonas@first.example",
    password: PASSWORD,
    ...more,
  });

  test("creates the first owner and the first company, once, and signs in", async () => {
    const browser = new Browser(server.base);
    expect(pick(await browser.ask("GET", "/session"), "setup_needed")).toBe(true);
    const token = tokenOf((await server.identity.setup.ownerLink()).url);
    // Not in the address, which proxies write into their logs.
    const looked = await browser.ask("GET", "/owner-link", undefined, { "x-link-token": token });
    expect(pick(looked, "link.valid")).toBe(true);
    const nameless = await browser.ask("POST", "/owner-link", draft(token));
    expect([nameless.status, pick(nameless, "error")]).toEqual([400, "valid_company_required"]);
    const done = await browser.ask("POST", "/owner-link", draft(token, { company: "First" }));
    expect([done.status, pick(done, "next")]).toEqual([200, "done"]);
    const session = await browser.ask("GET", "/session");
    expect(pick(session, "setup_needed")).toBe(false);
    expect(pick(session, "session")).toMatchObject({
      user: { email: "jonas@first.example", name: "Jonas" },
      tenant: { name: "First" },
      role: "owner",
      operator: true,
      tenants: [{ name: "First", role: "owner" }],
    });
    const again = draft(token, { email: "other@first.example", company: "Second" });
    expect((await browser.ask("POST", "/owner-link", again)).status).toBe(404);
    expect(await server.database.read.select().from(tenants)).toHaveLength(1);
    expect((await browser.fetch("GET", "/api/v1/tenant")).status).toBe(200);
  });

  test("ends after 30 minutes, and when another one is printed", async () => {
    const browser = new Browser(server.base);
    const valid = async (url: string) =>
      pick(await browser.ask("GET", `/owner-link?token=${tokenOf(url)}`), "link.valid");
    const first = await server.identity.setup.ownerLink();
    await clock.advance(30 * MINUTE - 1);
    expect(await valid(first.url)).toBe(true);
    await clock.advance(1);
    expect(await valid(first.url)).toBe(false);
    const second = await server.identity.setup.ownerLink();
    const third = await server.identity.setup.ownerLink();
    expect([await valid(second.url), await valid(third.url)]).toEqual([false, true]);
  });

  test("accepts no address with an account, and is not used up by attempts", async () => {
    const browser = new Browser(server.base);
    const token = tokenOf((await server.identity.setup.ownerLink()).url);
    const taken = await browser.ask("POST", "/owner-link", draft(token));
    expect([taken.status, pick(taken, "error")]).toEqual([409, "conflict"]);
    const second = draft(token, { email: "second@first.example" });
    expect((await browser.ask("POST", "/owner-link", second)).status).toBe(200);
    expect(pick(await browser.ask("GET", "/session"), "session.tenants")).toEqual([]);
  });

  test("needs a password that is hard to guess", async () => {
    const token = tokenOf((await server.identity.setup.ownerLink()).url);
    for (const password of [
      "short",
      "elevenchars",
      "passwordpassword",
      "Password1234567",
      "aaaaaaaaaaaaaaaa",
      "third@first.example",
      "linevoicelinevoice",
    ]) {
      const body = draft(token, { email: "third@first.example", password });
      const answer = await new Browser(server.base).ask("POST", "/owner-link", body);
      expect([password, pick(answer, "error")]).toEqual([password, "valid_password_required"]);
    }
  });
});
