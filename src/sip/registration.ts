/**
 * The registration client of one trunk (RFC 3261 10.2): digest, refresh before expiry, 423,
 * Retry-After, back-off. It replaces the Registerer of SIP.js. That one sends REGISTERs in a loop
 * if a 200 has only an Expires header, and stops if a 200 has no Contact.
 *
 * Never two REGISTERs at once; at most 6 requests per attempt; a rejected password is retried only
 * every 10 minutes; `close` ends every timer.
 */

import type { RegistrationProblem, RegistrationStatus, TrunkSettings } from "../call/sip-port.ts";
import { type Clock, type Timer, within } from "../core/clock.ts";
import type { Unsubscribe } from "../core/emitter.ts";
import { Emitter } from "../core/emitter.ts";
import { describeError } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import { StateMachine } from "../core/state-machine.ts";
import { isContactAltered } from "./alg-detection.ts";
import { ALLOW } from "./capabilities.ts";
import {
  type RequestAuthorisation,
  type TrunkCredentials,
  unknownChallengeOf,
} from "./credentials.ts";
import { buildRequest, parseNameAddr, type SipResponse, userOf } from "./message/index.ts";
import {
  ENDED_AT_ONCE,
  explainRegistrationFailure,
  explainUnknownChallenge,
  retryDelayMs,
} from "./registration-failure.ts";
import {
  REGISTRATION_TABLE,
  type RegistrationEvent,
  type RegistrationState,
} from "./registration-state.ts";
import { NO_ROUTE, type ServiceRoute, serviceRouteOf } from "./service-route.ts";

interface RegistrationDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly credentials: TrunkCredentials;
  readonly userAgent: string;
  readonly expiresSeconds: number;
  /** User part of our Contact, by which requests from the registrar are assigned to this trunk. */
  readonly contactUser: string;
  /** The current Contact URI with our public address. */
  contactUri(): string;
  /**
   * Sends a request; the caller adds the Via. Resolves with the final response, or null if there
   * was none (timeout, unresolvable host).
   */
  send(request: RegisterRequest): Promise<SipResponse | null>;
  /** Reason for a missing response, as text for the user; null or absent if unknown. */
  readonly noAnswerReason?: () => string | null;
}

/** Composes the request with the Via of its sender. */
export type RegisterRequest = (via: string) => string;

const REQUESTS_PER_ATTEMPT_MAX = 6;
const UNREGISTER_TIMEOUT_MS = 2000;
/**
 * A refresh leaves time for two attempts that time out, but is never sent before half the interval.
 */
const REFRESH_MARGIN_MS = 70_000;
const SHORTEST_EXPIRES_SECONDS = 5;
/** A registrar that grants more time may have forgotten us long before. */
const LONGEST_EXPIRES_SECONDS = 86_400;

type Outcome =
  | { readonly kind: "accepted"; readonly response: SipResponse }
  | { readonly kind: "rejected"; readonly response: SipResponse }
  | { readonly kind: "no_answer" };

export class RegistrationClient {
  readonly #machine: StateMachine<RegistrationState, RegistrationEvent>;
  readonly #emitter = new Emitter<{ status: RegistrationStatus }>();
  readonly #callId: string;
  readonly #fromTag: string;
  #cseq = 0;
  #expiresSeconds: number;
  #timer: Timer | undefined;
  /** Ends the previous binding if it is not renewed. */
  #bindingTimer: Timer | undefined;
  #whenGone: (() => void)[] = [];
  /** The Contact of the last REGISTER. */
  #sentContact = "";
  #isContactAltered = false;
  #serviceRoute = NO_ROUTE;

