/**
 * Stores the headers of one call's RTP and RTCP packets during the call (core/packet-headers.ts):
 * the first 1,000 and the last 4,000, in 100 KB allocated once. A packet needs no allocation. For
 * datagrams that are neither RTP nor RTCP, only time, length and addresses are stored.
 */
import type { Clock } from "../../core/clock.ts";
import {
  HEADER_OFFSET,
  OUT_BIT,
  type PacketHeaders,
  type PacketPath,
  RECORD_BYTES,
  RTCP_BYTES_KEPT,
  RTP_BYTES_KEPT,
  TICKS_PER_MS,
} from "../../core/packet-headers.ts";
import { looksLikeRtcp, writeUint16, writeUint32 } from "./packet.ts";

const FIRST_PACKETS = 1_000;
const LAST_PACKETS = 4_000;
/**
 * Packets over further paths are not stored, so that a sender with ever new ports uses no memory.
 */
const PATHS_MAX = OUT_BIT;
const VERSION = 2;

export class HeaderCapture {
  readonly #records = new Uint8Array((FIRST_PACKETS + LAST_PACKETS) * RECORD_BYTES);
  readonly #paths: PacketPath[] = [];
  readonly #startedAtMs: number;
  readonly #startedAtMonotonicMs: number;
  /** The path of the last packet. */
  #path = 0;
  #count = 0;

  constructor(
    private readonly localHost: string,
    private readonly clock: Clock,
  ) {
    this.#startedAtMs = clock.now();
    this.#startedAtMonotonicMs = clock.monotonic();
  }

  /** A datagram from `host` and `port` to `localPort`, or in the other direction. */
  note(
    direction: "in" | "out",
    localPort: number,
    datagram: Uint8Array,
    host: string,
    port: number,
    atMs = this.clock.monotonic(),
  ): void {
    const path = this.#pathOf(localPort, host, port);
    if (path === PATHS_MAX) return;
    const records = this.#records;
    const at = this.#slot() * RECORD_BYTES;
    const sinceStartMs = atMs - this.#startedAtMonotonicMs;
    const kept = Math.min(headerBytesOf(datagram), datagram.length);
    writeUint32(records, at, sinceStartMs * TICKS_PER_MS);
    writeUint16(records, at + 4, datagram.length);
    records[at + 6] = direction === "out" ? path | OUT_BIT : path;
    records[at + 7] = kept;
    for (let byte = 0; byte < kept; byte++) {
      records[at + HEADER_OFFSET + byte] = datagram[byte] ?? 0;
    }
    this.#count++;
  }

  /** A copy, in the order of the packets. */
  read(): PacketHeaders {
    const first = this.#records.subarray(0, FIRST_PACKETS * RECORD_BYTES);
    const last = this.#records.subarray(first.length);
    const isFull = this.#count > FIRST_PACKETS + LAST_PACKETS;
    const oldest = isFull ? ((this.#count - FIRST_PACKETS) % LAST_PACKETS) * RECORD_BYTES : 0;
    const bytes = Math.min(this.#count * RECORD_BYTES, this.#records.length);
    const records = new Uint8Array(this.#records.length);
    records.set(first);
    records.set(last.subarray(oldest), first.length);
    records.set(last.subarray(0, oldest), first.length + last.length - oldest);
    return {
      startedAtMs: this.#startedAtMs,
      localHost: this.localHost,
      paths: [...this.#paths],
      records: records.slice(0, bytes),
    };
  }

  #slot(): number {
    if (this.#count < FIRST_PACKETS) return this.#count;
    return FIRST_PACKETS + ((this.#count - FIRST_PACKETS) % LAST_PACKETS);
  }

  /** `PATHS_MAX` if there are too many. */
  #pathOf(localPort: number, host: string, port: number): number {
    if (isOver(this.#paths[this.#path], localPort, host, port)) return this.#path;
    let path = this.#paths.findIndex((known) => isOver(known, localPort, host, port));
    if (path === -1) {
      if (this.#paths.length === PATHS_MAX) return PATHS_MAX;
      path = this.#paths.push({ localPort, host, port }) - 1;
    }
    this.#path = path;
    return path;
  }
}

const isOver = (path: PacketPath | undefined, localPort: number, host: string, port: number) =>
  path?.port === port && path.localPort === localPort && path.host === host;

function headerBytesOf(datagram: Uint8Array): number {
  if ((datagram[0] ?? 0) >> 6 !== VERSION) return 0;
  return looksLikeRtcp(datagram) ? RTCP_BYTES_KEPT : RTP_BYTES_KEPT;
}
