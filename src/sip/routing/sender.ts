/**
 * Sends one request to the first of several servers that accepts it (RFC 3263 4.3). If a server
 * cannot be reached, responds 503, or does not respond, the next one is tried. Each attempt is a
 * separate transaction; the user sees one request with its original branch. Requests above 1,300
 * bytes use TCP instead of UDP if TCP is accepted (RFC 3261 18.1.1). If the connection is lost
 * before a response, the request is sent once more to the same server over a new connection.
 *
 * Late responses from a skipped server are handled here (see late-response.ts), so that no phone
 * keeps ringing.
 *
 * Each attempt has the same Call-ID, From tag and CSeq (RFC 3263 4.3: a new branch, otherwise the
 * same request). So a callee reachable through both servers sees one call. It then responds 482 to
 * the second attempt: the first one has reached it, and only its responses are late. In that case
 * we go back to the silent server and wait. With a new Call-ID the callee would ring twice, or be
 * busy because of our first attempt.
 */
import { BoundedMap } from "../../core/bounded-map.ts";
import type { Clock } from "../../core/clock.ts";
import { hex } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import {
  branchOf,
  formatVia,
  parseOwnMessage,
  retryAfterMs,
  type SipRequest,
  type SipResponse,
} from "../message/index.ts";
import type { TransactionLayer } from "../transaction/layer.ts";
import { T1_MS } from "../transaction/timers.ts";
import { type Flow, isStream } from "../transport/flow.ts";
import type { FailedTargets } from "./failed-targets.ts";
import { ackOf, LateResponse, NO_OP_CALLBACKS } from "./late-response.ts";
import type { Target } from "./locate.ts";

export interface SendUser {
  /** Called for every response, with the branch of the original request. */
  onResponse(response: SipResponse, flow: Flow): void;
  /**
   * No server is left. `silent`: the last one was reached but did not respond. If false, it was not
   * reached.
   */
  onFailure(failure: { readonly silent: boolean; readonly reason: unknown }): void;
  /**
   * If false, the request is no longer needed and not sent to another server. Default: always true.
   */
  readonly isWanted?: () => boolean;
}

interface SenderDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly transactions: TransactionLayer;
  readonly failed: FailedTargets;
}

/** The possible destinations of a request, and how to reach them. */
export interface Route {
  /** In order of preference. */
  readonly targets: readonly Target[];
  /** Opens a path to that server. Rejects if there is none. */
  open(target: Target): Promise<Flow>;
  /** Opens a TCP connection instead of that UDP target, quickly; rejects if it is not accepted. */
  openTcp(target: Target): Promise<Flow>;
}

/** A request before its destination is known. */
export interface Draft {
  readonly method: string;
  /** The branch known to the user; the first attempt also uses it on the wire. */
  readonly branch: string;
  /** The text for one hop, with its Via. */
  compose(hop: { readonly flow: Flow; readonly branch: string }): string;
}

/**
 * Maximum silence of a server while another one is available: five attempts over UDP. RFC 3263
 * waits for 64·T1, which is too long for a caller.
 */
export const RESPONSE_DEADLINE_MS = 24 * T1_MS;
/** RFC 3261 18.1.1, for an unknown path MTU. */
const UDP_BYTES_MAX = 1300;
/** After a server has rejected TCP, it is not tried again for this time. */
const NO_TCP_MS = 600_000;
const INVITES_MAX = 20_000;
/** RFC 3261 8.2.2.2. */
const MERGED = 482;
/**
 * A server must answer them, but some ignore OPTIONS: silence shows nothing about the connection.
 */
const MAY_STAY_UNANSWERED: readonly string[] = ["ACK", "OPTIONS"];

export class RequestSender {
  /** Active INVITEs by original branch: their CANCEL and ACK go to the same server. */
  readonly #invites = new BoundedMap<string, Sending>(INVITES_MAX);

  constructor(private readonly deps: SenderDeps) {}

  /** Tries the targets in order, recently failed ones last. Never throws. */
  send(draft: Draft, route: Route, user: SendUser): void {
    const sending = new Sending(this.deps, draft, route, user);
    if (draft.method === "INVITE") this.#remember(draft.branch, sending);
    void sending.start();
  }

