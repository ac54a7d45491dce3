/** `[engine]`: retry settings for failing providers. */
import type { z } from "zod";
import { integer } from "../../platform/config/key.ts";

export const guardKeys = {
  retries: integer("Number of retries at a provider, for errors where a retry can help.", 1, 0, 5),
  breaker_failures: integer(
    "Consecutive failures before a provider is skipped for a while.",
    3,
    1,
    100,
  ),
  breaker_open_sec: integer(
    "Time for which such a provider is skipped. Then one request tries it again.",
    30,
    1,
    3600,
  ),
};

export type GuardSettings = z.output<z.ZodObject<typeof guardKeys>>;
