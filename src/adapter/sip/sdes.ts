/**
 * SDES: SRTP keys in `a=crypto` lines (RFC 4568). Two suites, each with its own key; keys without
 * MKI, and only session parameters that do not affect media/srtp. Lines with other parameters are
 * ignored, as the RFC requires.
 */
import type { MediaDescription } from "sdp-transform";
import type { SrtpKeys, SrtpSuite } from "../../core/media-plan.ts";
import type { Random } from "../../core/random.ts";

export type SrtpMode = "off" | "optional" | "required";

/** In order of preference. */
const SUITES = ["AES_CM_128_HMAC_SHA1_80", "AES_CM_128_HMAC_SHA1_32"] as const;
const KEY_BYTES = 30;
const HARMLESS_PARAMETERS = /^(KDR=0|WSH=\d+)$/i;

/** The required mode, and our sending keys. */
export interface SrtpPolicy {
  readonly mode: SrtpMode;
  readonly keys: Readonly<Record<SrtpSuite, string>>;
  /** The same with new keys. */
  renewed(): SrtpPolicy;
}

/** A supported `crypto` line. */
export interface CryptoLine {
  readonly tag: number;
  readonly suite: SrtpSuite;
  readonly key: string;
}

export function createSrtpPolicy(mode: SrtpMode, random: Random): SrtpPolicy {
  const newKey = () => Buffer.from(random.bytes(KEY_BYTES)).toString("base64");
  return {
    mode,
    keys: { AES_CM_128_HMAC_SHA1_80: newKey(), AES_CM_128_HMAC_SHA1_32: newKey() },
    renewed: () => createSrtpPolicy(mode, random),
  };
}

/** The supported crypto lines of a media description, in order. */
export function readCryptoLines(audio: MediaDescription): CryptoLine[] {
  const lines: CryptoLine[] = [];
  for (const { id, suite, config, sessionConfig } of audio.crypto ?? []) {
    const known = SUITES.find((name) => name === String(suite).toUpperCase());
    const key = keyOf(String(config));
    const parameters = String(sessionConfig ?? "")
      .split(/\s+/)
      .filter((word) => word !== "");
    if (!known || !key || !parameters.every((word) => HARMLESS_PARAMETERS.test(word))) continue;
    lines.push({ tag: id, suite: known, key });
  }
  return lines;
}

/** `inline:<base64>|2^31`: one key; any lifetime is longer than a call; MKI is not supported. */
function keyOf(config: string): string | null {
  const match = /^inline:([A-Za-z0-9+/]{40}={0,2})(\|(2\^)?\d+)?$/.exec(config.trim());
  return match?.[1] ?? null;
}

/** The crypto lines of our offer: tags 1 and 2. */
export function offerCrypto({ keys }: SrtpPolicy): string[] {
  return SUITES.map((suite, index) => writeLine(index + 1, suite, keys[suite]));
}

/** The crypto line of our answer. */
export function answerCrypto({ keys }: SrtpPolicy, offer: CryptoLine): string {
  return writeLine(offer.tag, offer.suite, keys[offer.suite]);
}

/** The keys agreed with one of their lines. */
export function agreedKeys({ keys }: SrtpPolicy, offer: CryptoLine): SrtpKeys {
  return { suite: offer.suite, sendKey: keys[offer.suite], receiveKey: offer.key };
}

/** The line of an answer that accepts one of our offer. */
export function acceptedLine(lines: readonly CryptoLine[]): CryptoLine | undefined {
  return lines.find(({ tag, suite }) => SUITES[tag - 1] === suite);
}

function writeLine(tag: number, suite: SrtpSuite, key: string): string {
  return `a=crypto:${tag} ${suite} inline:${key}`;
}
