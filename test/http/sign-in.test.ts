/** Signing in over real HTTP: answers, cost, limits and audit log. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { LOCK_RULES } from "../../src/features/identity/lock-out.ts";
import { createVault } from "../../src/platform/secrets/vault.ts";
import { signInAttempts, users } from "../../src/store/schema/identity.ts";
import { mails } from "../../src/store/schema/index.ts";
import { Browser, person, signedInBrowser } from "../support/browser/dashboard-session.ts";
import { type Answer, pick, pickText } from "../support/http/api-server.ts";
import { PASSWORD, signInWorld } from "../support/http/sign-in-world.ts";

setDefaultTimeout(60_000);

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const { timed, clock, tenantId, newSource, account, signIn } = await signInWorld();
let { server } = timed;

const withoutId = ({ json }: Answer) => ({ ...(json as object), request_id: "" });

const codeOf = (secret: string, atMs = clock.now()): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: atMs });

describe("a wrong password", () => {
  test("gets the same answer as an unknown address or an account without a password, byte for byte", async () => {
    await account("known@example.com");
    await person(server, { tenantId, email: "no-password@example.com" });
    const answers: Answer[] = [];
    for (const email of ["known@example.com", "nobody@example.com", "no-password@example.com"])
      answers.push(await signIn(email, "wrong password", newSource()));
    const [known, unknown, none] = answers.map(withoutId);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect([unknown, none]).toEqual([known, known]);
    const headersOf = ({ headers }: Answer) => [...headers.keys()].sort();
    expect(answers.map(headersOf)).toEqual(Array(3).fill(headersOf(answers[0] as Answer)));
  });

  test("costs like an unknown address: both run Argon2id", async () => {
    await account("timed@example.com");
    const timeOf = async (email: string) => {
      const began = performance.now();
      await signIn(email, "wrong password", newSource());
      return performance.now() - began;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 4; round++) {
      known.push(await timeOf("timed@example.com"));
      unknown.push(await timeOf(`nobody${round}@example.com`));
    }
    const least = (times: number[]) => Math.min(...times);
    // Without the same work the unknown address would answer about twenty times as fast.
    expect(least(unknown)).toBeGreaterThan(least(known) / 3);
    expect(least(known)).toBeGreaterThan(least(unknown) / 3);
  });

  test("the case and surrounding spaces of the address do not matter; those of the password do", async () => {
    await account("case@example.com");
    expect((await signIn("  CASE@Example.com ", PASSWORD, newSource())).status).toBe(200);
    expect((await signIn("case@example.com", PASSWORD.toUpperCase(), newSource())).status).toBe(
      401,
    );
    expect((await signIn("case@example.com", `${PASSWORD} `, newSource())).status).toBe(401);
  });

  test("composed and decomposed letters are one password", async () => {
    const { email } = await person(server, { tenantId, email: "letters@example.com" });
    const { link } = await server.identity.setup.resetLink(email, false);
    const composed = "Žąsys skrenda į pietus";
    await server.identity.account.resetPassword(link.url.split("=")[1] ?? "", composed);
    expect((await signIn(email, composed.normalize("NFD"), newSource())).status).toBe(200);
  });
});

describe("lock-out of an account", () => {
  const { free, firstLockMs, lockMsMax, forgetAfterMs } = LOCK_RULES.account;

  for (const known of [true, false])
    test(`${known ? "a known" : "an unknown"} one: ${free} tries, then a pause that doubles up to 15 minutes`, async () => {
      const email = `locked-${known}@example.com`;
      if (known) await account(email);
      for (let failure = 1; failure <= free; failure++)
        expect((await signIn(email, "wrong", newSource())).status).toBe(401);
      let pauseMs: number = firstLockMs;
      for (let round = 0; round < 7; round++) {
        const locked = await signIn(email, PASSWORD, newSource());
        expect([locked.status, pick(locked, "error")]).toEqual([429, "rate_limited"]);
        expect(Number(locked.headers.get("retry-after"))).toBe(pauseMs / SECOND);
        await clock.advance(pauseMs - 1);
        expect((await signIn(email, PASSWORD, newSource())).status).toBe(429);
        await clock.advance(1);
        expect((await signIn(email, "wrong", newSource())).status).toBe(401);
        pauseMs = Math.min(pauseMs * 2, lockMsMax);
      }
      expect(pauseMs).toBe(lockMsMax);
    });

  test("the right password after the pause resets the count; so does a day", async () => {
    const { email } = await account("forgiven@example.com");
    for (let failure = 1; failure <= free; failure++) await signIn(email, "wrong", newSource());
    await clock.advance(firstLockMs);
    expect((await signIn(email, PASSWORD, newSource())).status).toBe(200);
    for (let failure = 1; failure < free; failure++)
      expect((await signIn(email, "wrong", newSource())).status).toBe(401);
    await clock.advance(forgetAfterMs);
    for (let failure = 1; failure <= free; failure++)
      expect((await signIn(email, "wrong", newSource())).status).toBe(401);
    expect((await signIn(email, "wrong", newSource())).status).toBe(429);
  });

  test("simultaneous tries are all counted", async () => {
    const { email } = await account("together@example.com");
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => signIn(email, "wrong", newSource())),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(free).fill(401), ...Array(20 - free).fill(429)]);
  });

  test("survives a restart", async () => {
    const { email } = await account("restart@example.com");
    for (let failure = 1; failure <= free; failure++) await signIn(email, "wrong", newSource());
    server = await timed.restart();
    expect((await signIn(email, PASSWORD, newSource())).status).toBe(429);
  });

  test("stores no readable address", async () => {
    await signIn("readable@example.com", "wrong", newSource());
    const rows = await server.database.read.select().from(signInAttempts);
    expect(rows.length).toBeGreaterThan(3);
    expect(JSON.stringify(rows)).not.toContain("@");
    expect(JSON.stringify(rows)).not.toContain("readable");
  });
});

test("lock-out of a source: after 20 failures, for any accounts, including its whole /64 of IPv6", async () => {
  const { free, firstLockMs } = LOCK_RULES.source;
  const from = (host: number) => ({ "x-forwarded-for": `2001:db8:7:7::${host.toString(16)}` });
  for (let failure = 1; failure <= free; failure++)
    expect((await signIn(`s${failure}@example.com`, "wrong", from(failure))).status).toBe(401);
  const { email } = await account("behind@example.com");
  expect((await signIn(email, PASSWORD, from(999))).status).toBe(429);
  expect((await signIn(email, PASSWORD, { "x-forwarded-for": "2001:db8:7:8::1" })).status).toBe(
    200,
  );
  await clock.advance(firstLockMs);
  expect((await signIn(email, PASSWORD, from(999))).status).toBe(200);
});

describe("the second factor", () => {
  async function withTotp(email: string) {
    const { id } = await account(email);
    const browser = new Browser(server.base);
    await signIn(email, PASSWORD, newSource(), browser);
    const secret = pickText(await browser.ask("POST", "/totp/begin"), "secret");
    const before = browser.cookie;
    const confirmed = await browser.ask("POST", "/totp/confirm", { code: codeOf(secret) });
    expect(confirmed.status).toBe(200);
    expect(browser.cookie).not.toBe(before);
    await clock.advance(60 * SECOND);
    return { id, email, secret, browser, codes: pick(confirmed, "recovery_codes") as string[] };
  }

  async function halfWay(email: string): Promise<Browser> {
    const browser = new Browser(server.base);
    const answer = await signIn(email, PASSWORD, newSource(), browser);
    expect([answer.status, pick(answer, "next")]).toEqual([200, "totp"]);
    return browser;
  }

  const enter = (browser: Browser, code: string) =>
    browser.ask("POST", "/sign-in/totp", { code }, newSource());

  test("is required after the password; until then the session has no rights", async () => {
    const { email, secret, codes } = await withTotp("totp@example.com");
    const inHalves = /^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/;
    expect(codes.map((code) => inHalves.test(code))).toEqual(Array(10).fill(true));
    const browser = await halfWay(email);
    expect(pick(await browser.ask("GET", "/session"), "session")).toBeNull();
    expect((await browser.ask("GET", "/team")).status).toBe(401);
    expect((await browser.fetch("GET", "/api/v1/agents")).status).toBe(401);
    const half = browser.cookie;
    expect((await enter(browser, codeOf(secret))).status).toBe(200);
    expect(browser.cookie).not.toBe(half);
    expect((await browser.ask("GET", "/team")).status).toBe(200);
    const stale = new Browser(server.base);
    stale.cookie = half;
    expect((await stale.ask("GET", "/team")).status).toBe(401);
    expect((await enter(stale, codeOf(secret, clock.now() + 30 * SECOND))).status).toBe(401);
  });

  test("accepts codes up to one step away, each once, and none of earlier steps", async () => {
    const { email, secret } = await withTotp("steps@example.com");
    await clock.advance(10 * MINUTE);
    const step = 30 * SECOND;
    const browser = await halfWay(email);
    expect((await enter(browser, codeOf(secret, clock.now() - 2 * step))).status).toBe(401);
    expect((await enter(browser, codeOf(secret, clock.now() + 2 * step))).status).toBe(401);
    expect((await enter(browser, codeOf(secret, clock.now() - step))).status).toBe(200);
    const again = await halfWay(email);
    expect((await enter(again, codeOf(secret, clock.now() - step))).status).toBe(401);
    expect((await enter(again, codeOf(secret, clock.now() + step))).status).toBe(200);
    const third = await halfWay(email);
    expect((await enter(third, codeOf(secret, clock.now()))).status).toBe(401);
  });

  test("allows five guesses, whatever passwords are sent in between", async () => {
    const { email, secret } = await withTotp("guess@example.com");
    for (let failure = 1; failure <= LOCK_RULES.code.free; failure++)
      expect((await enter(await halfWay(email), "000000")).status).toBe(401);
    const locked = await enter(await halfWay(email), codeOf(secret));
    expect(locked.status).toBe(429);
    expect(locked.headers.get("retry-after")).toBe("60");
  });

  test("waits at most ten minutes for the code", async () => {
    const { email, secret } = await withTotp("wait@example.com");
    const late = await halfWay(email);
    await clock.advance(10 * MINUTE);
    expect((await enter(late, codeOf(secret))).status).toBe(401);
    const inTime = await halfWay(email);
    await clock.advance(10 * MINUTE - 1);
    expect((await enter(inTime, codeOf(secret))).status).toBe(200);
  });

  test("each recovery code works once, in any spelling", async () => {
    const { email, codes } = await withTotp("recover@example.com");
    expect(new Set(codes).size).toBe(10);
    const [first = "", second = ""] = codes;
    expect((await enter(await halfWay(email), first.toUpperCase().replace("-", " "))).status).toBe(
      200,
    );
    expect((await enter(await halfWay(email), first)).status).toBe(401);
    expect((await enter(await halfWay(email), second)).status).toBe(200);
  });

  test("a code is worthless without the password step", async () => {
    const { secret } = await withTotp("alone@example.com");
    const nobody = new Browser(server.base);
    expect((await enter(nobody, codeOf(secret))).status).toBe(401);
    const other = await signedInBrowser(server, { tenantId });
    expect((await enter(other, codeOf(secret))).status).toBe(401);
  });

  test("is encrypted at rest; recovery codes are hashed", async () => {
    const { id, secret } = await withTotp("sealed@example.com");
    const row = await server.database.read.select().from(users).where(eq(users.id, id)).get();
    expect(row?.totpSealed).toMatch(/^v\d\./);
    expect(row?.totpSealed).not.toContain(secret);
    const strange = createVault(new Uint8Array(32).fill(9));
    expect(() => strange.open(row?.totpSealed ?? "", `users:${id}:totp`)).toThrow();
  });

  test("is not turned off by the password alone, or by a used code", async () => {
    const { secret, codes, browser } = await withTotp("stays@example.com");
    const disable = (body: object) => browser.ask("POST", "/totp/disable", body, newSource());
    for (const code of [undefined, "000000", "aaaaa-aaaaa"]) {
      const refused = await disable({ password: PASSWORD, ...(code ? { code } : {}) });
      expect([refused.status, pick(refused, "error")]).toEqual([400, "valid_code_required"]);
    }
    expect((await disable({ password: PASSWORD, code: codes[0] })).status).toBe(200);
    expect(codeOf(secret)).toMatch(/^\d{6}$/);
  });

  test("a signed-in person confirms it by password and code: then the sign-in is recent", async () => {
    const { codes, browser } = await withTotp("again@example.com");
    const disable = () =>
      browser.ask("POST", "/totp/disable", { password: PASSWORD, code: codes[1] }, newSource());
    const confirm = (body: object) => browser.ask("POST", "/session/confirm", body, newSource());
    await clock.advance(15 * 60_000 + 1);
    const old = await disable();
    expect([old.status, pick(old, "field")]).toEqual([403, "sign_in"]);
    expect((await confirm({ password: PASSWORD })).status).toBe(400);
    expect((await confirm({ password: "wrong", code: codes[0] })).status).toBe(400);
    expect((await disable()).status).toBe(403);
    expect((await confirm({ password: PASSWORD, code: codes[0] })).status).toBe(200);
    expect((await disable()).status).toBe(200);
  });

  test("is turned off with password and code, which ends the other sessions", async () => {
    const { email, secret, codes, browser } = await withTotp("off@example.com");
    const other = await halfWay(email);
    await enter(other, codeOf(secret));
    const wrong = await browser.ask(
      "POST",
      "/totp/disable",
      { password: "wrong", code: codes[0] },
      newSource(),
    );
    expect([wrong.status, pick(wrong, "error")]).toEqual([400, "valid_password_required"]);
    const proof = { password: PASSWORD, code: codes[0] };
    const off = await browser.ask("POST", "/totp/disable", proof, newSource());
    expect(off.status).toBe(200);
    expect((await browser.ask("GET", "/team")).status).toBe(200);
    expect((await other.ask("GET", "/team")).status).toBe(401);
    const plain = await signIn(email, PASSWORD, newSource());
    expect(pick(plain, "next")).toBe("done");
  });
});

test("a password reset reveals nothing: known and unknown addresses get the same answer and limits", async () => {
  const { email } = await account("quiet@example.com");
  const forgot = (address: string) =>
    new Browser(server.base).ask("POST", "/forgot-password", { email: address }, newSource());
  for (const address of [email, "stranger@example.com"]) {
    for (let round = 1; round <= LOCK_RULES.mail.free; round++) {
      const answer = await forgot(address);
      expect([answer.status, answer.text]).toEqual([200, '{"ok":true}']);
    }
    expect((await forgot(address)).status).toBe(429);
  }
  const sent = await server.database.read.select().from(mails);
  expect(sent.some(({ recipient }) => recipient === "stranger@example.com")).toBe(false);
});

describe("session fixation", () => {
  test("a cookie planted before is worthless after signing in", async () => {
    const attacker = await signedInBrowser(server, { tenantId });
    const victim = new Browser(server.base);
    victim.cookie = attacker.cookie;
    const { email } = await account("victim@example.com");
    await signIn(email, PASSWORD, newSource(), victim);
    expect(victim.cookie).not.toBe(attacker.cookie);
    expect(pick(await attacker.ask("GET", "/session"), "session")).toBeNull();
    expect(pick(await victim.ask("GET", "/session"), "session.user.email")).toBe(email);
  });

  test("a made-up cookie is replaced", async () => {
    const { email } = await account("planted@example.com");
    const browser = new Browser(server.base);
    browser.cookie = `__Host-linevoice=${"B".repeat(43)}`;
    await signIn(email, PASSWORD, newSource(), browser);
    expect(browser.token).not.toBe("B".repeat(43));
    expect(pick(await browser.ask("GET", "/session"), "session.user.email")).toBe(email);
  });
});

test("every sign-in, right or wrong, is in the audit log, without the entered password", async () => {
  const { email } = await account("audited@example.com");
  const source = newSource();
  await signIn(email, "wrong password", source);
  await signIn(email, PASSWORD, source);
  await signIn("MySecretPassword1@example.com", "x", source);
  const owner = await signedInBrowser(server, { tenantId, operator: true });
  const { text, json } = await owner.ask("GET", "/audit?limit=200");
  const entries = (json as { entries: { user_email: string | null; ip: string }[] }).entries;
  const from = entries.filter(({ ip }) => ip === source["x-forwarded-for"]);
  expect(from).toMatchObject([
    { user_email: null, action: "signIn", target: "/sign-in", outcome: "refused" },
    { user_email: email, action: "signIn", outcome: "done" },
    { user_email: email, action: "signIn", outcome: "refused" },
  ]);
  expect(text.toLowerCase()).not.toContain("mysecretpassword");
  expect(text).not.toContain(PASSWORD);
});
