/** Secrets shown only once: 32 random bytes, stored only as their SHA-256. */
import { createHash } from "node:crypto";
import type { Random } from "../../core/random.ts";

const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;

/** 43 characters, base64url. */
export const newSecret = (random: Random): string =>
  Buffer.from(random.bytes(SECRET_BYTES)).toString("base64url");

/** Other text needs no lookup. */
export const isSecret = (text: string): boolean => SECRET.test(text);

export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");
