/** Passwords: stored form, refused values, and concurrent hashes. */
import { expect, test } from "bun:test";
import { AppError } from "../../../src/core/errors.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { createPasswords } from "../../../src/features/identity/passwords.ts";

const passwords = createPasswords(systemRandom);

test("are Argon2id with OWASP's parameters, salted", async () => {
  const [one, two] = [await passwords.hash("a sentence"), await passwords.hash("a sentence")];
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(two);
  expect(await passwords.matches("a sentence", one)).toBe(true);
  expect(await passwords.matches("another sentence", one)).toBe(false);
});

test("a missing stored password matches nothing, not even the decoy's", async () => {
  for (const guess of ["", "decoy", "a sentence"])
    expect(await passwords.matches(guess, null)).toBe(false);
});

test("above 34 at once the rest is refused with a retry; the earlier ones are all answered", async () => {
  const answers = await Promise.allSettled(
    Array.from({ length: 40 }, () => passwords.matches("guess", null)),
  );
  const refused = answers.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(6);
  for (const answer of refused)
    if (answer.status === "rejected") expect((answer.reason as AppError).code).toBe("unavailable");
  expect(await passwords.matches("guess", null)).toBe(false);
});

const STRENGTH: readonly (readonly [password: string, strong: boolean])[] = [
  ["elevenchars", false],
  ["twelve chars", true],
  ["aaaaaaaaaaaa", false],
  ["abcdabcdabcd", false],
  ["abcdeabcdeab", true],
  ["password1234", false],
  ["PASSWORD!!!!2026", false],
  ["my password is a long story", true],
  ["kristina2026", false],
  ["kristina-horse", false],
  ["kristina-horses", true],
  ["kristina and her horse", true],
  ["kristina@example.com", false],
  ["370612345678", false],
  ["žuvis dviratis", true],
];

for (const [password, strong] of STRENGTH)
  test(`"${password}" is ${strong ? "taken" : "refused"}`, () => {
    const check = () => passwords.requireStrong(password, "kristina@example.com");
    if (strong) expect(check).not.toThrow();
    else expect(check).toThrow(AppError);
  });

test.each([
  ["jona", "jona-horse12", false],
  ["jona", "jona-horses12", true],
  ["jon", "jon-jon-horse", true],
])(
  "a mailbox name of four letters counts as part of a guessable password: %s, %s",
  (mailbox, password, strong) => {
    const check = () => passwords.requireStrong(password, `${mailbox}@example.com`);
    if (strong) expect(check).not.toThrow();
    else expect(check).toThrow(AppError);
  },
);
