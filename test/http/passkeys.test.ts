/** Requirements for a passkey's answer, in addition to its signature. */
import { afterAll, expect, test } from "bun:test";
import { person } from "../support/browser/dashboard-session.ts";
import { softAuthenticator } from "../support/browser/soft-authenticator.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const ORIGIN = "https://voice.example";
const server = await startApiServer({ directory: tempDir() });
afterAll(() => server.stop());

test("a challenge has 16 random bytes, 6 of its expiry and 16 of a MAC, and is always different", async () => {
  const { passkeys } = server.identity;
  const challenges = await Promise.all([
    passkeys.signInOptions(ORIGIN),
    passkeys.signInOptions(ORIGIN),
  ]);
  const [first, second] = challenges.map(({ challenge }) => Buffer.from(challenge, "base64url"));
  expect([first?.length, second?.length]).toEqual([38, 38]);
  expect(first?.subarray(0, 16)).not.toEqual(second?.subarray(0, 16));
});

test("an authenticator that was only touched is refused for set-up and sign-in; one that verified its person is accepted", async () => {
  const { passkeys } = server.identity;
  const { id } = await person(server, { tenantId: (await server.tenant()).id });
  const device = softAuthenticator(ORIGIN);
  const user = { id, email: "ona@clinic.example", name: "Ona" };
  const begun = await passkeys.registrationOptions(user, ORIGIN);
  const unverified = device.register(begun.challenge, { isVerified: false });
  const refused = passkeys.register(id, "Phone", unverified, ORIGIN);
  expect(await refused.then(() => "taken").catch(() => "refused")).toBe("refused");
  await passkeys.register(id, "Phone", device.register(begun.challenge), ORIGIN);
  const touched = await passkeys.signInOptions(ORIGIN);
  const answer = device.signIn(touched.challenge, { isVerified: false });
  expect(await passkeys.owner(answer, ORIGIN)).toBeNull();
  const asked = await passkeys.signInOptions(ORIGIN);
  expect(await passkeys.owner(device.signIn(asked.challenge), ORIGIN)).toBe(id);
  const visitor = { source: { ip: "192.0.2.1", userAgent: "" }, token: null };
  const signIn = async (isVerified: boolean) => {
    const { challenge } = await passkeys.signInOptions(ORIGIN);
    const signed = device.signIn(challenge, { isVerified });
    return await server.identity.signIn.byPasskey(signed, ORIGIN, visitor).then(
      ({ next, user }) => [next, user.id],
      (error) => error.code as string,
    );
  };
  expect([await signIn(true), await signIn(false)]).toEqual([["done", id], "unauthorized"]);
});

test("a challenge lives five minutes; a user has at most twenty passkeys", async () => {
  const clock = fakeClock();
  const timed = await startApiServer({ directory: tempDir(), clock });
  const { passkeys } = timed.identity;
  const { id } = await person(timed, { tenantId: (await timed.tenant()).id });
  const user = { id, email: "ona@clinic.example", name: "Ona" };
  const registered = async (waitsMs: number) => {
    const { challenge, timeout } = await passkeys.registrationOptions(user, ORIGIN);
    expect(timeout).toBe(300_000);
    await clock.advance(waitsMs);
    const answer = softAuthenticator(ORIGIN).register(challenge);
    return passkeys.register(id, "Phone", answer, ORIGIN).then(
      () => "taken",
      () => "refused",
    );
  };
  expect([await registered(299_999), await registered(300_000)]).toEqual(["taken", "refused"]);
  for (let count = 1; count < 20; count++) expect(await registered(0)).toBe("taken");
  expect(passkeys.registrationOptions(user, ORIGIN)).rejects.toThrow("at most 20 passkeys");
  expect(await passkeys.list(id)).toHaveLength(20);
  await timed.stop();
});

test("a challenge is answered once, by its own person and for its own purpose", async () => {
  const { passkeys } = server.identity;
  const { id: tenantId } = await server.tenant();
  const [ona, rasa] = [await person(server, { tenantId }), await person(server, { tenantId })];
  const device = softAuthenticator(ORIGIN);
  const begin = async ({ id }: { id: number }) =>
    (await passkeys.registrationOptions({ id, email: "a@b.example", name: "A" }, ORIGIN)).challenge;
  const register = (id: number, answer: unknown) =>
    passkeys.register(id, "Phone", answer, ORIGIN).then(
      () => "taken",
      () => "refused",
    );
  const asked = async () => (await passkeys.signInOptions(ORIGIN)).challenge;
  const owner = (challenge: string) => passkeys.owner(device.signIn(challenge), ORIGIN);
  const forged = ["", "0".repeat(51), Buffer.alloc(37).toString("base64url")];
  for (const challenge of [await begin(rasa), await asked(), ...forged])
    expect(await register(ona.id, device.register(challenge))).toBe("refused");
  expect(await owner(await asked())).toBeNull();
  const answer = device.register(await begin(ona));
  expect([await register(ona.id, answer), await register(ona.id, answer)]).toEqual([
    "taken",
    "refused",
  ]);
  expect(await register(rasa.id, device.register(await begin(rasa)))).toBe("refused");
  for (const challenge of [await begin(ona), ...forged]) expect(await owner(challenge)).toBeNull();
  const challenge = await asked();
  expect([await owner(challenge), await owner(challenge)]).toEqual([ona.id, null]);
});
