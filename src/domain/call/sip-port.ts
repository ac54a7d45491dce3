/**
 * What the rest of the appliance sees of SIP: trunks and legs. No SIP.js object, header or SDP
 * line crosses this border. A leg is one SIP dialog (RFC 3261 12); a call has one or two.
 *
 * Guarantees: every leg emits exactly one `ended`, as its last event; nothing is emitted before
 * the caller of `place`/`onIncoming` has had its turn to subscribe (events start in a later task).
 * Who subscribes to `ended` after that is told in a later task.
 */

import type { CodecName } from "../../core/codecs.ts";
import type { E164 } from "../../core/e164.ts";
import type { Unsubscribe } from "../../core/emitter.ts";
import type { MediaPlan } from "../../core/media-plan.ts";

export type SipTransportName = "udp" | "tcp" | "tls";

/** `auto`: the server's DNS says (NAPTR, SRV), else UDP. */
type TrunkTransport = SipTransportName | "auto";

/** More calls at once than one appliance is meant for. */
export const TRUNK_CHANNELS_MAX = 1000;

/** Addresses and networks that calls of one trunk may come from besides its server's. */
export const EXTRA_NETWORKS_MAX = 32;

export interface TrunkSettings {
  readonly trunkId: number;
  readonly tenantId: number;
  readonly server: string;
  /** 0: not stated; the server's DNS says (SRV), else the usual one of the transport. */
  readonly port: number;
  readonly transport: TrunkTransport;
  readonly username: string;
  readonly password: string;
  /** Only challenges of this realm are answered; null: the realm of the first challenge is kept. */
  readonly realm: string | null;
  /** `host[:port]`; requests go there instead of to the server. */
  readonly outboundProxy: string | null;
  readonly callerId: E164;
  /** False: IP peering. No REGISTER; INVITE accepted only from the trunk's resolved addresses. */
  readonly register: boolean;
  /** Networks (CIDR) that the carrier sends calls from besides its server's addresses. */
  readonly extraNetworks?: readonly string[];
  /** The operator named server and proxy: they may be any address. Missing: no, the address rules hold. */
  readonly setByOperator?: boolean;
}

/** Why a registration failed, where the SIP code does not say it. */
export const REGISTRATION_PROBLEMS = ["silent", "route", "challenge", "ended_at_once"] as const;
export type RegistrationProblem = (typeof REGISTRATION_PROBLEMS)[number];

export type RegistrationStatus =
  /** IP peering: there is nothing to register. */
  | { readonly name: "not_required" }
  | { readonly name: "registering" }
  | { readonly name: "registered"; readonly expiresAtMs: number }
  | {
      readonly name: "failed";
      /** SIP code, or null when nothing answered. */
      readonly lastCode: number | null;
      readonly reason?: RegistrationProblem | null;
      /** One sentence for a person: what it means and what to check. */
      readonly explanation: string;
      readonly nextAttemptAtMs: number;
    }
  | { readonly name: "unregistered" };

export interface SipStack {
  /** Address that answers now, after binding (port 0 resolved). */
  readonly localAddress: { readonly host: string; readonly port: number };
  /** The same for SIP over TLS; null: not listened for. */
  readonly localTlsAddress: { readonly host: string; readonly port: number } | null;
  addTrunk(settings: TrunkSettings): Trunk;
  trunk(trunkId: number): Trunk | undefined;
  /** How many trunks are in each registration state. */
  registrations(): Readonly<Record<string, number>>;
  /** Sends its own socket a keep-alive: does what arrives there still reach us? Within a second. */
  receivesOwnKeepAlive(): Promise<boolean>;
  /** Un-REGISTERs (bounded to 2 s) and forgets the trunk; live legs go on. */
  removeTrunk(trunkId: number): Promise<void>;
  /** The one consumer of inbound calls. A leg neither rung, answered nor rejected in 30 s gets 480. */
  onIncoming(handler: (leg: IncomingLeg) => void): void;
  /** New TLS connections get this certificate, PEM; open ones go on. Does nothing where TLS is not listened for. */
  renewCertificate(pair: { readonly cert: string; readonly key: string }): void;
  /** New INVITEs get 503 with Retry-After from now on. */
  rejectNewCalls(): void;
  /**
   * Un-REGISTERs every trunk (bounded to 2 s); none registers again. Trunks stay for their live calls,
   * which go on.
   */
  unregister(): Promise<void>;
  /** Un-REGISTERs every trunk, ends every leg, closes sockets. */
  close(): Promise<void>;
}