  /**
   * Sends a CANCEL, or the ACK of a rejection, to the server of its INVITE. Returns false if there
   * is no such INVITE, which is correct for the ACK of a 2xx.
   */
  follow(draft: Draft, user: SendUser): boolean {
    const { branch } = draft;
    const hop = this.#invites.get(branch)?.hop;
    if (!hop) return false;
    const text = draft.compose(hop);
    const message = parseOwnMessage(text);
    if (message.kind !== "request") return false;
    this.deps.transactions.sendRequest(message, text, hop.flow, {
      onResponse: (response, flow) => user.onResponse(withBranch(response, branch), flow),
      onTimeout: () => user.onFailure({ silent: true, reason: null }),
    });
    return true;
  }

  #remember(branch: string, sending: Sending): void {
    this.#invites.set(branch, sending);
    sending.onDone = () => this.#invites.delete(branch);
  }
}

interface Hop {
  readonly target: Target;
  readonly flow: Flow;
  readonly branch: string;
}

class Sending {
  onDone: () => void = () => {};
  readonly #left: Target[];
  #hop: Hop | undefined;
  /** The last server skipped for its silence, if it is still silent. */
  #silent: Hop | undefined;
  #tries = 0;
  /** The request was sent again because its connection was lost. */
  #isSentAgain = false;
  /** A response above 100 was passed on: the request has found its server. */
  #settled = false;
  #over = false;

  constructor(
    private readonly deps: SenderDeps,
    private readonly draft: Draft,
    private readonly route: Route,
    private readonly user: SendUser,
  ) {
    this.#left = deps.failed.order(route.targets);
  }

  get hop(): Hop | undefined {
    return this.#hop;
  }

  async start(): Promise<void> {
    await this.#next({ silent: false, reason: new Error("no server is known") });
  }

