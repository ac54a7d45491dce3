/**
 * The carrier's registrar (RFC 3261 10.3) and digest check (RFC 7616, RFC 8760): authenticates
 * registrations and calls and stores contacts. Nonces are created here, expire, and their count
 * must increase.
 */

import { BoundedMap } from "../../core/bounded-map.ts";
import type { Clock } from "../../core/clock.ts";
import { hex } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import {
  type DigestAlgorithm,
  formatChallenge,
  parseCredentials,
  verifyCredentials,
} from "../../sip/digest.ts";
import { parseNameAddr, type SipRequest, type SipUri } from "../../sip/message/index.ts";

export interface Subscriber {
  readonly username: string;
  readonly password: string;
}

type AuthResult = "accepted" | "challenge" | "stale";

const NONCE_MS = 5 * 60_000;
const NONCES_MAX = 1000;
const EXPIRES_SECONDS_MAX = 3600;
const EXPIRES_SECONDS_MIN = 10;

interface Binding {
  readonly contact: SipUri;
  readonly expiresAt: number;
}

interface RegistrarOptions {
  readonly realm: string;
  readonly clock: Clock;
  readonly random: Random;
}

interface IssuedNonce {
  readonly madeAt: number;
  /** The highest count seen with the nonce, and the transaction that used it. */
  count: number;
  transaction: string;
}

export class Registrar {
  readonly #subscribers = new Map<string, Subscriber>();
  readonly #bindings = new Map<string, Binding>();
  readonly #nonces = new BoundedMap<string, IssuedNonce>(NONCES_MAX);

  constructor(private readonly options: RegistrarOptions) {}

  add(subscriber: Subscriber): void {
    this.#subscribers.set(subscriber.username, subscriber);
  }

  /** The user authenticated by the request's (Proxy-)Authorization. */
  verify(
    request: SipRequest,
    header: "authorization" | "proxy-authorization",
  ): {
    readonly result: AuthResult;
    readonly username: string | null;
  } {
    for (const value of request.headers.all(header)) {
      const credentials = parseCredentials(value);
      const subscriber = credentials && this.#subscribers.get(credentials.username);
      if (!credentials || !subscriber || credentials.realm !== this.options.realm) continue;
      if (!verifyCredentials(credentials, subscriber.password, request.method)) continue;
      const count = Number.parseInt(credentials.nc, 16);
      const fresh = this.#useNonce(credentials.nonce, count, request.headers.get("via") ?? "");
      return { result: fresh ? "accepted" : "stale", username: subscriber.username };
    }
    return { result: "challenge", username: null };
  }

  /** Header values for a 401 or 407: SHA-256 first, MD5 for older agents (RFC 8760 2.3). */
  challenges(stale: boolean): string[] {
    const nonce = hex(this.options.random.bytes(16));
    this.#nonces.set(nonce, {
      madeAt: this.options.clock.monotonic(),
      count: 0,
      transaction: "",
    });
    const algorithms: readonly DigestAlgorithm[] = ["SHA-256", "MD5"];
    return algorithms.map((algorithm) =>
      formatChallenge({
        realm: this.options.realm,
        nonce,
        opaque: null,
        qop: "auth",
        algorithm,
        stale,
      }),
    );
  }

  /** Writes or removes the binding of an authenticated REGISTER; returns the granted seconds. */
  save(username: string, request: SipRequest): { contact: string; expiresSeconds: number } | null {
    const contact = request.headers.get("contact") ?? "";
    const parsed = parseNameAddr(contact);
    const asked = Number(
      parsed?.parameters.get("expires") ?? request.headers.get("expires") ?? 300,
    );
    if (contact.trim() === "*" || asked === 0) {
      this.#bindings.delete(username);
      return null;
    }
    if (parsed?.uri.scheme !== "sip") return null;
    const expiresSeconds = Math.min(EXPIRES_SECONDS_MAX, Math.max(EXPIRES_SECONDS_MIN, asked));
    const expiresAt = this.options.clock.monotonic() + expiresSeconds * 1000;
    this.#bindings.set(username, { contact: parsed.uri, expiresAt });
    return { contact, expiresSeconds };
  }

  /** The contact of a subscriber; null if not registered. */
  locate(username: string): SipUri | null {
    const binding = this.#bindings.get(username);
    return binding && binding.expiresAt > this.options.clock.monotonic() ? binding.contact : null;
  }

  /** A retransmission is treated like the original request: the carrier keeps no transactions. */
  #useNonce(nonce: string, count: number, transaction: string): boolean {
    const known = this.#nonces.get(nonce);
    if (!known || this.options.clock.monotonic() - known.madeAt > NONCE_MS) return false;
    if (count === known.count && transaction === known.transaction) return true;
    if (count <= known.count) return false;
    known.count = count;
    known.transaction = transaction;
    return true;
  }
}