/** A trunk that an INVITE may be for, because the address it came from is the trunk's, too. */
export interface ClaimingTrunk {
  readonly settings: TrunkSettings;
  /** The INVITE names the account that this trunk is registered with. */
  readonly isForAccount: boolean;
}

/**
 * Ids of the trunks whose own tenant has the called number, as read in that trunk's country. A confirmed number
 * excludes claims. Asked only where trunks of several tenants share the source address. `called`: candidates in order of trust, as received.
 */
export type CallClaims = (
  called: readonly string[],
  trunks: readonly ClaimingTrunk[],
) => Promise<readonly number[]>;

export interface Trunk {
  readonly settings: TrunkSettings;
  readonly registration: RegistrationStatus;
  /** What the last call agreed on; null: there was none since the start. */
  readonly lastCodec?: CodecName | null;
  onRegistration(listener: (status: RegistrationStatus) => void): Unsubscribe;
  /** Sends INVITE with our offer. */
  place(request: PlaceRequest): OutgoingLeg;
  /**
   * Asks the far end OPTIONS, credentials included, and unless `calls` is false places a test call to
   * nobody. Resolves within some 18 s, never rejects.
   */
  probe(options?: ProbeOptions): Promise<TrunkProbe>;
}

export interface SeenAddress {
  readonly host: string;
  readonly port: number;
}

/** One of the servers that a trunk's name leads to. */
export interface ProbedServer extends SeenAddress {
  readonly transport: SipTransportName;
  /** It failed a short while ago, and is tried last. */
  readonly failed: boolean;
}

/** What came back altered; `swallowed`: only an unusual spelling got through. */
export type AlgSign = "via" | "call_id" | "from" | "to" | "contact" | "swallowed";

export interface ProbeOptions {
  /** Default true. */
  readonly calls?: boolean;
  /** Gets what is known so far before each request; its `pending` says what is asked. */
  onProgress?(probe: TrunkProbe): void;
}

export interface TrunkProbe {
  /** What the far end is being asked; null: it has answered, or will not. */
  readonly pending: "options" | "call" | null;
  /** In the order in which they are tried; empty when the name leads nowhere. */
  readonly servers: readonly ProbedServer[];
  /** Where the answer came from. */
  readonly remote: SeenAddress | null;
  /** Final code; null: no answer. */
  readonly sipCode: number | null;
  readonly roundTripMs: number | null;
  /** Why nothing answered, for a person, where that is known. */
  readonly problem: string | null;
  /** Our address on this machine, and the one that we tell the far end. */
  readonly local: SeenAddress;
  readonly advertised: SeenAddress;
  /** From where the far end saw us; null when it did not say. */
  readonly seenAs: SeenAddress | null;
  /** Encoding names of the answer's SDP; null when it held none. */
  readonly codecs: readonly string[] | null;
  /** Methods (upper case) and option tags (lower case) it named; empty when it named none. */
  readonly allow: readonly string[];
  readonly supported: readonly string[];
  /** Media types (lower case) it takes, e.g. `application/dtmf-relay`; empty when it named none. */
  readonly accept: readonly string[];
  /** The final code of an INVITE to nobody; null: none was sent, or (its code) nothing answered. */
  readonly call: { readonly sipCode: number | null } | null;
  /** What something on the way altered: signs of a SIP ALG. */
  readonly algSigns: readonly AlgSign[];
}