  /** Continues with the next server. `failure`: reason for the failure of the previous one. */
  async #next(failure: { silent: boolean; reason: unknown }): Promise<void> {
    const target = this.#left.shift();
    const wanted = this.#tries === 0 || (this.user.isWanted?.() ?? true);
    if (!target || !wanted) {
      this.#finish();
      this.user.onFailure(failure);
      return;
    }
    try {
      await this.#try(target);
    } catch (reason) {
      this.deps.failed.note(target);
      await this.#next({ silent: false, reason });
    }
  }

  async #try(target: Target): Promise<void> {
    const branch =
      this.#tries++ === 0 ? this.draft.branch : `z9hG4bK${hex(this.deps.random.bytes(12))}`;
    let flow = await this.route.open(target);
    let text = this.draft.compose({ flow, branch });
    if (flow.transport === "UDP" && Buffer.byteLength(text) > UDP_BYTES_MAX) {
      flow = (await this.#tcpInstead(target)) ?? flow;
      text = this.draft.compose({ flow, branch });
    }
    const message = parseOwnMessage(text);
    if (message.kind !== "request") throw new Error("we wrote no request");
    const hop: Hop = { target, flow, branch };
    this.#hop = hop;
    this.#transact(hop, message, text);
  }

  async #tcpInstead(target: Target): Promise<Flow | undefined> {
    const overTcp: Target = { ...target, transport: "TCP" };
    if (this.deps.failed.has(overTcp)) return undefined;
    try {
      return await this.route.openTcp(target);
    } catch {
      this.deps.failed.note(overTcp, NO_TCP_MS);
      return undefined;
    }
  }

  #transact(hop: Hop, message: SipRequest, text: string): void {
    const { transactions } = this.deps;
    if (message.method === "ACK") {
      transactions.sendRequest(message, text, hop.flow, NO_OP_CALLBACKS);
      return;
    }
    const lateResponse = new LateResponse(message, this.deps);
    const { flow } = hop;
    const isLast = this.#left.length === 0;
    let abandon = () => {};
    const refused = isLast ? undefined : flow.onRefused?.(() => abandon());
    const forget = isStream(flow) ? flow.onClosed(() => this.#lose(hop)) : (refused ?? (() => {}));
    abandon = transactions.sendRequest(
      message,
      text,
      flow,
      {
        onResponse: (response, flow) => {
          if (response.statusCode >= 200) forget();
          if (this.#hop === hop) this.#receive(response, flow, message);
          else if (message.method === "INVITE") {
            if (this.#silent === hop) this.#silent = undefined;
            lateResponse.receive(response, flow);
          }
        },
        onTimeout: () => {
          forget();
          const isJudged = isLast && !MAY_STAY_UNANSWERED.includes(message.method);
          if (isStream(flow) && isJudged) flow.drop();
          this.#moveOn(hop, { silent: true, reason: null });
        },
      },
      isLast ? null : RESPONSE_DEADLINE_MS,
    );
    if (isStream(flow) && !MAY_STAY_UNANSWERED.includes(message.method)) flow.expectAnswer();
  }

  #receive(response: SipResponse, flow: Flow, request: SipRequest): void {
    const { statusCode } = response;
    const hop = this.#hop;
    if (hop && statusCode === 503 && !this.#settled) {
      this.deps.failed.note(hop.target, retryAfterMs(response));
      if (this.#left.length > 0 && (this.user.isWanted?.() ?? true)) {
        if (request.method === "INVITE") this.#acknowledge(request, response, hop.flow);
        this.#hop = undefined;
        void this.#next({ silent: false, reason: new Error("503") });
        return;
      }
    } else if (hop && statusCode === MERGED && this.#silent && !this.#settled) {
      this.#acknowledge(request, response, hop.flow);
      this.#waitFor(this.#silent);
      return;
    } else if (hop && statusCode > 100) {
      this.deps.failed.forgive(hop.target);
    }
    if (statusCode > 100) this.#settled = true;
    if (statusCode >= 200) this.#finish();
    this.user.onResponse(withBranch(response, this.draft.branch), flow);
  }

  /** The call exists at that server. */
  #waitFor(hop: Hop): void {
    this.#silent = undefined;
    this.#left.length = 0;
    this.#hop = hop;
    this.deps.failed.forgive(hop.target);
    this.deps.clock.after(64 * T1_MS - RESPONSE_DEADLINE_MS, () => {
      if (!this.#settled) this.#moveOn(hop, { silent: true, reason: null });
    });
  }

  #acknowledge(request: SipRequest, response: SipResponse, flow: Flow): void {
    const { message, text } = ackOf(request, response);
    this.deps.transactions.sendRequest(message, text, flow, NO_OP_CALLBACKS);
  }

  /** The connection was lost before a final response. */
  #lose(hop: Hop): void {
    // Responses to an INVITE may still arrive over another connection (RFC 3261 18.2.2).
    if (this.#settled && this.draft.method === "INVITE") return;
    const failure = { silent: false, reason: new Error("the connection was closed") };
    if (this.#hop !== hop || this.#settled || this.#isSentAgain) this.#moveOn(hop, failure);
    else {
      this.#isSentAgain = true;
      this.#silent = hop;
      this.#hop = undefined;
      this.#left.unshift(hop.target);
      void this.#next(failure);
    }
  }

  #moveOn(hop: Hop, failure: { silent: boolean; reason: unknown }): void {
    if (this.#hop !== hop || this.#over) return;
    if (!this.#settled) this.deps.failed.note(hop.target);
    if (failure.silent && !this.#settled) this.#silent = hop;
    this.#hop = undefined;
    if (this.#settled) this.#left.length = 0;
    void this.#next(failure);
  }

  /** Its ACK and CANCEL may still follow for a while. */
  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.deps.clock.after(64 * T1_MS, () => this.onDone());
  }
}

function withBranch(response: SipResponse, branch: string): SipResponse {
  if (branchOf(response.via) === branch) return response;
  const parameters = new Map(response.via.parameters).set("branch", branch);
  const via = { ...response.via, parameters };
  const headers = response.headers.clone();
  headers.setFirst("via", formatVia(via));
  return { ...response, via, headers };
}
