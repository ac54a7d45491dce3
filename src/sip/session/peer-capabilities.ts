/**
 * The capabilities of the remote party of one dialog, from Allow and Supported (RFC 3261 20.5,
 * 20.37). The latest value counts.
 */
import type { SipMessage } from "../message/index.ts";

export class PeerCapabilities {
  #allow: ReadonlySet<string> | null = null;
  #supported: ReadonlySet<string> = new Set();

  note({ headers }: SipMessage): void {
    if (headers.has("allow")) this.#allow = lowerCase(headers.all("allow"));
    if (headers.has("supported")) this.#supported = lowerCase(headers.all("supported"));
  }

  /** True if the method was listed. */
  allows(method: string): boolean {
    return this.#allow?.has(method.toLowerCase()) ?? false;
  }

  /** True if other methods were listed, but not this one. */
  lacks(method: string): boolean {
    return this.#allow !== null && !this.allows(method);
  }

  /** `extension`: an option tag. */
  supports(extension: string): boolean {
    return this.#supported.has(extension);
  }

  /** The remote party rejected a method that it had listed. */
  forget(method: string): void {
    const left = [...(this.#allow ?? [])].filter((each) => each !== method.toLowerCase());
    this.#allow = new Set(left);
  }
}

const lowerCase = (tokens: readonly string[]): ReadonlySet<string> =>
  new Set(tokens.map((token) => token.trim().toLowerCase()));