export interface PlaceRequest {
  /** E.164 number, or SIP URI (the target of a transfer). Throws when it is neither. */
  readonly to: string;
  readonly from: E164;
  readonly media: LocalMedia;
  /** No final answer in this time: CANCEL, ended with `no_answer`. */
  readonly ringTimeoutMs: number;
  /**
   * Whether a 3xx may send the call to another user of the trunk's own servers, given as SIP URI. Default:
   * to the same number alone.
   */
  readonly mayFollow?: (uri: string) => boolean;
}

/** Where our RTP socket is. */
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
  /** Final SIP code, or null when none was exchanged (BYE is null too). */
  readonly sipCode: number | null;
  /** Whose fault it was; null for a normal end. */
  readonly fault: "caller" | "callee" | "carrier" | "us" | null;
  /** One sentence for a person. */
  readonly explanation: string;
};

/** What `answer` of an incoming leg rejects with: the caller is gone, or was refused. */
export class LegEnded extends Error {
  override readonly name = "LegEnded";
  constructor(readonly end: LegEnd) {
    super(end.explanation);
  }
}

export interface LegEvents {
  /** 18x. `plan` when it carried SDP (early media). */
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
  /** The far end took the REFER upon it (2xx or NOTIFY); false: refused, or nothing answered. */
  readonly accepted: boolean;
  /** SIP code of the final NOTIFY (sipfrag) or of the refusal; null when nothing answered. */
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
   * BYE, CANCEL or a rejection, whichever the dialog's state needs. `sipCode`: of the rejection;
   * 603 without it. Idempotent.
   */
  hangUp(sipCode?: number | null): void;
  /** Puts the answered far end on hold by re-INVITE, or takes it off again. The demo's phones do so. */
  hold(isHeld: boolean): void;
  /**
   * Blind transfer of an answered leg (RFC 3515): REFER to an E.164 number (as `sip:<number>@<server>`)
   * or SIP URI. Resolves, within 40 s, with what the final NOTIFY or the refusal said. The leg
   * stays up: hang up after a success. A far end that had accepted and says BYE has succeeded too.
   * Never rejects. Silence for 8 s is no acceptance; a far end that accepts after that is told of by
   * `onLateAccept`, with what it then reports.
   */
  refer(
    target: string,
    onLateAccept?: (outcome: Promise<ReferOutcome>) => void,
  ): Promise<ReferOutcome>;
  /**
   * Attended transfer (RFC 5589): asks this leg's far end to take the place of us on `other`, which is
   * answered too. Only where both far ends say that they know Replaces, else nothing is sent and nothing
   * is `accepted`. Resolves as `refer` does; both legs stay up. Never rejects.
   */
  referTo(other: OutgoingLeg): Promise<ReferOutcome>;
}

export interface OutgoingLeg extends Leg {
  readonly direction: "outgoing";
}

export interface IncomingLeg extends Leg {
  readonly direction: "incoming";
  /** Called number candidates in order of trust (session/parties.ts); as received. */
  readonly calledNumbers: readonly string[];
  /**
   * Those that the carrier delivered to this trunk in a way that no other trunk's call can have; empty: the
   * delivery proves nothing. As received.
   */
  readonly provenNumbers: readonly string[];
  /** The Request-URI names our Contact or the account: the trunk's own number is meant. */
  readonly isForAccount: boolean;
  /** Digits of P-Asserted-Identity, Remote-Party-ID or From as received; null: withheld, or none. */
  readonly callerNumber: string | null;
  /** The codec that an answer would agree on; null: none, or the INVITE holds no offer. */
  readonly offeredCodec?: CodecName | null;
  /** 180. */
  ring(): void;
  /**
   * 183 with our answer: the caller hears us before the call is answered, and pays nothing (RFC 3960). Null: this
   * caller cannot (no offer, no codec of ours, reliable responses required), or is gone.
   */
  earlyMedia(media: LocalMedia): Promise<MediaPlan | null>;
  /** 200 with our answer. Rejects with LegEnded when the offer holds no codec of ours or the caller went away. */
  answer(media: LocalMedia): Promise<{ readonly plan: MediaPlan }>;
  /** A final answer, e.g. 480 or 486. */
  reject(sipCode: number): void;
}
