/**
 * Offer/answer of one leg (RFC 3264), as the SessionDescriptionHandler of SIP.js. SIP.js does not
 * distinguish offers and answers; this state machine does.
 *
 * Our SRTP keys stay the same as long as the remote party's key does. If it sends a new key, or
 * requests an offer, it may be another device that counts our packets from the beginning. With the
 * old key it could not decrypt a stream whose sequence number has wrapped (RFC 3711 3.3.1). So it
 * gets new keys.
 *
 *   stable ──getDescription──► local-offer ──setDescription(answer)──► stable
 *   stable ──setDescription(offer)──► remote-offer ──getDescription──► stable
 */
import type { BodyAndContentType, SessionDescriptionHandler } from "sip.js";
import type { LocalMedia } from "../../call/sip-port.ts";
import type { CodecName } from "../../core/codecs.ts";
import type { MediaDirection, MediaPlan } from "../../core/media-plan.ts";
import type { SrtpPolicy } from "../sdes.ts";
import {
  acceptAnswer,
  answerOffer,
  buildOffer,
  type SdpAgreement,
  type SdpAnswer,
  type SdpLayout,
  type SdpPlan,
  type SdpSession,
} from "../sdp.ts";

/** Replaces the missing answer of a peer: the previous agreement stays. */
export const UNANSWERED = "unanswered";

/** Thrown into SIP.js, which responds 488 or ends the dialog. */
class UnacceptableSdp extends Error {
  constructor(readonly reason: string) {
    super(`SDP refused: ${reason}`);
    this.name = "UnacceptableSdp";
  }
}

interface NegotiatorOptions {
  /** If missing, plain RTP only. */
  readonly srtp?: SrtpPolicy;
  /** Whether comfort noise may be agreed (RFC 3389). */
  readonly comfortNoise?: boolean;
}

type State =
  | { readonly name: "stable" }
  | { readonly name: "local-offer" }
  | { readonly name: "remote-offer"; readonly offer: string };

export class MediaNegotiator implements SessionDescriptionHandler {
  #state: State = { name: "stable" };
  #version = 0;
  #media: LocalMedia | null = null;
  #direction: MediaDirection = "sendrecv";
  #plan: MediaPlan | null = null;
  #failure: string | null = null;
  #layout: SdpLayout | null = null;
  #agreed: SdpAgreement | null = null;
  #srtp: SrtpPolicy | undefined;
  /** The next offer has new keys. */
  #isToRenew = false;
  /** Keys that we have offered, without an answer yet. */
  #offeredSrtp: SrtpPolicy | undefined;
  /** Source host of the remote party's last message. */
  signallingHost: string | null = null;

  constructor(
    private readonly sessionId: number,
    private readonly codecs: readonly CodecName[],
    /** Called each time an offer and its answer are complete. */
    private readonly onPlan: (plan: MediaPlan) => void,
    private readonly options: NegotiatorOptions = {},
  ) {
    this.#srtp = options.srtp;
  }

  /** The latest agreement. */
  get plan(): MediaPlan | null {
    return this.#plan;
  }

  /** True while our offer awaits an answer. */
  get awaitsAnswer(): boolean {
    return this.#state.name === "local-offer";
  }

  /** Reason for rejecting the last description. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Sets the address for later descriptions. */
  setMedia(media: LocalMedia): void {
    this.#media = media;
  }

  /** Direction of later offers. */
  offerDirection(direction: MediaDirection): void {
    this.#direction = direction;
  }

  /** The remote party requests an offer in an established call. The next one has new keys. */
  offerAnew(): void {
    this.#isToRenew = true;
  }

