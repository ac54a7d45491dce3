/**
 * A telephone: a SIP user agent over UDP (RFC 3261) with G.711 audio. It registers with digest, and
 * places and receives calls. Its dialogs, SDP and RTP are implemented independently of the
 * appliance, so that tests check the appliance's. It can hold, transfer, mute itself and
 * acknowledge late.
 *
 * Lost datagrams are repeated (endpoint.ts). `close` ends its calls and closes every socket and
 * timer. The script that uses it decides what to say and when.
 */

import { type Clock, systemClock } from "../../../../src/core/clock.ts";
import { hex } from "../../../../src/core/ids.ts";
import { type Random, systemRandom } from "../../../../src/core/random.ts";
import type { G711Law } from "../../../../src/platform/audio/g711.ts";
import { type Account, DigestClient } from "../../../../src/sip/digest.ts";
import { buildResponse, type SipResponse } from "../../../../src/sip/message/index.ts";
import type { Address } from "./datagram.ts";
import type { DialogLine } from "./dialog.ts";
import { openEndpoint, type ServerTransaction } from "./endpoint.ts";
import { IncomingCall } from "./incoming-call.ts";
import { OutgoingCall } from "./outgoing-call.ts";
import type { PhoneCall, PhoneCallSetup, SpeechMaker } from "./phone-call.ts";
import { PhoneMedia } from "./phone-media.ts";
import { answerInDialog } from "./phone-requests.ts";
import { sendSigned } from "./signed-request.ts";

