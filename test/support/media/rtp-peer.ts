/**
 * The remote party of a call's RTP, without SIP: the audio of the tests' phone (G.711, paced, RFC
 * 4733), connected directly to a call worker's port. Speaks, presses keys, and stores received
 * audio.
 */
import { systemClock } from "../../../src/core/clock.ts";
import type { MediaPlan } from "../../../src/core/media-plan.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { PhoneMedia } from "./phone/phone-media.ts";
import type { RemoteDescription } from "./phone/session-description.ts";

const TELEPHONE_EVENT = 101;

export interface RtpPeer {
  /** Media plan for the call worker. */
  readonly plan: MediaPlan;
  readonly media: PhoneMedia;
  /** The call worker's RTP port. Audio flows after this call. */
  connect(host: string, port: number): void;
  /** Stops sending, but still receives. */
  mute(): void;
  /** Milliseconds since the remote party was last audible. */
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
