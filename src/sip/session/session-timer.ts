/**
 * The session timer of one dialog (RFC 4028), processed on the wire, because SIP.js does not
 * support it. It reads Session-Expires of received messages and adds it to sent ones. It requests a
 * refresh if we are the refresher. If the remote party should have refreshed the session and it
 * expires, it reports that.
 *
 *   off ──2xx with Session-Expires──► running ──refreshed──► running …
 *    ▲────2xx without────────────────────┘  └──not refreshed in time──► expired
 *
 * One timer at a time; `close` ends it.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import { type SipMessage, type SipRequest, type SipResponse, tagOf } from "../message/index.ts";
import { PeerCapabilities } from "./peer-capabilities.ts";

interface SessionTimerDeps {
  readonly clock: Clock;
  /** The interval that we request, and the minimum that we accept, seconds. */
  readonly expiresSeconds: number;
  readonly minSeconds: number;
  /** We must refresh now. The result comes through `incoming` or `refreshFailed`. */
  readonly refresh: () => void;
  /** The remote party did not refresh: the session has expired. */
  readonly expire: () => void;
}

interface Interval {
  readonly seconds: number;
  readonly weRefresh: boolean;
}

/** RFC 4028 5: shorter intervals must not be accepted. */
export const MIN_SE_SECONDS = 90;
/** Minimum time between refreshes, whatever the remote party requests. */
const REFRESH_MS_MIN = 2000;
/** After a rejection: 2, 4, 8, … s. */
const RETRY_MS = 2000;
const RETRY_MS_MAX = 64_000;
const EXPIRES_SECONDS_MAX = 86_400;
const ANSWERS_MAX = 8;
/** Requests that refresh a session and its target. */
export const REFRESHES: ReadonlySet<string> = new Set(["INVITE", "UPDATE"]);

export class SessionTimer {
  /** From the messages processed here. */
  readonly peer = new PeerCapabilities();
  #expiresSeconds: number;
  #minSeconds: number;
  #running: Interval | null = null;
  /** Headers of our 2xx to the remote party's latest requests, by CSeq, and their meaning. */
  readonly #answers = new Map<number, { readonly interval: Interval | null; lines: string }>();
  #refreshTimer: Timer | undefined;
  #expiryTimer: Timer | undefined;
  #retryMs = RETRY_MS;
  #closed = false;

  constructor(private readonly deps: SessionTimerDeps) {
    this.#minSeconds = deps.minSeconds;
    this.#expiresSeconds = Math.max(deps.expiresSeconds, deps.minSeconds);
  }

  /** Processes a received message of this dialog. */
  incoming(message: SipMessage): void {
    if (!REFRESHES.has(message.cseq.method)) return;
    this.peer.note(message);
    if (message.kind === "request") this.#note(message);
    else if (message.statusCode >= 200 && message.statusCode < 300) this.#agreed(message);
  }

