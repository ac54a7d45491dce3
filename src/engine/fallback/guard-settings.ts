/** `[engine]`: retry settings for failing providers. */
import type { z } from "zod";
import { integer } from "../../platform/config/key.ts";

export const guardKeys = {
  retries: integer("Further attempts at a provider, where another one may help.", 1, 0, 5),
  breaker_failures: integer(
    "Consecutive failures before a provider is skipped for a while.",
    3,
    1,
    100,
  ),
  breaker_open_sec: integer(
    "How long such a provider is not asked; then one request tries it again.",
    30,
    1,
    3600,
  ),
};

export type GuardSettings = z.output<z.ZodObject<typeof guardKeys>>;
