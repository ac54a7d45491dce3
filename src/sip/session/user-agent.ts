/**
 * One SIP.js UserAgent per trunk, with a transport without I/O: messages of SIP.js are passed to
 * the trunk as text, and received ones were parsed by us. Its host name is a token that the trunk
 * replaces by the real address on the wire. So many trunks share one socket, and the public address
 * may change during a call.
 */
import {
  Core,
  EmitterImpl,
  type Invitation,
  Inviter,
  type Session,
  SIPExtension,
  type Transport,
  TransportState,
  URI,
  UserAgent,
} from "sip.js";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { RequestAuthorisation, TrunkCredentials } from "../credentials.ts";
import type { Challenge } from "../digest.ts";
import {
  branchOf,
  type SipRequest,
  type SipResponse,
  type SipUri,
  withPlainSdp,
} from "../message/index.ts";
import type { Address } from "../transport/flow.ts";
import { toSipJsRequest, toSipJsResponse, toSipJsUri } from "./convert.ts";
import { type IncomingLegOptions, SipIncomingLeg } from "./incoming-leg.ts";
import { type MediaNegotiator, UNANSWERED } from "./media-negotiator.ts";
import { applySipJsPatches } from "./patches.ts";
import { TransactionIndex } from "./transaction-index.ts";

interface TrunkUserAgentOptions {
  readonly username: string;
  /** Domain of our address of record. */
  readonly server: string;
  readonly contactUser: string;
  /** Placeholder for our host in all messages of SIP.js. */
  readonly hostToken: string;
  readonly transportName: "UDP" | "TCP" | "TLS";
  readonly userAgentName: string;
  readonly credentials: TrunkCredentials;
  /** True if a request to that source may be repeated with credentials. */
  readonly mayChallenge: (host: string) => boolean;
  /** Value of the Route header of calls; empty if there is none. */
  readonly route: () => string;
  readonly log: Log;
  /** Sends a message of SIP.js, including the token. Rejects if it cannot be sent. */
  readonly send: (message: string) => Promise<void>;
  readonly onInvite: (invite: ReceivedInvite) => void;
}

/** An incoming call. It is either rejected or becomes a leg. */
export interface ReceivedInvite {
  readonly request: SipRequest;
  reject(statusCode: number): void;
  makeLeg(options: Omit<IncomingLegOptions, "invitation" | "request" | "isOwn">): SipIncomingLeg;
}

export class TrunkUserAgent {
  readonly #agent: UserAgent;
  readonly #requests = new WeakMap<object, Pick<IncomingLegOptions, "request" | "isOwn">>();
  readonly #negotiators = new WeakMap<Session, MediaNegotiator>();
  readonly #servers = new TransactionIndex();

