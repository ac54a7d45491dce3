/**
 * SRTP keys (RFC 3711 4.3): derives the session keys of RTP and RTCP from the master key and salt
 * of SDES (RFC 4568 6.1). The key derivation rate is 0: keys are derived once per stream.
 */
import { createCipheriv } from "node:crypto";
import { MKI_BYTES_MAX, SRTP_KEY_BYTES, type SrtpSuite } from "../../core/media-plan.ts";

const MASTER_SALT_BYTES = 14;
const AUTHENTICATION_KEY_BYTES = 20;
const LABELS = { rtp: [0, 1, 2], rtcp: [3, 4, 5] } as const;
/** The salt byte that a label is added to: the lowest of the 56 bits of label and rate. */
const LABEL_OFFSET = 7;

export interface SessionKeys {
  readonly cipherKey: Uint8Array;
  readonly authenticationKey: Uint8Array;
  readonly salt: Uint8Array;
}

/** The MKI of a plan; empty if packets have none. */
export const mkiBytes = (hex: string | undefined): Uint8Array => Buffer.from(hex ?? "", "hex");

/** Bytes of the RTP tag. For RTCP it is 10 with every suite (RFC 4568 6.2). */
export const rtpTagBytes = (suite: SrtpSuite): number => (suite.endsWith("_32") ? 4 : 10);
export const RTCP_TAG_BYTES = 10;
/** Maximum growth of an RTP packet. */
export const RTP_TRAILER_BYTES_MAX = MKI_BYTES_MAX + rtpTagBytes("AES_CM_128_HMAC_SHA1_80");

/** `inline`: base64 of master key and salt. Throws RangeError for an invalid key. */
export function deriveKeys(suite: SrtpSuite, inline: string, use: "rtp" | "rtcp"): SessionKeys {
  const bytes = Buffer.from(inline, "base64");
  const size = SRTP_KEY_BYTES[suite];
  if (bytes.length !== size) throw new RangeError(`an SDES key of ${suite} has ${size} octets`);
  const keyBytes = size - MASTER_SALT_BYTES;
  const masterKey = bytes.subarray(0, keyBytes);
  const masterSalt = bytes.subarray(keyBytes);
  const [cipher, authentication, salt] = LABELS[use];
  return {
    cipherKey: derive(masterKey, masterSalt, cipher, keyBytes),
    authenticationKey: derive(masterKey, masterSalt, authentication, AUTHENTICATION_KEY_BYTES),
    salt: derive(masterKey, masterSalt, salt, MASTER_SALT_BYTES),
  };
}

/** RFC 3711 4.3.3, RFC 6188 3. Exported for the RFC's test vectors. */
export function derive(
  masterKey: Uint8Array,
  masterSalt: Uint8Array,
  label: number,
  bytes: number,
): Uint8Array {
  const counter = new Uint8Array(16);
  counter.set(masterSalt);
  counter[LABEL_OFFSET] = (counter[LABEL_OFFSET] ?? 0) ^ label;
  return createCipheriv(`aes-${masterKey.length * 8}-ctr`, masterKey, counter).update(
    new Uint8Array(bytes),
  );
}
