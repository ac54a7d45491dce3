/** The purpose root is replaced while the server runs: earlier signatures end, and new ones are valid. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { rotateMasterKey } from "../../src/app/vault.ts";
import { calls, trunks } from "../../src/store/schema/index.ts";
import { Browser, person } from "../support/browser/dashboard-session.ts";
import { softAuthenticator } from "../support/browser/soft-authenticator.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { ask, pick, pickText, startApiServer } from "../support/http/api-server.ts";
import { PASSWORD, tokenOf } from "../support/http/sign-in-world.ts";
import { insertCall } from "../support/store/stored-rows.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const ORIGIN = "https://voice.example";
const directory = tempDir();
const clock = fakeClock();
const server = await startApiServer({ directory, clock });
afterAll(() => server.stop());
const [one, two] = [await server.tenant(), await server.tenant()];
// Their trunks' passwords were never encrypted.
await server.database.tx((queries) => queries.delete(trunks));

const replaceRoot = () =>
  rotateMasterKey(server.database, server.vault, randomBytes(32), randomBytes(32));

test("recording links of every tenant end, new ones work", async () => {
  await Bun.write(`${directory}/call.mp3`, "0123456789");
  const opened = [];
  for (const tenant of [one, two]) {
    const uuid = crypto.randomUUID();
    await insertCall(server.database, tenant.id, uuid);
    const ready = {
      status: "completed",
      recordingStatus: "ready",
      recordingFile: "call.mp3",
    } as const;
    await server.database.tx((q) => q.update(calls).set(ready).where(eq(calls.callUuid, uuid)));
    const link = async () =>
      pickText(await ask(server, tenant, "GET", `/calls/${uuid}`), "call.recording_url");
    opened.push({ link, old: await link() });
  }
  for (const { old } of opened) expect((await fetch(old)).status).toBe(200);
  await replaceRoot();
  for (const { old, link } of opened)
    expect([(await fetch(old)).status, (await fetch(await link())).status]).toEqual([404, 200]);
});

test("recovery codes end; the authenticator continues, and new codes work", async () => {
  const { email } = await person(server, { tenantId: one.id });
  const { link } = await server.identity.setup.resetLink(email, false);
  await server.identity.account.resetPassword(tokenOf(link.url), PASSWORD);
  let secret = "";
  const code = () =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now() });
  const browser = new Browser(server.base);
  const setUp = async () => {
    secret = pickText(await browser.ask("POST", "/totp/begin"), "secret");
    const codes = pick(
      await browser.ask("POST", "/totp/confirm", { code: code() }),
      "recovery_codes",
    ) as string[];
    await clock.advance(60_000);
    return codes;
  };
  const enter = async (text: string) => {
    const fresh = new Browser(server.base);
    await fresh.ask("POST", "/sign-in", { email, password: PASSWORD });
    return (await fresh.ask("POST", "/sign-in/totp", { code: text })).status;
  };
  await browser.ask("POST", "/sign-in", { email, password: PASSWORD });
  const [used = "", old = ""] = await setUp();
  expect(await enter(used)).toBe(200);
  expect((await replaceRoot()).endedCodesOf).toBe(1);
  expect([await enter(old), await enter(code())]).toEqual([401, 200]);
  await clock.advance(60_000);
  await browser.ask("POST", "/totp/disable", { password: PASSWORD, code: code() });
  await clock.advance(60_000);
  const [renewed = ""] = await setUp();
  expect([await enter(old), await enter(renewed)]).toEqual([401, 200]);
});

test("pending passkey challenges end; the passkeys stay, under the same handle", async () => {
  const { passkeys } = server.identity;
  const { id } = await person(server, { tenantId: one.id, email: "ona@example.com" });
  const user = { id, email: "ona@example.com", name: "Ona" };
  const [device, late] = [softAuthenticator(ORIGIN), softAuthenticator(ORIGIN)];
  const begun = await passkeys.registrationOptions(user, ORIGIN);
  await passkeys.register(id, "Phone", device.register(begun.challenge), ORIGIN);
  const known = await passkeys.signInOptions(ORIGIN);
  expect(await passkeys.owner(device.signIn(known.challenge), ORIGIN)).toBe(id);

  const pending = await passkeys.registrationOptions(user, ORIGIN);
  const open = await passkeys.signInOptions(ORIGIN);
  await replaceRoot();
  expect(await passkeys.owner(device.signIn(open.challenge), ORIGIN)).toBeNull();
  const registered = passkeys.register(id, "Late", late.register(pending.challenge), ORIGIN);
  await expect(registered).rejects.toThrow();
  const again = await passkeys.signInOptions(ORIGIN);
  expect(await passkeys.owner(device.signIn(again.challenge), ORIGIN)).toBe(id);
  const next = await passkeys.registrationOptions(user, ORIGIN);
  expect(next.user.id).toBe(begun.user.id);
  await passkeys.register(id, "Late", late.register(next.challenge), ORIGIN);
  expect(await passkeys.list(id)).toHaveLength(2);
});
