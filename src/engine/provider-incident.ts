/**
 * Report of call workers that a provider is unusable for everybody. Sent once, and once when it
 * works again.
 */
import type { Part } from "./provider.ts";

export interface ProviderIncident {
  readonly provider: string;
  readonly part: Part;
  /** Null: it works again. */
  readonly trouble: {
    /**
     * `auth`: key or credit. `not_found`: the model does not exist, or the address is wrong. `silent`:
     * the voice returns silence.
     */
    readonly reason: "auth" | "not_found" | "silent";
    /** Message of the provider, without keys. */
    readonly message: string;
  } | null;
}