  constructor(
    private readonly settings: TrunkSettings,
    private readonly deps: RegistrationDeps,
  ) {
    this.#callId = hex(deps.random.bytes(16));
    this.#fromTag = hex(deps.random.bytes(8));
    this.#expiresSeconds = deps.expiresSeconds;
    this.#machine = new StateMachine(
      "registration",
      REGISTRATION_TABLE,
      { name: "idle" } as RegistrationState,
      {
        onTransition: (from, to) => this.#enter(from, to),
        onIllegal: (state, event) =>
          deps.log.warn("registration.illegal_event", { state: state.name, event: event.type }),
      },
    );
  }

  get status(): RegistrationStatus {
    return statusOf(this.#machine.state);
  }

  /** The last response contained another Contact than we sent (see alg-detection.ts). */
  get isContactAltered(): boolean {
    return this.#isContactAltered;
  }

  /** From the last 200; empty while there is no registration (RFC 3608 5.1). */
  get serviceRoute(): ServiceRoute {
    return this.#serviceRoute;
  }

  onStatus(listener: (status: RegistrationStatus) => void): Unsubscribe {
    return this.#emitter.on("status", listener);
  }

  start(): void {
    this.#machine.apply({ type: "start" });
  }

  /** The public address changed: renews the binding now. */
  refreshNow(): void {
    if (this.#machine.state.name === "registered") this.#machine.apply({ type: "due" });
  }

  /**
   * Acts if the timer's wall-clock time has passed. While a machine is suspended its timers stop,
   * but the registrar's continue.
   */
  catchUp(): void {
    const { state } = this.#machine;
    const now = this.deps.clock.now();
    if (
      (state.name === "registered" && state.refreshAtMs <= now) ||
      (state.name === "failed" && state.nextAttemptAtMs <= now)
    )
      this.#machine.apply({ type: "due" });
  }

  /** Removes the registration. Resolves when answered, within 2 s. */
  stop(): Promise<void> {
    if (this.#machine.state.name === "unregistered") return Promise.resolve();
    const gone = new Promise<void>((resolve) => this.#whenGone.push(resolve));
    this.#machine.apply({ type: "stop" });
    return gone;
  }

  #enter(from: RegistrationState, to: RegistrationState): void {
    if (from.name === to.name) {
      this.#reportState(from);
      return;
    }
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#watchBinding(to);
    const { clock } = this.deps;
    if (to.name === "registering") void this.#register();
    if (to.name === "registered") this.#wake(to.refreshAtMs - clock.now());
    if (to.name === "failed") this.#wake(to.nextAttemptAtMs - clock.now());
    if (to.name === "unregistering") void this.#unregister();
    if (to.name === "unregistered") {
      for (const resolve of this.#whenGone.splice(0)) resolve();
    }
    this.#reportState(from);
  }

  #reportState(before: RegistrationState): void {
    if (this.status.name !== "registered") this.#serviceRoute = NO_ROUTE;
    if (JSON.stringify(statusOf(before)) !== JSON.stringify(this.status)) {
      this.#emitter.emit("status", this.status);
    }
  }

  #watchBinding(state: RegistrationState): void {
    this.#bindingTimer?.cancel();
    this.#bindingTimer = undefined;
    const waits = state.name === "registering" || state.name === "failed";
    if (!waits || state.validUntilMs === null) return;
    const leftMs = Math.max(0, state.validUntilMs - this.deps.clock.now());
    this.#bindingTimer = this.deps.clock.after(leftMs, () =>
      this.#machine.apply({ type: "expired" }),
    );
  }

  #wake(delayMs: number): void {
    this.#timer = this.deps.clock.after(Math.max(0, delayMs), () =>
      this.#machine.apply({ type: "due" }),
    );
  }

  async #register(): Promise<void> {
    const outcome = await this.#transact(() => this.#expiresSeconds);
    const state = this.#machine.state;
    if (state.name !== "registering") return;
    if (outcome.kind === "accepted" && this.#grantedSeconds(outcome.response) > 0) {
      this.#machine.apply(this.#acceptedEvent(outcome.response));
      return;
    }
    const response = outcome.kind === "no_answer" ? null : outcome.response;
    const rejected = outcome.kind === "rejected" ? outcome.response : null;
    const delayMs = retryDelayMs(rejected, state.failures, this.deps.random);
    const event: RegistrationEvent = {
      type: "rejected",
      lastCode: response?.statusCode ?? null,
      ...this.#explain(response),
      nextAttemptAtMs: this.deps.clock.now() + delayMs,
      bindingServes: this.#isUnanswered(response),
    };
    this.deps.log.warn("registration.failed", {
      trunk_id: this.settings.trunkId,
      sip_code: event.lastCode,
      retry_in_ms: Math.round(delayMs),
    });
    this.#machine.apply(event);
  }

  /**
   * True if the server has not decided: no response, or a server error. A known unusable route does
   * not count.
   */
  #isUnanswered(response: SipResponse | null): boolean {
    if (response === null) return !this.deps.noAnswerReason?.();
    return response.statusCode === 408 || response.statusCode >= 500;
  }

  #explain(response: SipResponse | null): {
    readonly reason: RegistrationProblem | null;
    readonly explanation: string;
  } {
    const { server } = this.settings;
    if (response === null) {
      const explanation = this.deps.noAnswerReason?.();
      if (explanation) return { reason: "route", explanation };
      return { reason: "silent", explanation: explainRegistrationFailure(null, server) };
    }
    if (response.statusCode < 300) return { reason: "ended_at_once", explanation: ENDED_AT_ONCE };
    const asked = unknownChallengeOf(response);
    if (asked) return { reason: "challenge", explanation: explainUnknownChallenge(asked) };
    return { reason: null, explanation: explainRegistrationFailure(response.statusCode, server) };
  }

  #acceptedEvent(response: SipResponse): RegistrationEvent {
    const { contactUser, log } = this.deps;
    this.#isContactAltered = isContactAltered(this.#sentContact, contactUser, response);
    const route = serviceRouteOf(response);
    if (!route) log.warn("service_route.not_followed", { trunk_id: this.settings.trunkId });
    this.#serviceRoute = route ?? NO_ROUTE;
    const lifetimeMs = Math.max(SHORTEST_EXPIRES_SECONDS, this.#grantedSeconds(response)) * 1000;
    const now = this.deps.clock.now();
    const refreshAfterMs = Math.max(lifetimeMs / 2, lifetimeMs - REFRESH_MARGIN_MS);
    return {
      type: "accepted",
      expiresAtMs: now + lifetimeMs,
      refreshAtMs: now + refreshAfterMs * (0.95 + 0.05 * this.deps.random.float()),
    };
  }

  /**
   * From our Contact, otherwise from the Expires header, otherwise the requested value (10.2.4). 0
   * if there is no binding.
   */
  #grantedSeconds(response: SipResponse): number {
    const contacts = response.headers.all("contact").map(parseNameAddr);
    const ours = contacts.find(
      (contact) => contact && userOf(contact.uri) === this.deps.contactUser,
    );
    const only = contacts.length === 1 ? contacts[0] : undefined;
    const stated =
      (ours ?? only)?.parameters.get("expires") ?? response.headers.get("expires") ?? "";
    if (!/^\d+$/.test(stated)) return this.#expiresSeconds;
    return Math.min(Number(stated), LONGEST_EXPIRES_SECONDS);
  }

  async #unregister(): Promise<void> {
    await within(
      this.deps.clock,
      UNREGISTER_TIMEOUT_MS,
      this.#transact(() => 0),
    );
    if (this.#machine.state.name === "unregistering") this.#machine.apply({ type: "gone" });
  }

  /** Never rejects: a request that cannot be built or sent counts as unanswered. */
  async #transact(expiresSeconds: () => number): Promise<Outcome> {
    try {
      return await this.#attempt(expiresSeconds);
    } catch (error) {
      this.deps.log.error("registration.threw", { error: describeError(error) });
      return { kind: "no_answer" };
    }
  }

  /** One attempt: the request, repeated for each challenge, a stale nonce, or a 423. */
  async #attempt(expiresSeconds: () => number): Promise<Outcome> {
    let authorisation = this.deps.credentials.authorisation();
    for (let sent = 1; ; sent++) {
      const response = await this.deps.send(this.#compose(expiresSeconds(), authorisation));
      if (response === null) return { kind: "no_answer" };
      const { statusCode } = response;
      if (statusCode >= 200 && statusCode < 300) return { kind: "accepted", response };
      if (sent >= REQUESTS_PER_ATTEMPT_MAX) return { kind: "rejected", response };
      if (statusCode === 423 && this.#acceptMinimum(response))
        authorisation = this.deps.credentials.authorisation();
      else if (!this.deps.credentials.answersRegistrar(response, authorisation))
        return { kind: "rejected", response };
    }
  }

  #acceptMinimum(response: SipResponse): boolean {
    const minimum = Number(response.headers.get("min-expires") ?? Number.NaN);
    if (!(minimum > this.#expiresSeconds) || minimum > 86_400) return false;
    this.#expiresSeconds = minimum;
    return true;
  }

  get #registrarUri(): string {
    return `sip:${hostForUri(this.settings.server)}`;
  }

  #compose(expiresSeconds: number, authorisation: RequestAuthorisation): RegisterRequest {
    const identity = `<sip:${this.settings.username}@${hostForUri(this.settings.server)}>`;
    const cseq = ++this.#cseq;
    const authorizationHeaders = authorisation.headers("REGISTER", this.#registrarUri);
    return (via) => {
      this.#sentContact = this.deps.contactUri();
      return buildRequest({
        method: "REGISTER",
        uri: this.#registrarUri,
        headers: [
          ["Via", via],
          ["Max-Forwards", 70],
          ["From", `${identity};tag=${this.#fromTag}`],
          ["To", identity],
          ["Call-ID", this.#callId],
          ["CSeq", `${cseq} REGISTER`],
          ["Contact", `<${this.#sentContact}>;expires=${expiresSeconds}`],
          ["Expires", expiresSeconds],
          ["Allow", ALLOW],
          ["User-Agent", this.deps.userAgent],
          ...authorizationHeaders,
        ],
      });
    };
  }
}

/** IPv6 literals need brackets inside a URI. */
export const hostForUri = (host: string): string =>
  host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;

function statusOf(state: RegistrationState): RegistrationStatus {
  switch (state.name) {
    case "idle":
      return { name: "registering" };
    case "registering":
      return state.validUntilMs === null
        ? { name: "registering" }
        : { name: "registered", expiresAtMs: state.validUntilMs };
    case "registered":
      return { name: "registered", expiresAtMs: state.expiresAtMs };
    case "failed":
      if (state.bindingServes && state.validUntilMs !== null)
        return { name: "registered", expiresAtMs: state.validUntilMs };
      return {
        name: "failed",
        lastCode: state.lastCode,
        reason: state.reason,
        explanation: state.explanation,
        nextAttemptAtMs: state.nextAttemptAtMs,
      };
    case "unregistering":
    case "unregistered":
      return { name: "unregistered" };
  }
}