  constructor(private readonly options: TrunkUserAgentOptions) {
    applySipJsPatches();
    this.#agent = new UserAgent({
      uri: new URI("sip", options.username, options.server),
      contactName: options.contactUser,
      contactParams: { transport: options.transportName.toLowerCase() },
      viaHost: options.hostToken,
      forceRport: true,
      userAgentString: options.userAgentName,
      logBuiltinEnabled: false,
      logConfiguration: false,
      logLevel: "error",
      sipExtension100rel: SIPExtension.Supported,
      sipExtensionReplaces: SIPExtension.Supported,
      sendInitialProvisionalResponse: false,
      allowLegacyNotifications: true,
      // Our own limits are shorter; this is a safeguard.
      noAnswerTimeout: 180,
      transportConstructor: this.#transportClass(),
      sessionDescriptionHandlerFactory: (session) => this.#negotiatorOf(session),
      delegate: { onInvite: (invitation) => this.#onInvite(invitation) },
    });
    this.#takeOwnDigest();
    this.#agent.userAgentCore.userAgentServers = this.#servers;
    void this.#agent.start();
  }

  makeInviter(
    to: SipUri,
    from: SipUri,
    negotiator: MediaNegotiator,
    again?: { readonly callId: string; readonly cseq: number; readonly target: SipUri },
  ): Inviter {
    const [fromUri, toUri] = [toSipJsUri(from), toSipJsUri(to)];
    const target = again ? toSipJsUri(again.target) : toUri;
    const kept = again && { callId: again.callId, cseq: again.cseq };
    const route = this.options.route();
    // We handle early media: with SIP.js' implementation a forked 183 ends the call.
    const inviter = new Inviter(this.#agent, target, {
      earlyMedia: false,
      // SIP.js passes params to its core, which supports these too.
      params: { fromUri, toUri, ...kept, ...(route && { routeSet: [route] }) },
    });
    this.#negotiators.set(inviter, negotiator);
    return inviter;
  }

  /** `leg`: leg of the request, if any. Throws the errors of SIP.js; the caller must respond. */
  receiveRequest(
    received: SipRequest,
    leg?: { readonly negotiator: MediaNegotiator; readonly remoteTarget: URI | undefined },
    isOwn = false,
  ): void {
    const negotiator = leg?.negotiator;
    const request = withAnswer(withoutStrayAnswer(withPlainSdp(received), negotiator), negotiator);
    const converted = toSipJsRequest(request, this.options.contactUser, leg?.remoteTarget);
    this.#requests.set(converted, { request, isOwn });
    if (request.method === "ACK" && this.#isAccepted(converted.viaBranch))
      converted.viaBranch = `${converted.viaBranch} of the 2xx`;
    this.#servers.lookAt(converted.callId);
    this.#agent.userAgentCore.receiveIncomingRequestFromTransport(converted);
  }

  /**
   * An INVITE with that branch was answered with 2xx. Its ACK belongs to the dialog (RFC 3261
   * 13.3.1.4), but SIP.js drops an ACK with the same branch.
   */
  #isAccepted(branch: string): boolean {
    const server = this.#servers.get(branch);
    return server?.transaction.state === Core.TransactionState.Accepted;
  }

  /** `negotiator`: from the response's leg, if any. */
  receiveResponse(received: SipResponse, source: Address, negotiator?: MediaNegotiator): void {
    const response = withoutRedirect(withAnswer(withPlainSdp(received), negotiator), negotiator);
    const converted = toSipJsResponse(response, this.#challengeOf(response, source), source);
    try {
      this.#agent.userAgentCore.receiveIncomingResponseFromTransport(converted);
    } catch (error) {
      this.options.log.warn("sip.response_failed", { error: describeError(error) });
    }
  }

  /** There will be no final response: SIP.js continues as after a 408 or 503 (8.1.3.1). */
  fail(request: SipRequest, silent: boolean): void {
    const client = this.#agent.userAgentCore.userAgentClients.get(
      branchOf(request.via) + request.method,
    ) as unknown as ClientInternals | undefined;
    if (!client) return;
    const { transaction } = client;
    try {
      if (silent) client.onRequestTimeout();
      else client.onTransportError(new Error("no server was reached"));
      transaction.stateTransition(Core.TransactionState.Terminated, true);
    } catch (error) {
      this.options.log.warn("sip.response_failed", { error: describeError(error) });
    }
  }

  /** All sessions must have ended; their last transactions are aborted. */
  close(): void {
    try {
      this.#agent.userAgentCore.reset();
    } catch (error) {
      // A dialog that cannot be closed must not prevent changes of a trunk or the end of the
      // process.
      this.options.log.warn("sip.close_failed", { error: describeError(error) });
    }
  }

  #onInvite(invitation: Invitation): void {
    const received = this.#requests.get(invitation.request);
    if (!received) {
      void invitation.reject({ statusCode: 500 });
      return;
    }
    const { request } = received;
    this.options.onInvite({
      request,
      reject: (statusCode) => void invitation.reject({ statusCode }).catch(() => {}),
      makeLeg: (options) => {
        const leg = new SipIncomingLeg({ ...options, ...received, invitation });
        this.#negotiators.set(invitation, leg.negotiator);
        return leg;
      },
    });
  }

  #negotiatorOf(session: Session): MediaNegotiator {
    const negotiator = this.#negotiators.get(session);
    if (!negotiator) throw new Error("a session without a leg");
    return negotiator;
  }

  /** Gives credentials only to hosts that may challenge us, not to every host of a dialog. */
  #challengeOf(response: SipResponse, source: Address): Challenge | undefined {
    const { statusCode } = response;
    const challenged = statusCode === 401 || statusCode === 407;
    if (!challenged || !this.options.mayChallenge(source.host)) return undefined;
    return this.options.credentials.pick(response);
  }

  /** Credentials for patches.ts: SIP.js itself supports only MD5 and one challenge. */
  #takeOwnDigest(): void {
    const core = this.#agent.userAgentCore as unknown as {
      configuration: { authenticationFactory: () => RequestAuthorisation };
    };
    core.configuration.authenticationFactory = () => this.options.credentials.authorisation();
  }

  #transportClass(): new () => Transport {
    const { transportName, send } = this.options;
    return class extends TokenTransport {
      constructor() {
        super(transportName, send);
      }
    };
  }
}

