/**
 * The far end of a call's RTP, without SIP: the tests' phone's audio (G.711, paced, RFC 4733) joined
 * directly to a call worker's port. Says, presses keys, and keeps what it hears.
 */
import { systemClock } from "../../../src/core/clock.ts";
import type { MediaPlan } from "../../../src/core/media-plan.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { PhoneMedia } from "./phone/phone-media.ts";
import type { RemoteDescription } from "./phone/session-description.ts";

const TELEPHONE_EVENT = 101;

export interface RtpPeer {
  /** What the call worker must know of us. */
  readonly plan: MediaPlan;
  readonly media: PhoneMedia;
  /** The call worker's RTP port: audio flows from here on. */
  connect(host: string, port: number): void;
  /** Sends nothing more, but still listens. */
  mute(): void;
  /** Milliseconds since the far end was last audible. */
  readonly quietForMs: number;
  close(): void;
}

export async function createRtpPeer(host: string): Promise<RtpPeer> {
  const media = new PhoneMedia(host, systemClock, systemRandom);
  const remote = await media.open();
  let agent: RemoteDescription | null = null;
  return {
    media,
    plan: {
      remote,
      codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },
      telephoneEvent: { send: TELEPHONE_EVENT, receive: TELEPHONE_EVENT },
      direction: "sendrecv",
      ptimeMs: 20,
    },
    connect(agentHost, port) {
      agent = {
        rtp: { host: agentHost, port },
        codec: "PCMA",
        telephoneEvent: TELEPHONE_EVENT,
        direction: "sendrecv",
      };
      media.connect(agent, true);
    },
    mute() {
      if (agent) media.connect(agent, false);
    },
    get quietForMs() {
      return systemClock.monotonic() - media.lastSpeechAt;
    },
    close: () => media.close(),
  };
}
