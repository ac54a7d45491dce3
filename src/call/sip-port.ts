/**
 * SIP interface for the rest of the appliance: trunks and legs. No SIP.js object, header or SDP line crosses
 * it. A leg is one SIP dialog (RFC 3261 12); a call has one or two.
 *
 * Guarantees: every leg emits exactly one `ended`, as its last event. Events start in a later task, so the
 * caller of `place`/`onIncoming` can subscribe first. A later subscriber to `ended` gets it in a later task
 * too.
 */

import type { CodecName } from "../core/codecs.ts";
import type { E164 } from "../core/e164.ts";
import type { Unsubscribe } from "../core/emitter.ts";
import type { MediaPlan } from "../core/media-plan.ts";

export type SipTransportName = "udp" | "tcp" | "tls";

/** `auto`: from the server's DNS (NAPTR, SRV), else UDP. */
type TrunkTransport = SipTransportName | "auto";

/** Maximum concurrent calls per trunk: more than one appliance supports. */
export const TRUNK_CHANNELS_MAX = 1000;

/** Maximum extra addresses and networks per trunk, besides those of its server. */
export const EXTRA_NETWORKS_MAX = 32;

export interface TrunkSettings {
  readonly trunkId: number;
  readonly tenantId: number;
  readonly server: string;
  /** 0 if not set: from the server's DNS (SRV), else the transport's default port. */
  readonly port: number;
  readonly transport: TrunkTransport;
  readonly username: string;
  readonly password: string;
  /** Only challenges of this realm are answered; null: the realm of the first challenge is used. */
  readonly realm: string | null;
  /** `host[:port]`. Requests go there instead of to the server. */
  readonly outboundProxy: string | null;
  readonly callerId: E164;
  /** False: IP peering. No REGISTER. INVITEs are accepted only from the trunk's resolved addresses. */
  readonly register: boolean;
  /** Additional networks (CIDR) from which the carrier sends calls. */
  readonly extraNetworks?: readonly string[];
  /**
   * True if the operator set server and proxy: they may then be any address. Default: false, the address rules
   * apply.
   */
  readonly setByOperator?: boolean;
}

/** Why a registration failed, if the SIP code does not show it. */
export const REGISTRATION_PROBLEMS = ["silent", "route", "challenge", "ended_at_once"] as const;
export type RegistrationProblem = (typeof REGISTRATION_PROBLEMS)[number];

export type RegistrationStatus =
  /** IP peering needs no registration. */
  | { readonly name: "not_required" }
  | { readonly name: "registering" }
  | { readonly name: "registered"; readonly expiresAtMs: number }
  | {
      readonly name: "failed";
      /** SIP code; null if nothing answered. */
      readonly lastCode: number | null;
      readonly reason?: RegistrationProblem | null;
      /** One sentence for a person: the meaning, and what to check. */
      readonly explanation: string;
      readonly nextAttemptAtMs: number;
    }
  | { readonly name: "unregistered" };

export interface SipStack {
  /** The bound address (port 0 resolved). */
  readonly localAddress: { readonly host: string; readonly port: number };
  /** The same for SIP over TLS; null if disabled. */
  readonly localTlsAddress: { readonly host: string; readonly port: number } | null;
  addTrunk(settings: TrunkSettings): Trunk;
  trunk(trunkId: number): Trunk | undefined;
  /** Number of trunks per registration state. */
  registrations(): Readonly<Record<string, number>>;
  /** Sends a keep-alive to its own socket. Resolves within a second to whether it arrived. */
  receivesOwnKeepAlive(): Promise<boolean>;
  /** Un-REGISTERs (bounded to 2 s) and forgets the trunk; live legs go on. */
  removeTrunk(trunkId: number): Promise<void>;
  /** Handler of all inbound calls. A leg that is not rung, answered or rejected within 30 s gets 480. */
  onIncoming(handler: (leg: IncomingLeg) => void): void;
  /** Sets the certificate (PEM) for new TLS connections; open ones continue. Does nothing if TLS is disabled. */
  renewCertificate(pair: { readonly cert: string; readonly key: string }): void;
  /** From now on, new INVITEs get 503 with Retry-After. */
  rejectNewCalls(): void;
  /**
   * Un-REGISTERs every trunk (bounded to 2 s); none registers again. Trunks stay for their live calls, which
   * continue.
   */
  unregister(): Promise<void>;
  /** Un-REGISTERs every trunk, ends every leg, closes sockets. */
  close(): Promise<void>;
}

