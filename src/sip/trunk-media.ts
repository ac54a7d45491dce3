/** The media settings of the calls of one trunk: codecs, SRTP, comfort noise. */

import type { CodecName } from "../core/codecs.ts";
import type { MediaPlan } from "../core/media-plan.ts";
import { type Random, randomInt } from "../core/random.ts";
import { createSrtpPolicy, type SrtpMode } from "./sdes.ts";
import { buildOffer } from "./sdp.ts";
import { MediaNegotiator } from "./session/media-negotiator.ts";

export interface TrunkMediaDeps {
  readonly random: Random;
  /** In order of preference. */
  readonly codecs: readonly CodecName[];
  /** If missing, plain RTP. */
  readonly srtp?: SrtpMode;
  /** Whether comfort noise may replace silence (RFC 3389). */
  readonly comfortNoise?: boolean;
}

export class TrunkMedia {
  #lastCodec: CodecName | null = null;

  constructor(private readonly deps: TrunkMediaDeps) {}

  /** The codec of the last call, or null. */
  get lastCodec(): CodecName | null {
    return this.#lastCodec;
  }

  makeNegotiator(onPlan: (plan: MediaPlan) => void): MediaNegotiator {
    const sessionId = randomInt(this.deps.random, 2 ** 31);
    const { codecs, srtp = "off", comfortNoise = false, random } = this.deps;
    const options = { srtp: createSrtpPolicy(srtp, random), comfortNoise };
    const keepCodec = (plan: MediaPlan) => {
      this.#lastCodec = plan.codec.name;
      onPlan(plan);
    };
    return new MediaNegotiator(sessionId, codecs, keepCodec, options);
  }

  /**
   * An offer with everything we support. Media is never sent, so it contains the discard port of
   * `host`.
   */
  emptyOffer(host: string): string {
    const { codecs, srtp = "off", random } = this.deps;
    const session = { id: 1, version: 1, codecs, srtp: createSrtpPolicy(srtp, random) };
    return buildOffer({ host, port: 9 }, session);
  }
}