  /** The agreement that the SDP of a response would give; changes nothing. */
  preview(answer: string): SdpPlan {
    const accepted = acceptAnswer(answer, this.#session(this.#version));
    return accepted.ok ? { ...accepted, plan: this.#signalled(accepted.plan) } : accepted;
  }

  /**
   * Answers an offer while ours waits for its final answer, which SIP.js passes with the 200.
   * Undefined if the offer cannot be answered.
   */
  answerEarly(offer: string): { answer: BodyAndContentType; plan: MediaPlan } | undefined {
    if (!this.#media) return undefined;
    const answer = answerOffer(offer, this.#media, this.#session(++this.#version));
    return answer.ok
      ? { answer: sdpBody(answer.sdp), plan: this.#signalled(answer.plan) }
      : undefined;
  }

  /** True if an offer could be answered; changes nothing. */
  canAnswer(offer: string): boolean {
    return this.codecFor(offer) !== null;
  }

  /** The codec of our answer to an offer; changes nothing. */
  codecFor(offer: string): CodecName | null {
    const discardAddress = { host: "0.0.0.0", port: 9 };
    const answer = answerOffer(offer, discardAddress, this.#session(0));
    return answer.ok ? answer.plan.codec.name : null;
  }

  hasDescription(contentType: string): boolean {
    return /^application\/sdp\b/i.test(contentType);
  }

  async getDescription(): Promise<BodyAndContentType> {
    if (!this.#media) throw new Error("no local media address yet");
    this.#version++;
    if (this.#state.name !== "remote-offer") {
      this.#state = { name: "local-offer" };
      if (this.#isToRenew) this.#offeredSrtp = this.#srtp?.renewed();
      this.#isToRenew = false;
      return sdpBody(buildOffer(this.#media, this.#session(this.#version)));
    }
    const answer = this.#answer(this.#state.offer, this.#media);
    this.#state = { name: "stable" };
    if (!answer.ok) throw this.#reject(answer.reason);
    this.#layout = answer.layout;
    this.#agree(answer);
    return sdpBody(answer.sdp);
  }

  async setDescription(sdp: string): Promise<void> {
    if (this.#state.name !== "local-offer") {
      this.#state = { name: "remote-offer", offer: sdp };
      return;
    }
    const accepted = acceptAnswer(sdp, this.#session(this.#version));
    const offeredSrtp = this.#offeredSrtp;
    this.#settle();
    if (sdp === UNANSWERED) return;
    if (!accepted.ok) throw this.#reject(accepted.reason);
    this.#srtp = offeredSrtp ?? this.#srtp;
    this.#agree(accepted);
  }

  async rollbackDescription(): Promise<void> {
    this.#settle();
  }

  /** Digits are sent over RTP, not through SIP.js. */
  sendDtmf(): boolean {
    return false;
  }

  close(): void {
    this.#settle();
  }

  /** No offer is pending any more. */
  #settle(): void {
    this.#state = { name: "stable" };
    this.#offeredSrtp = undefined;
  }

  #answer(offer: string, media: LocalMedia): SdpAnswer {
    const answer = answerOffer(offer, media, this.#session(this.#version));
    const before = this.#plan?.srtp?.receiveKey;
    const now = answer.ok ? answer.plan.srtp?.receiveKey : undefined;
    if (!this.#srtp || before === undefined || now === undefined || now === before) return answer;
    this.#srtp = this.#srtp.renewed();
    return answerOffer(offer, media, this.#session(this.#version));
  }

  #session(version: number): SdpSession {
    const { sessionId: id, codecs, options } = this;
    const srtp = this.#offeredSrtp ?? this.#srtp;
    const [layout, agreed, direction] = [this.#layout, this.#agreed, this.#direction];
    return { id, version, codecs, ...options, ...(srtp && { srtp }), layout, agreed, direction };
  }

  #agree({ plan, agreed }: { readonly plan: MediaPlan; readonly agreed: SdpAgreement }): void {
    this.#plan = this.#signalled(plan);
    this.#agreed = agreed;
    this.onPlan(this.#plan);
  }

  #signalled(plan: MediaPlan): MediaPlan {
    const { signallingHost } = this;
    return signallingHost === null ? plan : { ...plan, signallingHost };
  }

  #reject(reason: string): UnacceptableSdp {
    this.#failure = reason;
    return new UnacceptableSdp(reason);
  }
}

const sdpBody = (body: string): BodyAndContentType => ({ body, contentType: "application/sdp" });