/** A candidate trunk of an INVITE: it shares the INVITE's source address. */
export interface ClaimingTrunk {
  readonly settings: TrunkSettings;
  /** True if the INVITE contains the account name of this trunk's registration. */
  readonly isForAccount: boolean;
}

/**
 * Returns ids of the trunks whose tenant has the called number, read in each trunk's country. A confirmed
 * number excludes claims.
 *
 * Called only if trunks of several tenants share the source address. `called`: candidates in order of trust, as
 * received.
 */
export type CallClaims = (
  called: readonly string[],
  trunks: readonly ClaimingTrunk[],
) => Promise<readonly number[]>;

export interface Trunk {
  readonly settings: TrunkSettings;
  readonly registration: RegistrationStatus;
  /** Codec of the last call; null if there was none since the start. */
  readonly lastCodec?: CodecName | null;
  onRegistration(listener: (status: RegistrationStatus) => void): Unsubscribe;
  /** Sends INVITE with our offer. */
  place(request: PlaceRequest): OutgoingLeg;
  /**
   * Sends OPTIONS with credentials to the far end. Unless `calls` is false, it also sends an INVITE to a user
   * that is not a telephone number. Resolves within about 18 s; never rejects.
   */
  probe(options?: ProbeOptions): Promise<TrunkProbe>;
}

export interface SeenAddress {
  readonly host: string;
  readonly port: number;
}

/** One of the servers that the trunk's host name resolves to. */
export interface ProbedServer extends SeenAddress {
  readonly transport: SipTransportName;
  /** True if it failed shortly before; it is then tried last. */
  readonly failed: boolean;
}

/** Part of the reply that came back altered. `swallowed`: only an unusual spelling got through. */
export type AlgSign = "via" | "call_id" | "from" | "to" | "contact" | "swallowed";

export interface ProbeOptions {
  /** Default true. */
  readonly calls?: boolean;
  /** Called before each request with the results so far. `pending` names the request. */
  onProgress?(probe: TrunkProbe): void;
}

export interface TrunkProbe {
  /** The request in progress; null if the far end has answered or will not answer. */
  readonly pending: "options" | "call" | null;
  /** In the order of attempts; empty if the name does not resolve. */
  readonly servers: readonly ProbedServer[];
  /** Source address of the answer. */
  readonly remote: SeenAddress | null;
  /** Final code; null if nothing answered. */
  readonly sipCode: number | null;
  readonly roundTripMs: number | null;
  /** Why nothing answered, as a text for a person; null if unknown. */
  readonly problem: string | null;
  /** Our address on this machine, and the address that we advertise to the far end. */
  readonly local: SeenAddress;
  readonly advertised: SeenAddress;
  /** Our address as the far end saw it; null if it did not report it. */
  readonly seenAs: SeenAddress | null;
  readonly codecs: readonly string[] | null;
  /** Supported methods (upper case) and option tags (lower case); empty if it listed none. */
  readonly allow: readonly string[];
  readonly supported: readonly string[];
  /** Accepted media types (lower case), e.g. `application/dtmf-relay`; empty if it listed none. */
  readonly accept: readonly string[];
  /** Final code of the test INVITE. Null: none was sent. Null code: nothing answered. */
  readonly call: { readonly sipCode: number | null } | null;
  /** Message parts altered on the way: signs of a SIP ALG. */
  readonly algSigns: readonly AlgSign[];
}

export interface PlaceRequest {
  /** E.164 number, or SIP URI (the target of a transfer). Throws if it is neither. */
  readonly to: string;
  readonly from: E164;
  readonly media: LocalMedia;
  /** After this time without a final answer: CANCEL, and the leg ends with `no_answer`. */
  readonly ringTimeoutMs: number;
  /**
   * Whether a 3xx may redirect the call to another user (SIP URI) of the trunk's own servers.
   * Default: only to the same number.
   */
  readonly mayFollow?: (uri: string) => boolean;
}

/** Address of our RTP socket. */
export interface LocalMedia {
  readonly host: string;
  readonly port: number;
}

export type LegEnd = {
  readonly by: "caller" | "callee" | "us";
  readonly kind:
    | "bye"
    | "cancelled"
    | "busy"
    | "declined"
    | "no_answer"
    | "invalid_number"
    | "unavailable"
    | "forbidden"
    | "no_common_codec"
    | "ack_missing"
    | "session_expired"
    | "transport_failed"
    | "rejected";
  /** Final SIP code; null if none was exchanged (also for BYE). */
  readonly sipCode: number | null;
  /** Who caused the failure; null for a normal end. */
  readonly fault: "caller" | "callee" | "carrier" | "us" | null;
  /** One sentence for a person. */
  readonly explanation: string;
};