export interface PhoneOptions {
  /** User part of its address: a number or a name. */
  readonly number: string;
  /** Domain of its address; default: the proxy's host. */
  readonly domain?: string;
  /** Loopback address to bind to; the system chooses the SIP and RTP ports. */
  readonly host: string;
  /** Destination of its requests. */
  readonly proxy: Address;
  /** Credentials for digest challenges; null: none. */
  readonly account?: Account | null;
  readonly codecs?: readonly G711Law[];
  /** Offer RFC 4733 telephone-events; default true. */
  readonly telephoneEvents?: boolean;
  readonly speech?: SpeechMaker;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface CallOptions {
  /**
   * Acknowledges only copies of the 2xx that arrive this long after the first. Default: 0, every
   * copy.
   */
  readonly ackDelayMs?: number;
  /** User part of From; default: the phone's number. */
  readonly callerNumber?: string;
}

export interface Phone {
  readonly number: string;
  readonly address: Address;
  /** REGISTER with digest; resolves on 200, rejects with the code otherwise. */
  register(expiresSeconds?: number): Promise<void>;
  /** Places a call; resolves when the INVITE is sent. */
  call(number: string, options?: CallOptions): Promise<OutgoingCall>;
  /** The handler of incoming calls; without one they get 480. */
  onCall(handler: (call: IncomingCall) => void): void;
  readonly calls: readonly PhoneCall[];
  /** Hangs up, unregisters if registered (within 2 s), releases everything. */
  close(): Promise<void>;
}

/** Ended calls are kept for late messages. */
const CALLS_REMEMBERED_MAX = 200;
const CLOSE_MS_MAX = 2000;

const silentSpeech: SpeechMaker = () => Promise.reject(new Error("this phone has no voice"));

export async function createPhone(options: PhoneOptions): Promise<Phone> {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const domain = options.domain ?? options.proxy.host;
  const endpoint = await openEndpoint({
    host: options.host,
    port: 0,
    clock,
    random,
  });
  const { address } = endpoint;
  const digest = options.account ? new DigestClient(options.account, random) : null;
  const contact = `<sip:${options.number}@${address.host}:${address.port}>`;
  const line: DialogLine = { endpoint, digest, proxy: options.proxy, contact };
  const aor = `sip:${options.number}@${domain}`;
  const token = () => hex(random.bytes(8));
  const calls = new Map<string, PhoneCall>();
  let incomingHandler: ((call: IncomingCall) => void) | null = null;
  let registered = false;
  let closing: Promise<void> | null = null;
  const registration = { callId: `${token()}@${address.host}`, tag: token(), cseq: 0 };

  async function setupOf(): Promise<PhoneCallSetup> {
    const media = new PhoneMedia(options.host, clock, random);
    return {
      clock,
      media,
      rtp: await media.open(),
      codecs: options.codecs ?? ["PCMA", "PCMU"],
      telephoneEvents: options.telephoneEvents ?? true,
      speech: options.speech ?? silentSpeech,
    };
  }

  function remember(call: PhoneCall): void {
    calls.set(call.callId, call);
    const [oldest] = calls.keys();
    if (calls.size > CALLS_REMEMBERED_MAX && oldest !== undefined) calls.delete(oldest);
  }

  async function receiveInvite(transaction: ServerTransaction): Promise<void> {
    transaction.respond(buildResponse(transaction.request, { statusCode: 100 }), 100);
    const toTag = token();
    if (!incomingHandler) {
      const answer = buildResponse(transaction.request, { statusCode: 480, toTag });
      return transaction.respond(answer, 480);
    }
    const call = new IncomingCall(transaction, line, toTag, await setupOf());
    remember(call);
    incomingHandler(call);
  }

  endpoint.onRequest((transaction) => {
    const { request } = transaction;
    const isInitialInvite = request.method === "INVITE" && !request.to.parameters.has("tag");
    if (isInitialInvite) void receiveInvite(transaction);
    else answerInDialog(transaction, calls.get(request.callId), contact);
  });

  function sendRegister(expiresSeconds: number): Promise<SipResponse | null> {
    return new Promise((resolve) => {
      sendSignedRegister(expiresSeconds, (response) => {
        if (!response || response.statusCode >= 200) resolve(response);
      });
    });
  }

  function sendSignedRegister(
    expiresSeconds: number,
    listener: (response: SipResponse | null) => void,
  ): void {
    sendSigned({
      endpoint,
      digest,
      destination: options.proxy,
      make: () => ({
        method: "REGISTER",
        uri: `sip:${domain}`,
        headers: [
          ["max-forwards", 70],
          ["from", `<${aor}>;tag=${registration.tag}`],
          ["to", `<${aor}>`],
          ["call-id", registration.callId],
          ["cseq", `${++registration.cseq} REGISTER`],
          ["contact", contact],
          ["expires", expiresSeconds],
        ],
      }),
      listener,
    });
  }

  return {
    number: options.number,
    address,
    async register(expiresSeconds = 300) {
      const response = await sendRegister(expiresSeconds);
      if (response?.statusCode !== 200)
        throw new Error(`REGISTER: ${response?.statusCode ?? "no answer"}`);
      registered = true;
    },
    async call(number, callOptions = {}) {
      const caller = callOptions.callerNumber ?? options.number;
      const call = new OutgoingCall(
        {
          callId: `${token()}@${address.host}`,
          target: `sip:${number}@${domain}`,
          from: `<sip:${caller}@${domain}>;tag=${token()}`,
          line,
          ackDelayMs: callOptions.ackDelayMs ?? 0,
        },
        await setupOf(),
      );
      remember(call);
      call.start();
      return call;
    },
    onCall(handler) {
      incomingHandler = handler;
    },
    get calls() {
      return [...calls.values()];
    },
    close() {
      closing ??= leave();
      return closing;
    },
  };

  async function leave(): Promise<void> {
    const goodbyes: Promise<unknown>[] = [...calls.values()].map((call) => call.hangUp());
    if (registered) goodbyes.push(sendRegister(0));
    await within(clock, CLOSE_MS_MAX, Promise.allSettled(goodbyes));
    endpoint.close();
  }
}

/** Resolves with the task or after `delayMs`, whichever comes first; clears its timer. */
function within(clock: Clock, delayMs: number, task: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(delayMs, resolve);
    void task.then(() => {
      timer.cancel();
      resolve();
    });
  });
}
