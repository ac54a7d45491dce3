/** An incoming call of the phone: ring, answer, reject, CANCEL, re-INVITE (RFC 3261 13.3, 9.2). */

import type { Timer } from "../../../../src/core/clock.ts";
import { buildResponse, type SipRequest, userOf } from "../../../../src/sip/message/index.ts";
import { Dialog, type DialogLine, partiesOfInvite } from "./dialog.ts";
import type { ServerTransaction } from "./endpoint.ts";
import { PhoneCall, type PhoneCallSetup } from "./phone-call.ts";

const ACK_TIMEOUT_MS = 32_000;

export class IncomingCall extends PhoneCall {
  #ackTimer: Timer | null = null;

  constructor(
    private readonly invite: ServerTransaction,
    private readonly line: DialogLine,
    private readonly localTag: string,
    setup: PhoneCallSetup,
  ) {
    super(invite.request.callId, "incoming", setup);
  }

  get request(): SipRequest {
    return this.invite.request;
  }

  /** User part of From. */
  get callerNumber(): string | null {
    return userOf(this.invite.request.from.uri);
  }

  ring(): void {
    if (this.state === "incoming") this.#respond(180);
  }

  /** Sends 200 with our answer; resolves when its ACK arrives. */
  async answer(): Promise<void> {
    if (this.state !== "incoming") throw new Error(`cannot answer: the call is ${this.state}`);
    if (!this.connect(this.invite.request.body)) {
      this.reject(488);
      throw new Error("no common codec");
    }
    const parties = partiesOfInvite(this.invite.request, this.localTag);
    this.dialog = new Dialog(parties, this.line, 0);
    this.#respond(200, this.description("sendrecv", this.remote));
    this.#ackTimer = this.setup.clock.after(ACK_TIMEOUT_MS, () => {
      this.dialog?.request("BYE", () => {});
      this.finish({ by: "them", how: "timeout", sipCode: null });
    });
    await this.answered;
  }

  reject(sipCode: number): void {
    if (this.state !== "incoming" || this.dialog) return;
    this.#respond(sipCode);
    this.finish({ by: "us", how: "refused", sipCode });
  }

  /** After our 200 a BYE must wait for the ACK (RFC 3261 15). */
  protected abandon(): void {
    if (!this.dialog) this.reject(603);
    else void this.answered.then(() => this.hangUp()).catch(() => {});
  }

  override acknowledged(): void {
    super.acknowledged();
    this.#ackTimer?.cancel();
    this.invite.confirm();
    this.noteActive();
  }

  cancelled(): void {
    if (this.state !== "incoming" || this.dialog) return;
    this.#respond(487);
    this.finish({ by: "them", how: "cancelled", sipCode: 487 });
  }

  override finish(end: Parameters<PhoneCall["finish"]>[0]): void {
    this.#ackTimer?.cancel();
    super.finish(end);
  }

  #respond(statusCode: number, body?: string): void {
    const answer = buildResponse(this.invite.request, {
      statusCode,
      toTag: this.localTag,
      headers: [
        ["contact", this.line.contact],
        ...(body === undefined ? [] : [["content-type", "application/sdp"] as const]),
      ],
      body,
    });
    this.invite.respond(answer, statusCode);
  }
}