/** Rejection of an incoming leg's `answer`: the caller is gone, or was refused. */
export class LegEnded extends Error {
  override readonly name = "LegEnded";
  constructor(readonly end: LegEnd) {
    super(end.explanation);
  }
}

export interface LegEvents {
  /** 18x. `plan` is set if it carried SDP (early media). */
  readonly ringing: { readonly sipCode: number; readonly plan: MediaPlan | null };
  /** Outgoing: 2xx arrived and was ACKed. Incoming: our 2xx was ACKed. */
  readonly answered: { readonly plan: MediaPlan };
  /** Re-INVITE or UPDATE changed the media (hold, codec, address). */
  readonly media: { readonly plan: MediaPlan };
  /** SIP INFO application/dtmf-relay or application/dtmf. */
  readonly digit: { readonly digit: string };
  readonly ended: LegEnd;
}

export interface ReferOutcome {
  readonly transferred: boolean;
  /** True if the far end accepted the REFER (2xx or NOTIFY); false if it refused or did not answer. */
  readonly accepted: boolean;
  /** SIP code of the final NOTIFY (sipfrag) or of the refusal; null if nothing answered. */
  readonly sipCode: number | null;
}

interface Leg {
  readonly sipCallId: string;
  readonly trunkId: number;
  on<Name extends keyof LegEvents>(
    name: Name,
    listener: (event: LegEvents[Name]) => void,
  ): Unsubscribe;
  /**
   * Sends BYE, CANCEL or a rejection, depending on the dialog's state. Idempotent.
   * `sipCode`: code of the rejection; default 603.
   */
  hangUp(sipCode?: number | null): void;
  /** Puts the answered far end on hold by re-INVITE, or resumes it. Used by the demo's phones. */
  hold(isHeld: boolean): void;
  /**
   * Blind transfer of an answered leg (RFC 3515): REFER to an E.164 number (as `sip:<number>@<server>`) or SIP
   * URI. Resolves within 40 s with the result of the final NOTIFY or the refusal; never rejects.
   *
   * The leg stays up: hang up after a success. If the far end accepted and then sends BYE, that is a success
   * too.
   *
   * No answer for 8 s counts as not accepted. If the far end accepts after that, `onLateAccept` gets its
   * result.
   */
  refer(
    target: string,
    onLateAccept?: (outcome: Promise<ReferOutcome>) => void,
  ): Promise<ReferOutcome>;
  /**
   * Attended transfer (RFC 5589): asks this leg's far end to replace us on `other`, which is also answered.
   * Only if both far ends support Replaces. Otherwise nothing is sent, and `accepted` is false.
   * Resolves as `refer` does; both legs stay up. Never rejects.
   */
  referTo(other: OutgoingLeg): Promise<ReferOutcome>;
}

export interface OutgoingLeg extends Leg {
  readonly direction: "outgoing";
}

export interface IncomingLeg extends Leg {
  readonly direction: "incoming";
  /** Candidates of the called number in order of trust (session/parties.ts), as received. */
  readonly calledNumbers: readonly string[];
  /**
   * Candidates that prove that this trunk owns the number: the carrier delivered them in a way that no other
   * trunk's call can have. As received; empty if the delivery proves nothing.
   */
  readonly provenNumbers: readonly string[];
  /** True if the Request-URI contains our Contact or the account: then the trunk's own number is called. */
  readonly isForAccount: boolean;
  /** Digits of P-Asserted-Identity, Remote-Party-ID or From as received; null if withheld or missing. */
  readonly callerNumber: string | null;
  /** Codec that an answer would select; null if none matches or the INVITE has no offer. */
  readonly offeredCodec?: CodecName | null;
  /** Sends 180. */
  ring(): void;
  /**
   * Sends 183 with our answer. The caller hears us before the call is answered, and pays nothing (RFC 3960).
   * Null if this caller cannot hear it (no offer, no common codec, reliable responses required) or is gone.
   */
  earlyMedia(media: LocalMedia): Promise<MediaPlan | null>;
  /** 200 with our answer. Rejects with LegEnded if the offer has no common codec or the caller is gone. */
  answer(media: LocalMedia): Promise<{ readonly plan: MediaPlan }>;
  /** A final response, e.g. 480 or 486. */
  reject(sipCode: number): void;
}
