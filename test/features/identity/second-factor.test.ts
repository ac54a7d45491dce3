/** The second factor: accepted codes, each valid once, and ten recovery codes for a lost telephone. */
import { expect, test } from "bun:test";
import { Secret, TOTP } from "otpauth";
import { systemRandom as random } from "../../../src/core/random.ts";
import { SecondFactor } from "../../../src/features/identity/second-factor.ts";
import { fakeClock } from "../../support/fake-clock.ts";

type Parts = ConstructorParameters<typeof SecondFactor>;
type Accepts = Parameters<SecondFactor["accepts"]>;

const STEP_MS = 30_000;
/** The start of a time step. */
const clock = fakeClock(1_795_000_020_000);

function world() {
  let user: object | null = {
    id: 1,
    email: "ona@clinic.example",
    totpSealed: null,
    totpPendingSealed: null,
  };
  const steps = new Set<number>();
  let hashes: readonly string[] = [];
  const revoked: unknown[] = [];
  const users = {
    byId: async () => user,
    update: async (_: number, changes: object) => {
      user = { ...user, ...changes };
    },
    spendTotpStep: async (_: number, step: number) => !steps.has(step) && steps.add(step).has(step),
    replaceRecoveryCodes: async (_: number, made: readonly string[]) => {
      hashes = made;
    },
    spendRecoveryCode: async (_: number, hash: string) => {
      const isOne = hashes.includes(hash);
      hashes = hashes.filter((one) => one !== hash);
      return isOne;
    },
  };
  const key = () => new Uint8Array(32);
  const deps = {
    clock,
    random,
    stores: () => ({ users }),
    vault: {
      lastingKey: key,
      deriveKey: key,
      seal: (text: string) => text,
      open: (text: string) => text,
    },
    database: {
      tx: (work: (queries: null) => Promise<unknown>) => work(null),
      revocations: { note: async () => undefined },
    },
  };
  const factor = new SecondFactor(deps as unknown as Parts[0]);
  const store = { users, revoked: async (what: unknown[]) => void revoked.push(...what) };
  return {
    factor,
    revoked,
    steps,
    leftCodes: () => hashes,
    remove: () =>
      factor.remove(store as unknown as Accepts[0], user as Parameters<SecondFactor["remove"]>[1]),
    forget: () => {
      user = null;
    },
    accepts: (code: string) =>
      factor.accepts(store as unknown as Accepts[0], user as Accepts[1], code),
  };
}

const codeAt = (secret: string, timestamp: number) =>
  new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 }).generate({ timestamp });

async function turnedOn() {
  const made = world();
  const { secret } = await made.factor.begin(1);
  const codes = await made.factor.confirm(1, codeAt(secret, clock.now()));
  await clock.advance(4 * STEP_MS);
  return { ...made, secret, codes };
}

test("its first code turns it on, with ten recovery codes, and it cannot be set up again", async () => {
  const { factor, codes, secret } = await turnedOn();
  expect(Buffer.from(Secret.fromBase32(secret).buffer).length).toBe(20);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/);
  await expect(factor.begin(1)).rejects.toMatchObject({ code: "conflict" });
  await expect(factor.confirm(1, "000000")).rejects.toMatchObject({ code: "conflict" });
});

test("set-up fails for an unknown user, and cannot be confirmed before it was started", async () => {
  const { factor, forget } = world();
  await expect(factor.confirm(1, "000000")).rejects.toMatchObject({ code: "conflict" });
  forget();
  await expect(factor.begin(1)).rejects.toMatchObject({ code: "conflict" });
  await expect(factor.confirm(1, "000000")).rejects.toMatchObject({ code: "conflict" });
});

test.each([
  [-2, false],
  [0, true],
  [1, true],
  [2, false],
])("a code of %d steps from now is accepted: %p, and once", async (away, isAccepted) => {
  const { accepts, secret } = await turnedOn();
  const code = codeAt(secret, clock.now() + away * STEP_MS);
  expect([await accepts(code), await accepts(code)]).toEqual([isAccepted, false]);
});

test("a code accepted ahead of its time is refused at its time, the next one is accepted", async () => {
  const { accepts, secret } = await turnedOn();
  const code = codeAt(secret, clock.now() + STEP_MS);
  expect(await accepts(code)).toBe(true);
  await clock.advance(STEP_MS);
  expect(await accepts(code)).toBe(false);
  await clock.advance(STEP_MS);
  expect(await accepts(codeAt(secret, clock.now()))).toBe(true);
});

test("the used step is the code's own, counted from 1970", async () => {
  const { accepts, secret, steps } = await turnedOn();
  const now = Math.floor(clock.now() / STEP_MS);
  for (const away of [-1, 0, 1]) await accepts(codeAt(secret, clock.now() + away * STEP_MS));
  expect([...steps].slice(-3)).toEqual([now - 1, now, now + 1]);
});

test("when it is off no code is accepted, and a restore keeps it off", async () => {
  const { accepts, codes, factor, remove, revoked, secret } = await turnedOn();
  await remove();
  expect(await accepts(codeAt(secret, clock.now()))).toBe(false);
  expect(revoked).toMatchObject([{ kind: "second_factor" }]);
  const next = await factor.begin(1);
  await factor.confirm(1, codeAt(next.secret, clock.now()));
  expect(await accepts(codes[0] ?? "")).toBe(false);
});

test("turning it off removes the recovery codes", async () => {
  const { codes, leftCodes, remove } = await turnedOn();
  expect(leftCodes()).toHaveLength(codes.length);
  await remove();
  expect(leftCodes()).toEqual([]);
});

test("a wrong code does not turn it on", async () => {
  const { factor, accepts } = world();
  const { secret } = await factor.begin(1);
  const wrong = factor.confirm(1, codeAt(secret, clock.now() - 5 * STEP_MS));
  await expect(wrong).rejects.toMatchObject({ code: "valid_code_required" });
  expect(await accepts(codeAt(secret, clock.now()))).toBe(false);
});

test("a recovery code is accepted in any spelling, once, and a restore keeps it used", async () => {
  const { accepts, codes, revoked } = await turnedOn();
  const code = (codes[0] ?? "")
    .toUpperCase()
    .replace("-", " ")
    .replaceAll("0", "o")
    .replaceAll("1", "l");
  expect([await accepts(code), await accepts(code), await accepts("aaaaa-aaaaa")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(revoked).toMatchObject([{ kind: "recovery_code" }]);
});
