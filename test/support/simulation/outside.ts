/**
 * The environment of a simulated appliance: people on legs, a media worker with ports, a webhook
 * receiver, a mail server, a disk. It survives a crash of the process and records events.
 */
import { writeFileSync } from "node:fs";
import type { CallChannel, CallMedia } from "../../../src/call/media-port.ts";
import type {
  IncomingLeg,
  LegEnd,
  LegEvents,
  OutgoingLeg,
  SipStack,
} from "../../../src/call/sip-port.ts";
import type { CallConfig } from "../../../src/conversation/call-config.ts";
import type { CallCommands, CallEvents } from "../../../src/conversation/call-protocol.ts";
import type { CallReport } from "../../../src/conversation/call-report.ts";
import { Emitter } from "../../../src/core/emitter.ts";
import type { MediaPlan } from "../../../src/core/media-plan.ts";
import type { Random } from "../../../src/core/random.ts";
import type { MailMessage } from "../../../src/features/mail/message.ts";
import type { MailProvider } from "../../../src/features/mail/provider.ts";
import { wavHeader } from "../../../src/media/recording/wav.ts";
import type { OutboundHttpClient } from "../../../src/platform/net/outbound-http.ts";
import { OutboundHttpError } from "../../../src/platform/net/outbound-http-error.ts";
import { EMPTY_REPORT } from "../../../src/worker/empty-report.ts";

const PLAN = {} as MediaPlan;
const STEREO = { sampleRateHz: 8000, channels: 2 };
const RECORDED_BYTES = 4001; // not a whole number of samples, as after a crash

export type Health = "well" | "failing" | "silent";

/** One leg, with a simulated remote party. */
export class SimulatedLeg {
  readonly #emitter = new Emitter<LegEvents>();
  readonly #answer = Promise.withResolvers<{ plan: MediaPlan }>();
  state: "calling" | "ringing" | "active" | "ended" = "calling";

  constructor(
    readonly sipCallId: string,
    readonly number: string,
    /** False after the process that holds it has died. */
    readonly isHeard: () => boolean,
  ) {
    this.#answer.promise.catch(() => undefined);
  }

  ring(): void {
    if (this.state !== "calling") return;
    this.state = "ringing";
    this.#tell("ringing", { sipCode: 180, plan: null });
  }

  /** The remote party answers, or acknowledges our 200. */
  pickUp(): void {
    if (this.state !== "calling" && this.state !== "ringing") return;
    this.state = "active";
    this.#tell("answered", { plan: PLAN });
    this.#answer.resolve({ plan: PLAN });
  }

  end(kind: LegEnd["kind"], by: LegEnd["by"] = "caller"): void {
    if (this.state === "ended") return;
    this.state = "ended";
    const sipCode = kind === "bye" ? null : 486;
    this.#tell("ended", { by, kind, sipCode, fault: null, explanation: kind });
    this.#answer.reject(new Error("the far end went away"));
  }

  #tell<Name extends keyof LegEvents>(name: Name, event: LegEvents[Name]): void {
    if (this.isHeard()) this.#emitter.emit(name, event);
  }

  #face(direction: "incoming" | "outgoing") {
    return {
      direction,
      sipCallId: this.sipCallId,
      trunkId: 1,
      on: this.#emitter.on.bind(this.#emitter),
      hangUp: () => this.end("bye", "us"),
      refer: async () => ({ transferred: false, sipCode: 603 }),
      referTo: async () => ({ transferred: false, accepted: false, sipCode: null }),
    };
  }

  outgoing(): OutgoingLeg {
    return this.#face("outgoing") as unknown as OutgoingLeg;
  }

  incoming(called: string): IncomingLeg {
    return {
      ...this.#face("incoming"),
      calledNumbers: [called],
      provenNumbers: [],
      isForAccount: false,
      callerNumber: this.number,
      ring: () => this.ring(),
      answer: () => this.#answer.promise,
      reject: () => this.end("declined", "us"),
    } as unknown as IncomingLeg;
  }
}

/** A call in the media worker: a port, and a growing recording on disk. */
export class SimulatedChannel {
  readonly emitter = new Emitter<CallEvents>();
  isOpen = true;
  #answered = false;

  constructor(readonly config: CallConfig) {}

