/**
 * STUN binding messages (RFC 8489 5, 14.1, 14.2, 14.7). Pure. Never throws on network input;
 * returns undefined for anything that is not a binding response.
 */
import type { Address } from "../transport/flow.ts";

export const TRANSACTION_ID_BYTES = 12;
export const STUN_PORT = 3478;

const MAGIC_COOKIE = 0x2112a442;
const HEADER_BYTES = 20;
const BINDING_REQUEST = 0x0001;
const BINDING_SUCCESS = 0x0101;
const BINDING_ERROR = 0x0111;
const MAPPED_ADDRESS = 0x0001;
const XOR_MAPPED_ADDRESS = 0x0020;
const FINGERPRINT = 0x8028;
const FINGERPRINT_XOR = 0x5354554e;
const MESSAGE_BYTES_MAX = 1500;

interface BindingAnswer {
  readonly transactionId: Buffer;
  /** Our address as the server saw it; null if it responded with an error. */
  readonly mapped: Address | null;
}

/** True if the bytes are STUN: the first two bits and the magic cookie match (RFC 8489 6.3). */
export function isStun(bytes: Uint8Array): boolean {
  if (bytes.byteLength < HEADER_BYTES || bytes.byteLength > MESSAGE_BYTES_MAX) return false;
  if (((bytes[0] ?? 0xff) & 0xc0) !== 0) return false;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(4) === MAGIC_COOKIE;
}

export function buildBindingRequest(transactionId: Uint8Array): Buffer {
  const message = Buffer.alloc(HEADER_BYTES);
  message.writeUInt16BE(BINDING_REQUEST, 0);
  message.writeUInt32BE(MAGIC_COOKIE, 4);
  message.set(transactionId.subarray(0, TRANSACTION_ID_BYTES), 8);
  return message;
}

/** Undefined: not a well-formed response to a binding request. */
export function parseBindingAnswer(bytes: Uint8Array): BindingAnswer | undefined {
  if (!isStun(bytes)) return undefined;
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = message.readUInt16BE(0);
  const length = message.readUInt16BE(2);
  if (length % 4 !== 0 || HEADER_BYTES + length !== message.length) return undefined;
  const transactionId = message.subarray(8, HEADER_BYTES);
  if (type === BINDING_ERROR) return { transactionId, mapped: null };
  if (type !== BINDING_SUCCESS) return undefined;
  const attributes = readAttributes(message);
  if (!attributes) return undefined;
  const xored = attributes.get(XOR_MAPPED_ADDRESS);
  const plain = attributes.get(MAPPED_ADDRESS);
  const mapped = xored ? readAddress(unmasked(xored, message)) : plain && readAddress(plain);
  return mapped ? { transactionId, mapped } : undefined;
}

/**
 * The first attribute of each type; undefined if one exceeds the message or the checksum is wrong.
 */
function readAttributes(message: Buffer): Map<number, Buffer> | undefined {
  const attributes = new Map<number, Buffer>();
  for (let at = HEADER_BYTES; at < message.length; ) {
    if (at + 4 > message.length) return undefined;
    const type = message.readUInt16BE(at);
    const length = message.readUInt16BE(at + 2);
    const end = at + 4 + length;
    if (end > message.length) return undefined;
    if (type === FINGERPRINT && !isIntact(message, at, length)) return undefined;
    if (!attributes.has(type)) attributes.set(type, message.subarray(at + 4, end));
    at = end + ((4 - (length % 4)) % 4);
  }
  return attributes;
}

function isIntact(message: Buffer, at: number, length: number): boolean {
  if (length !== 4) return false;
  const expected = (Bun.hash.crc32(message.subarray(0, at)) ^ FINGERPRINT_XOR) >>> 0;
  return message.readUInt32BE(at + 4) === expected;
}

/**
 * XOR-MAPPED-ADDRESS to MAPPED-ADDRESS: port and address are masked with cookie and transaction id.
 */
function unmasked(value: Buffer, message: Buffer): Buffer {
  const plain = Buffer.from(value);
  for (let at = 2; at < plain.length; at++) {
    const mask = at < 4 ? message[4 + at - 2] : message[4 + at - 4];
    plain[at] = (plain[at] ?? 0) ^ (mask ?? 0);
  }
  return plain;
}

function readAddress(value: Buffer): Address | undefined {
  const family = value[1];
  const port = value.length >= 4 ? value.readUInt16BE(2) : 0;
  if (port === 0) return undefined;
  if (family === 1 && value.length === 8) return { host: value.subarray(4).join("."), port };
  if (family !== 2 || value.length !== 20) return undefined;
  const words = Array.from({ length: 8 }, (_, word) => value.readUInt16BE(4 + 2 * word));
  return { host: shortened(words), port };
}

/** RFC 5952: the longest run of zeros becomes `::`. */
function shortened(words: readonly number[]): string {
  const text = words.map((word) => word.toString(16)).join(":");
  const runs = [...text.matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)].map(([run]) => run);
  const longest = runs.sort((a, b) => b.length - a.length)[0];
  if (longest === undefined) return text;
  return text.replace(longest, "::").replace(/:{3,}/, "::");
}
