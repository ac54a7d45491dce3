/** What the far end of one dialog said of itself in Allow and Supported (RFC 3261 20.5, 20.37), last word counts. */
import type { SipMessage } from "../message/index.ts";

export class PeerAbilities {
  #allow: ReadonlySet<string> | null = null;
  #supported: ReadonlySet<string> = new Set();

  note({ headers }: SipMessage): void {
    if (headers.has("allow")) this.#allow = lowerCase(headers.all("allow"));
    if (headers.has("supported")) this.#supported = lowerCase(headers.all("supported"));
  }

  /** It named the method. */
  allows(method: string): boolean {
    return this.#allow?.has(method.toLowerCase()) ?? false;
  }

  /** It named others. */
  lacks(method: string): boolean {
    return this.#allow !== null && !this.allows(method);
  }

  /** `extension`: an option tag. */
  supports(extension: string): boolean {
    return this.#supported.has(extension);
  }

  /** It refused a method that it had named. */
  forget(method: string): void {
    const left = [...(this.#allow ?? [])].filter((each) => each !== method.toLowerCase());
    this.#allow = new Set(left);
  }
}

const lowerCase = (tokens: readonly string[]): ReadonlySet<string> =>
  new Set(tokens.map((token) => token.trim().toLowerCase()));
