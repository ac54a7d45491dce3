/**
 * SDES: SRTP keys in `a=crypto` lines (RFC 4568). Four suites are accepted; two are offered, each
 * with its own key. Supports one key per line, and only session parameters that do not affect
 * media/srtp. Lines with other parameters are ignored, as the RFC requires. If the remote key has
 * an MKI, our answer uses the same one; our offers have none.
 */
import type { MediaDescription } from "sdp-transform";
import {
  MKI_BYTES_MAX,
  SRTP_KEY_BYTES,
  type SrtpKeys,
  type SrtpSuite,
} from "../core/media-plan.ts";
import type { Random } from "../core/random.ts";

export type SrtpMode = "off" | "optional" | "required";

/** In order of preference. More would make an INVITE too long for a datagram. */
const OFFERED = ["AES_CM_128_HMAC_SHA1_80", "AES_CM_128_HMAC_SHA1_32"] as const;
const ACCEPTED: readonly SrtpSuite[] = [
  ...OFFERED,
  "AES_256_CM_HMAC_SHA1_80",
  "AES_256_CM_HMAC_SHA1_32",
];
const HARMLESS_PARAMETERS = /^(KDR=0|WSH=\d+)$/i;

/** The required mode, and our sending keys. */
export interface SrtpPolicy {
  readonly mode: SrtpMode;
  readonly keys: Readonly<Record<SrtpSuite, string>>;
  /** Returns the same policy with new keys. */
  renewed(): SrtpPolicy;
}

/** A supported `crypto` line. */
export interface CryptoLine {
  readonly tag: number;
  readonly suite: SrtpSuite;
  readonly key: string;
  /** MKI of the line's key: as written, and as bytes of each packet in hex. */
  readonly mki: { readonly written: string; readonly hex: string } | null;
}

export function createSrtpPolicy(mode: SrtpMode, random: Random): SrtpPolicy {
  const newKey = (suite: SrtpSuite) =>
    Buffer.from(random.bytes(SRTP_KEY_BYTES[suite])).toString("base64");
  return {
    mode,
    keys: {
      AES_CM_128_HMAC_SHA1_80: newKey("AES_CM_128_HMAC_SHA1_80"),
      AES_CM_128_HMAC_SHA1_32: newKey("AES_CM_128_HMAC_SHA1_32"),
      AES_256_CM_HMAC_SHA1_80: newKey("AES_256_CM_HMAC_SHA1_80"),
      AES_256_CM_HMAC_SHA1_32: newKey("AES_256_CM_HMAC_SHA1_32"),
    },
    renewed: () => createSrtpPolicy(mode, random),
  };
}

/** The supported crypto lines of a media description, in order. */
export function readCryptoLines(audio: MediaDescription): CryptoLine[] {
  const lines: CryptoLine[] = [];
  for (const { id, suite, config, sessionConfig } of audio.crypto ?? []) {
    const known = ACCEPTED.find((name) => name === String(suite).toUpperCase());
    const key = known && keyOf(known, String(config));
    const parameters = String(sessionConfig ?? "")
      .split(/\s+/)
      .filter((word) => word !== "");
    if (!known || !key || !parameters.every((word) => HARMLESS_PARAMETERS.test(word))) continue;
    lines.push({ tag: id, suite: known, ...key });
  }
  return lines;
}

const KEY_PARAMETERS =
  /^inline:([A-Za-z0-9+/]{40,62}={0,2})(?:\|(?:2\^)?\d{1,20})?(?:\|(\d{1,310}):(\d{1,3}))?$/;

/** `inline:<base64>|2^31|1:4`: one key; any lifetime is longer than a call; an MKI of 1 in 4 octets. */
function keyOf(suite: SrtpSuite, config: string): Pick<CryptoLine, "key" | "mki"> | null {
  const [, key, value, octets] = KEY_PARAMETERS.exec(config.trim()) ?? [];
  const digits = Math.ceil((SRTP_KEY_BYTES[suite] * 4) / 3);
  if (key?.replace(/=+$/, "").length !== digits) return null;
  if (value === undefined) return { key, mki: null };
  const size = Number(octets);
  const hex = BigInt(value)
    .toString(16)
    .padStart(2 * size, "0");
  if (size < 1 || size > MKI_BYTES_MAX || hex.length > 2 * size) return null;
  return { key, mki: { written: `${value}:${octets}`, hex } };
}

/** The crypto lines of our offer: tags 1 and 2. */
export function offerCrypto({ keys }: SrtpPolicy): string[] {
  return OFFERED.map((suite, index) => writeLine(index + 1, suite, keys[suite]));
}

export function answerCrypto({ keys }: SrtpPolicy, offer: CryptoLine): string {
  const line = writeLine(offer.tag, offer.suite, keys[offer.suite]);
  return offer.mki ? `${line}|${offer.mki.written}` : line;
}

/**
 * The keys agreed with one of the remote lines. `isOffer`: the line is from an offer, so our key
 * uses its MKI.
 */
export function agreedKeys({ keys }: SrtpPolicy, line: CryptoLine, isOffer: boolean): SrtpKeys {
  const { suite, key, mki } = line;
  return {
    suite,
    sendKey: keys[suite],
    receiveKey: key,
    ...(mki && { receiveMki: mki.hex }),
    ...(mki && isOffer && { sendMki: mki.hex }),
  };
}

/** The answer's line that accepts one of our offer. */
export function acceptedLine(lines: readonly CryptoLine[]): CryptoLine | undefined {
  return lines.find(({ tag, suite }) => OFFERED[tag - 1] === suite);
}

function writeLine(tag: number, suite: SrtpSuite, key: string): string {
  return `a=crypto:${tag} ${suite} inline:${key}`;
}
