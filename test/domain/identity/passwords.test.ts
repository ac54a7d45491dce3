/** Passwords: what is stored, what is refused, and how many are hashed at a time. */
import { expect, test } from "bun:test";
import { AppError } from "../../../src/core/errors.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { createPasswords } from "../../../src/domain/identity/passwords.ts";

const passwords = createPasswords(systemRandom);

test("are Argon2id with OWASP's parameters, salted", async () => {
  const [one, two] = [await passwords.hash("a sentence"), await passwords.hash("a sentence")];
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(two);
  expect(await passwords.matches("a sentence", one)).toBe(true);
  expect(await passwords.matches("another sentence", one)).toBe(false);
});

test("nothing stored matches nothing, the decoy's least of all", async () => {
  for (const guess of ["", "decoy", "a sentence"])
    expect(await passwords.matches(guess, null)).toBe(false);
});

test("more than 34 at once are told to come back; those before are all answered", async () => {
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
])("a mailbox of four letters is part of what is guessed: %s, %s", (mailbox, password, strong) => {
  const check = () => passwords.requireStrong(password, `${mailbox}@example.com`);
  if (strong) expect(check).not.toThrow();
  else expect(check).toThrow(AppError);
});
