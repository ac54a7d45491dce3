/**
 * A telephone: the appliance's own SIP stack with one trunk, registered at a carrier. It places and
 * answers calls with G.711 audio. The script that uses it decides what to say and when.
 */

import type { RegistrationStatus, SipStack, Trunk } from "../../call/sip-port.ts";
import type { Clock } from "../../core/clock.ts";
import type { CodecName } from "../../core/codecs.ts";
import { e164 } from "../../core/e164.ts";
import { silentLog } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import { createCallAudio } from "../../media/call-audio.ts";
import { createPacer } from "../../media/rtp/pacer.ts";
import { createPortPool } from "../../media/rtp/port-pool.ts";
import { createSipStack } from "../../sip/stack.ts";
import type { Address } from "../../sip/transport/flow.ts";
import { type ImpairedPath, type Impairment, openImpairedPath } from "./impaired-path.ts";
import {
  IncomingCall,
  PhoneCall,
  type PhoneCallDeps,
  rtpPortOf,
  type SpeechMaker,
} from "./phone-call.ts";

interface PhoneOptions {
  /** E.164 number, also used as address, user name at the carrier and caller ID. */
  readonly number: string;
  readonly password: string;
  /** Loopback address to bind to. */
  readonly host: string;
  readonly carrier: Address;
  readonly speech: SpeechMaker;
  readonly clock: Clock;
  readonly random: Random;
  /** Default: PCMA, PCMU. */
  readonly codecs?: readonly CodecName[];
  /** Network impairment of its calls. Default: none. */
  readonly network?: Impairment;
}

export interface Phone {
  readonly number: string;
  /** Places a call; resolves when the INVITE is sent. */
  call(number: string): Promise<PhoneCall>;
  /** The handler of incoming calls; without one they get 480. */
  onCall(handler: (call: IncomingCall) => void): void;
  /** Hangs up, unregisters, releases everything. */
  close(): Promise<void>;
}

/** Above the default of `[rtp] ports`, below the ports that the system hands out. */
const RTP_PORTS = { first: 30_000, last: 32_767 };
const RING_TIMEOUT_MS = 60_000;
const REGISTER_EXPIRES_SECONDS = 300;
const JITTER_MS_MAX = 200;
/** Effectively disabled: a phone ignores media timeouts. */
const MEDIA_TIMEOUT_MS = 3_600_000;

type Opened = Pick<PhoneCallDeps, "audio" | "path">;

/** Resolves when the phone is registered; rejects with the reason if the carrier rejects it. */
export async function createPhone(options: PhoneOptions): Promise<Phone> {
  const { number, host, speech, clock, random } = options;
  const log = silentLog;
  const stack = await openStack(options);
  // This thread also runs the appliance: the pacer must not block it.
  const pacer = createPacer({ ...clock, blockThread: undefined }, log);
  const ports = createPortPool(RTP_PORTS, clock, random);
  const paths: ImpairedPath[] = [];
  const openAudio = async (): Promise<Opened> => {
    const audio = await createCallAudio(
      {
        rtpHost: host,
        jitterMsMax: JITTER_MS_MAX,
        rtpTimeoutMs: MEDIA_TIMEOUT_MS,
        holdTimeoutMs: MEDIA_TIMEOUT_MS,
      },
      { ports, pacer, clock, log, random },
    );
    const { network = null } = options;
    if (!network) return { audio };
    const path = await openImpairedPath(network, { host, port: audio.rtpPort }, { clock, random });
    paths.push(path);
    return { audio, path };
  };
  const close = async () => {
    await stack.close();
    pacer.close();
    for (const path of paths) path.close();
  };
  const trunk = stack.addTrunk(trunkOf(options));
  await registered(trunk).catch(async (error: unknown) => {
    await close();
    throw error;
  });

  return {
    number,
    async call(called) {
      const opened = await openAudio();
      const leg = trunk.place({
        to: e164(called),
        from: e164(number),
        media: { host, port: rtpPortOf(opened) },
        ringTimeoutMs: RING_TIMEOUT_MS,
      });
      return new PhoneCall(leg, { ...opened, speech, clock });
    },
    onCall(handler) {
      stack.onIncoming((leg) => {
        void openAudio().then(
          (opened) => handler(new IncomingCall(leg, host, { ...opened, speech, clock })),
          () => leg.reject(500),
        );
      });
    },
    close,
  };
}

function openStack({
  host,
  clock,
  random,
  codecs = ["PCMA", "PCMU"],
}: PhoneOptions): Promise<SipStack> {
  return createSipStack(
    {
      bind: { host, port: 0 },
      externalIp: host,
      allowNetworks: [`${host}/32`],
      userAgent: "Linevoice demo phone",
      registerExpiresSeconds: REGISTER_EXPIRES_SECONDS,
      codecs,
      trace: false,
    },
    { clock, random, log: silentLog },
  );
}

function trunkOf({ number, password, carrier }: PhoneOptions) {
  return {
    trunkId: 1,
    tenantId: 1,
    server: carrier.host,
    port: carrier.port,
    transport: "udp",
    username: number,
    password,
    realm: null,
    outboundProxy: null,
    callerId: e164(number),
    register: true,
  } as const;
}

function registered(trunk: Trunk): Promise<void> {
  return new Promise((resolve, reject) => {
    const onStatus = (status: RegistrationStatus) => {
      if (status.name === "registered") resolve();
      if (status.name === "failed") reject(new Error(`REGISTER: ${status.explanation}`));
    };
    trunk.onRegistration(onStatus);
    onStatus(trunk.registration);
  });
}
