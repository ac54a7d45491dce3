/**
 * Passwords: Argon2id (RFC 9106) with OWASP's parameters, PHC strings. Hashing is dear on purpose;
 * only two run at a time and few may wait, so that a flood of sign-ins cannot take the machine's
 * cores from calls.
 */
import { AppError, invalidField } from "../core/errors.ts";
import type { Random } from "../core/random.ts";
import { newSecret } from "./secrets.ts";

const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
const AT_ONCE_MAX = 2;
const WAITING_MAX = 32;
const DIFFERENT_CHARACTERS_MIN = 5;
export const PASSWORD_LENGTH_MIN = 12;

/** What everybody tries first, of those that are long enough. */
const OBVIOUS = ["password", "linevoice", "qwerty", "12345678", "letmein", "changeme", "welcome"];

export type Passwords = ReturnType<typeof createPasswords>;

/** The same characters, however the keyboard composed them (NIST SP 800-63B 5.1.1.2). */
const normal = (password: string) => password.normalize("NFKC");

export function createPasswords(random: Random) {
  let running = 0;
  const waiting: (() => void)[] = [];
  let decoy: Promise<string> | null = null;

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= AT_ONCE_MAX) {
      if (waiting.length >= WAITING_MAX) throw tooBusy();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }

  const hash = (password: string) => inTurn(() => Bun.password.hash(normal(password), ARGON2ID));

  return {
    /** Throws unavailable when too many wait. */
    hash,

    /** `stored` null: false, after the same work as for a stored hash. */
    async matches(password: string, stored: string | null): Promise<boolean> {
      decoy ??= hash(newSecret(random));
      const against = stored ?? (await decoy);
      const right = await inTurn(() => Bun.password.verify(normal(password), against));
      return right && stored !== null;
    },

    /** Throws `valid_password_required` for one that is guessed easily. */
    requireStrong(password: string, email: string): void {
      const plain = normal(password).toLowerCase();
      const mailbox = email.split("@")[0] ?? "";
      const rest = OBVIOUS.reduce((text, word) => text.replaceAll(word, ""), plain);
      const own = mailbox.length >= 4 ? rest.replaceAll(mailbox, "") : rest;
      if (plain.length < PASSWORD_LENGTH_MIN)
        throw invalidField(
          "password",
          `\`password\` must be at least ${PASSWORD_LENGTH_MIN} characters long.`,
        );
      if (plain === email || own.length < 4 || new Set(plain).size < DIFFERENT_CHARACTERS_MIN)
        throw invalidField(
          "password",
          "This password is guessed easily. Take a sentence, or several words that do not belong together.",
        );
    },
  };
}

const tooBusy = () =>
  new AppError({
    code: "unavailable",
    publicMessage: "Too many people sign in at this moment. Try again in a few seconds.",
    retryable: true,
  });