/**
 * The 2xx of our re-INVITE and the ACK of one without an offer must answer our offer (RFC 3261
 * 13.2.1). Some peers omit the answer, or reject the audio in it. SIP.js would then hang up,
 * although a failed re-INVITE must not change the session (14.2).
 */
function withAnswer<Message extends SipRequest | SipResponse>(
  message: Message,
  negotiator: MediaNegotiator | undefined,
): Message {
  const answers =
    message.kind === "request"
      ? message.method === "ACK"
      : message.cseq.method === "INVITE" && Math.floor(message.statusCode / 100) === 2;
  if (!answers || !negotiator?.awaitsAnswer || !negotiator.plan) return message;
  const contentType = message.headers.get("content-type") ?? "";
  const isSdp = message.body !== "" && negotiator.hasDescription(contentType);
  if (isSdp && negotiator.preview(message.body).ok) return message;
  const headers = message.headers.clone();
  headers.set("content-type", "application/sdp");
  return { ...message, headers, body: UNANSWERED };
}

/** Some peers repeat their SDP in every ACK. SIP.js would treat it as an answer, and hang up. */
function withoutStrayAnswer(request: SipRequest, negotiator: MediaNegotiator | undefined) {
  const isStray = request.method === "ACK" && negotiator?.awaitsAnswer === false;
  return isStray ? { ...request, body: "" } : request;
}

const NOT_ACCEPTABLE_HERE = 488;

/** SIP.js waits forever after a 3xx to a re-INVITE, so it is passed on as a rejection. */
function withoutRedirect(response: SipResponse, negotiator: MediaNegotiator | undefined) {
  const { statusCode, cseq } = response;
  const isRedirect = cseq.method === "INVITE" && Math.floor(statusCode / 100) === 3;
  if (!isRedirect || !negotiator?.plan) return response;
  return { ...response, statusCode: NOT_ACCEPTABLE_HERE };
}

interface ClientInternals {
  readonly transaction: {
    stateTransition(state: Core.TransactionState, dueToTransportError: boolean): void;
  };
  onRequestTimeout(): void;
  onTransportError(error: Error): void;
}

/** Always connected: the endpoint handles connections. */
class TokenTransport implements Transport {
  state = TransportState.Disconnected;
  onConnect: (() => void) | undefined;
  onDisconnect: ((error?: Error) => void) | undefined;
  onMessage: ((message: string) => void) | undefined;
  readonly #stateChange = new EmitterImpl<TransportState>();

  constructor(
    readonly protocol: string,
    private readonly sendText: (message: string) => Promise<void>,
  ) {}

  get stateChange(): EmitterImpl<TransportState> {
    return this.#stateChange;
  }

  async connect(): Promise<void> {
    this.state = TransportState.Connected;
    this.onConnect?.();
  }

  async disconnect(): Promise<void> {
    this.state = TransportState.Disconnected;
  }

  async dispose(): Promise<void> {
    await this.disconnect();
  }

  isConnected(): boolean {
    return this.state === TransportState.Connected;
  }

  send(message: string): Promise<void> {
    return this.sendText(message);
  }
}