  heartbeat(): void {
    if (this.isOpen)
      this.emitter.emit("heartbeat", { media: EMPTY_REPORT.media, usage: EMPTY_REPORT.usage });
  }

  face(rtpPort: number): CallChannel {
    const channel = {
      rtpPort,
      on: this.emitter.on.bind(this.emitter),
      send: (name: keyof CallCommands, ...args: unknown[]) => {
        if (name === "answered") this.#begin();
        if (name === "sayAndEnd")
          this.emitter.emit("hangup_requested", { reason: args[1] } as never);
      },
      close: async () => this.#close(),
    };
    return channel as unknown as CallChannel;
  }

  #begin(): void {
    this.#answered = true;
    const { recordingPath } = this.config;
    if (recordingPath === null) return;
    const header = wavHeader(STEREO, 0);
    writeFileSync(recordingPath, Buffer.concat([header, Buffer.alloc(RECORDED_BYTES)]));
  }

  #close(): CallReport {
    this.isOpen = false;
    const { recordingPath: path } = this.config;
    if (!this.#answered || path === null) return EMPTY_REPORT;
    writeFileSync(path, Buffer.concat([wavHeader(STEREO, 4000), Buffer.alloc(4000)]));
    return { ...EMPTY_REPORT, recording: { path, durationMs: 125, bytes: 4044 } };
  }
}

export class Outside {
  readonly legs: SimulatedLeg[] = [];
  channels: SimulatedChannel[] = [];
  /** Number of INVITEs per called number. */
  readonly invites = new Map<string, number>();
  /** Number of 200 responses by receivers, by event id. */
  readonly received = new Map<string, number>();
  /** Number of acceptances by the mail server, by mail key. */
  readonly mailed = new Map<string, number>();
  receiver: Health = "well";
  mail: Health = "well";
  encoder: Health = "well";
  ports = 4;
  #calls = 0;

  constructor(readonly random: Random) {}

  sip(isHeard: () => boolean): SipStack {
    const trunk = {
      settings: { trunkId: 1, tenantId: 1, server: "sip.example", callerId: "+37052000000" },
      registration: { name: "registered", expiresAtMs: 0 },
      place: ({ to }: { to: string }) => {
        this.invites.set(to, (this.invites.get(to) ?? 0) + 1);
        return this.#leg(to, isHeard).outgoing();
      },
    };
    return { trunk: () => trunk } as unknown as SipStack;
  }

  comesIn(number: string, isHeard: () => boolean, called: string): IncomingLeg {
    return this.#leg(number, isHeard).incoming(called);
  }

  #leg(number: string, isHeard: () => boolean): SimulatedLeg {
    const leg = new SimulatedLeg(`call-${++this.#calls}`, number, isHeard);
    this.legs.push(leg);
    return leg;
  }

  media(): CallMedia {
    const open = async (config: CallConfig) => {
      if (this.openChannels.length >= this.ports) throw new Error("no port is free");
      const channel = new SimulatedChannel(config);
      this.channels.push(channel);
      return channel.face(20_000 + 2 * this.channels.length);
    };
    return { open } as unknown as CallMedia;
  }

  get openChannels(): SimulatedChannel[] {
    return this.channels.filter((channel) => channel.isOpen);
  }

  /** The process has died with its ports and legs. The remote parties notice later. */
  processDied(): void {
    this.channels = [];
  }

  http(isHeard: () => boolean): OutboundHttpClient {
    return {
      request: async ({ body, signal }) => {
        if (this.receiver === "silent" || !isHeard())
          throw new OutboundHttpError("timeout", "no answer in time");
        void signal;
        if (this.receiver === "failing") return { status: 500, headers: {}, body: Buffer.alloc(0) };
        const { id } = JSON.parse(body) as { id: string };
        this.received.set(id, (this.received.get(id) ?? 0) + 1);
        return { status: 200, headers: {}, body: Buffer.alloc(0) };
      },
    };
  }

  mailProvider(isHeard: () => boolean): MailProvider {
    return {
      name: "outbox",
      answerMsMax: 120_000,
      send: async (message: MailMessage) => {
        if (this.mail !== "well" || !isHeard()) throw new Error("the mail server is down");
        this.mailed.set(message.key, (this.mailed.get(message.key) ?? 0) + 1);
      },
      close: async () => undefined,
    };
  }
}
