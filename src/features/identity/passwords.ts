/**
 * Passwords: Argon2id (RFC 9106) with OWASP's parameters, PHC strings. Hashing is expensive on
 * purpose. Only two hashes run at a time and few may wait, so that a flood of sign-ins cannot take
 * the CPU from calls.
 */
import { AppError, invalidField } from "../../core/errors.ts";
import type { Random } from "../../core/random.ts";
import { newSecret } from "./secrets.ts";

const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
const AT_ONCE_MAX = 2;
const WAITING_MAX = 32;
const DIFFERENT_CHARACTERS_MIN = 5;
const OTHER_LETTERS_MIN = 6;
const PASSWORD_LENGTH_MIN = 12;

/** Common words: long passwords with them are still easy to guess. */
const OBVIOUS = ["password", "linevoice", "qwerty", "12345678", "letmein", "changeme", "welcome"];

export type Passwords = ReturnType<typeof createPasswords>;

/** Unicode normalisation, because keyboards compose characters differently (NIST SP 800-63B 5.1.1.2). */
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

  /** Computed once, on first use. */
  function decoyHash(): Promise<string> {
    decoy ??= hash(newSecret(random)).catch((error: unknown) => {
      decoy = null;
      throw error;
    });
    return decoy;
  }

  return {
    /** Throws unavailable when too many hashes wait. */
    hash,

    /** `stored` null: returns false after the same work as for a stored hash. */
    async matches(password: string, stored: string | null): Promise<boolean> {
      const against = stored ?? (await decoyHash());
      const right = await inTurn(() => Bun.password.verify(normal(password), against));
      return right && stored !== null;
    },

    /** Throws `valid_password_required` for a password that is easy to guess. */
    requireStrong(password: string, email: string): void {
      const plain = normal(password).toLowerCase();
      if (plain.length < PASSWORD_LENGTH_MIN)
        throw invalidField(
          "password",
          `\`password\` must be at least ${PASSWORD_LENGTH_MIN} characters long.`,
        );
      if (isObvious(plain, email))
        throw invalidField(
          "password",
          "This password is easy to guess. Use a sentence or several unrelated words.",
        );
    },
  };
}

/**
 * True for a common word or the mailbox name with few additions, digits only, or few different
 * characters.
 */
function isObvious(plain: string, email: string): boolean {
  const mailbox = email.split("@")[0] ?? "";
  const words = [email, ...OBVIOUS, ...(mailbox.length >= 4 ? [mailbox] : [])];
  const rest = words.reduce((text, word) => text.replaceAll(word, ""), plain);
  const letters = rest.replace(/[\d\s\p{P}]/gu, "");
  if (rest !== plain && letters.length < OTHER_LETTERS_MIN) return true;
  return /^\d+$/.test(plain) || new Set(plain).size < DIFFERENT_CHARACTERS_MIN;
}

const tooBusy = () =>
  new AppError({
    code: "unavailable",
    publicMessage: "Too many sign-ins right now. Try again in a few seconds.",
    retryable: true,
  });
