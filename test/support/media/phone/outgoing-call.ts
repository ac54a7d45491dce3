/** An outgoing call of the phone: INVITE with digest, CANCEL, ACK (RFC 3261 13.2, 9.1). */
import {
  formatUri,
  type RequestParts,
  type SipResponse,
} from "../../../../src/sip/message/index.ts";
import { Dialog, type DialogLine, partiesOfAnswer } from "./dialog.ts";
import { PhoneCall, type PhoneCallSetup } from "./phone-call.ts";
import { sendSigned } from "./signed-request.ts";

interface OutgoingCallPlan {
  readonly callId: string;
  /** Request-URI and To. */
  readonly target: string;
  /** From header, including the tag. */
  readonly from: string;
  readonly line: DialogLine;
  /** Copies of the 2xx within this time after the first get no ACK (simulates a slow network). */
  readonly ackDelayMs: number;
}

export class OutgoingCall extends PhoneCall {
  #cseq = 0;
  #sent: { readonly parts: RequestParts; readonly branch: string } | null = null;
  #provisionalReceived = false;
  #abandoned = false;
  /** To tag of the accepted 2xx; another To tag is a fork and gets a BYE. */
  #answeredTag: string | null = null;
  #answeredAtMs: number | null = null;

  constructor(
    private readonly plan: OutgoingCallPlan,
    setup: PhoneCallSetup,
  ) {
    super(plan.callId, "calling", setup);
  }

  /** Sends the INVITE, once. */
  start(): void {
    const offer = this.description("sendrecv");
    const { line } = this.plan;
    sendSigned({
      endpoint: line.endpoint,
      digest: line.digest,
      destination: line.proxy,
      make: () => this.#invite(offer),
      onSent: (parts, { branch }) => {
        this.#sent = { parts, branch };
      },
      listener: (response) => this.#receive(response),
    });
  }

  #invite(offer: string): RequestParts {
    return {
      method: "INVITE",
      uri: this.plan.target,
      headers: [
        ["max-forwards", 70],
        ["from", this.plan.from],
        ["to", `<${this.plan.target}>`],
        ["call-id", this.plan.callId],
        ["cseq", `${++this.#cseq} INVITE`],
        ["contact", this.plan.line.contact],
        ["allow", "INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, REFER, NOTIFY"],
        ["content-type", "application/sdp"],
      ],
      body: offer,
    };
  }

  #receive(response: SipResponse | null): void {
    if (!response) this.finish({ by: "them", how: "timeout", sipCode: null });
    else if (response.statusCode < 200) this.#progress(response);
    else if (response.statusCode < 300) this.#accept(response);
    else this.#onRejected(response);
  }

  #onRejected(response: SipResponse): void {
    const how = response.statusCode === 487 && this.#abandoned ? "cancelled" : "refused";
    this.finish({ by: this.#abandoned ? "us" : "them", how, sipCode: response.statusCode });
  }

  #progress(response: SipResponse): void {
    this.#provisionalReceived = true;
    if (this.#abandoned) this.#cancel();
    if (this.#abandoned || response.statusCode === 100) return;
    if (response.body !== "") this.connect(response.body);
    this.noteRinging();
  }

  /** Acknowledges every copy of the 2xx. Hangs up a 2xx that crossed our CANCEL, and a fork. */
  #accept(response: SipResponse): void {
    const tag = response.to.parameters.get("tag") ?? "";
    const isFirst = this.#answeredTag === null;
    const dialog =
      this.#answeredTag === tag && this.dialog
        ? this.dialog
        : new Dialog(partiesOfAnswer(response), this.plan.line, this.#cseq);
    if (this.#mayAcknowledge()) dialog.acknowledge(response.cseq.number);
    if (!isFirst && this.#answeredTag === tag) return;
    if (!isFirst || this.#abandoned || this.state === "ended") {
      dialog.request("BYE", () => {});
      if (isFirst && this.#abandoned) this.finish({ by: "us", how: "cancelled", sipCode: null });
      return;
    }
    this.#answeredTag = tag;
    this.dialog = dialog;
    if (this.connect(response.body)) this.noteActive();
    else {
      dialog.request("BYE", () => {});
      this.finish({ by: "us", how: "refused", sipCode: 488 });
    }
  }

  #mayAcknowledge(): boolean {
    const nowMs = this.setup.clock.monotonic();
    this.#answeredAtMs ??= nowMs;
    return nowMs - this.#answeredAtMs >= this.plan.ackDelayMs;
  }

  protected abandon(): void {
    if (this.#abandoned) return;
    this.#abandoned = true;
    if (this.#provisionalReceived) this.#cancel();
  }

  #cancelSent = false;

  /** RFC 3261 9.1: only after a provisional response; same branch, CSeq number and Request-URI. */
  #cancel(): void {
    if (!this.#sent || this.#cancelSent) return;
    this.#cancelSent = true;
    const { parts, branch } = this.#sent;
    const uri = typeof parts.uri === "string" ? parts.uri : formatUri(parts.uri);
    const kept = [...parts.headers].filter(([name]) =>
      /^(max-forwards|from|to|call-id|route)$/i.test(name),
    );
    this.plan.line.endpoint.request(
      { method: "CANCEL", uri, headers: [...kept, ["cseq", `${this.#cseq} CANCEL`]], branch },
      this.plan.line.proxy,
      () => {},
    );
  }
}