  /** Returns the text of an outgoing message with the headers of the session timer. */
  outgoing(message: SipMessage, text: string): string {
    if (message.kind === "request") {
      return REFRESHES.has(message.method) ? withLines(text, this.#asking(message)) : text;
    }
    const { statusCode, cseq } = message;
    const answers = REFRESHES.has(cseq.method) && statusCode >= 200 && statusCode < 300;
    const answer = answers ? this.#answers.get(cseq.number) : undefined;
    if (!answer) return text;
    this.#run(answer.interval);
    return withLines(text, answer.lines);
  }

  /** True if the request can be repeated after a 422 with the longer interval (RFC 4028 6). */
  acceptMinimum(minSe: string | undefined): boolean {
    const seconds = secondsOf(minSe);
    if (seconds === undefined || seconds <= this.#expiresSeconds) return false;
    this.#minSeconds = seconds;
    this.#expiresSeconds = seconds;
    return true;
  }

  /**
   * Our refresh was rejected or got no answer: it is repeated until the session expires. RFC 4028
   * 10 would end the call at the first time-out, although its audio may not need the unreachable
   * server.
   */
  refreshFailed(): void {
    if (this.#closed || !this.#running) return;
    this.#refreshIn(this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MS_MAX);
  }

  close(): void {
    this.#closed = true;
    this.#stop();
  }

  /** An UPDATE may arrive, and be answered, before the INVITE is. */
  #note(request: SipRequest): void {
    this.#answers.set(request.cseq.number, answerTo(request));
    const [oldest = 0] = this.#answers.keys();
    if (this.#answers.size > ANSWERS_MAX) this.#answers.delete(oldest);
  }

  /**
   * The first INVITE has our preferred interval. Later ones have the current one, with the roles of
   * this transaction.
   */
  #asking(request: SipRequest): string {
    const first = tagOf(request.to) === null;
    if (!first && !this.#running) return "Supported: timer\r\n";
    const seconds = Math.max(
      first ? this.#expiresSeconds : (this.#running?.seconds ?? 0),
      this.#minSeconds,
    );
    const refresher = first ? "" : `;refresher=${this.#running?.weRefresh ? "uac" : "uas"}`;
    const expires = `Session-Expires: ${seconds}${refresher}\r\n`;
    return `Supported: timer\r\nMin-SE: ${this.#minSeconds}\r\n${expires}`;
  }

  #agreed(response: SipResponse): void {
    const seconds = secondsOf(response.headers.get("session-expires"));
    // RFC 4028 7.2: if the response does not name a refresher, we refresh.
    const weRefresh = refresherOf(response) !== "uas";
    const agreed = seconds === undefined ? null : Math.max(seconds, this.#minSeconds);
    this.#run(agreed === null ? null : { seconds: agreed, weRefresh });
  }

  #run(interval: Interval | null): void {
    this.#stop();
    if (this.#closed) return;
    this.#running = interval;
    this.#retryMs = RETRY_MS;
    if (!interval) return;
    const lifetimeMs = interval.seconds * 1000;
    // RFC 4028 10: end a little earlier, before a proxy drops the call.
    const marginMs = Math.min(32_000, lifetimeMs / 3);
    this.#expiryTimer = this.deps.clock.after(lifetimeMs - marginMs, () => this.#expireNow());
    if (interval.weRefresh) this.#refreshIn(Math.max(REFRESH_MS_MIN, lifetimeMs / 2));
  }

  #refreshIn(delayMs: number): void {
    this.#refreshTimer?.cancel();
    this.#refreshTimer = this.deps.clock.after(delayMs, () => this.deps.refresh());
  }

  #expireNow(): void {
    this.close();
    this.deps.expire();
  }

  #stop(): void {
    this.#refreshTimer?.cancel();
    this.#expiryTimer?.cancel();
    this.#running = null;
  }
}

/**
 * RFC 4028 9: determines the refresher if the request does not name one, or if its sender cannot
 * refresh.
 */
function answerTo(request: SipRequest) {
  const seconds = secondsOf(request.headers.get("session-expires"));
  if (seconds === undefined) return { interval: null, lines: "" };
  const able = knowsTimer(request);
  const weRefresh = !able || refresherOf(request) === "uas";
  const require = weRefresh ? "" : "Require: timer\r\n";
  const expires = `Session-Expires: ${seconds};refresher=${weRefresh ? "uas" : "uac"}\r\n`;
  return { interval: { seconds, weRefresh }, lines: `${require}${expires}` };
}

/**
 * RFC 4028 9: the interval is too short, and the sender can repeat the request with a longer one.
 */
export function isIntervalTooSmall(request: SipRequest): boolean {
  if (!REFRESHES.has(request.method) || !knowsTimer(request)) return false;
  const seconds = secondsOf(request.headers.get("session-expires"));
  return seconds !== undefined && seconds < MIN_SE_SECONDS;
}

const knowsTimer = ({ headers }: SipRequest): boolean =>
  headers.hasToken("supported", "timer") || headers.hasToken("require", "timer");

function secondsOf(value: string | undefined): number | undefined {
  const digits = /^\s*(\d{1,9})/.exec(value ?? "")?.[1];
  const seconds = digits === undefined ? 0 : Number(digits);
  return seconds > 0 ? Math.min(seconds, EXPIRES_SECONDS_MAX) : undefined;
}

const refresherOf = ({ headers }: SipMessage): string | undefined =>
  /;\s*refresher\s*=\s*(uac|uas)/i.exec(headers.get("session-expires") ?? "")?.[1]?.toLowerCase();

/** Adds whole header lines after the last one. */
function withLines(text: string, lines: string): string {
  const headEnd = text.indexOf("\r\n\r\n") + 2;
  return headEnd < 2 ? text : `${text.slice(0, headEnd)}${lines}${text.slice(headEnd)}`;
}
