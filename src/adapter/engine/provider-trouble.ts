/** That a provider cannot be used by anybody, as call workers report it: once, and once that it answers again. */
import type { Part } from "./provider.ts";

export interface ProviderTrouble {
  readonly provider: string;
  readonly part: Part;
  /** Null: it answers again. */
  readonly trouble: {
    /** `auth`: key or credit. `not_found`: no such model, or nothing at the address. */
    readonly reason: "auth" | "not_found";
    /** What it said, without keys. */
    readonly message: string;
  } | null;
}
