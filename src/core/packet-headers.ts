/**
 * Stored headers of a call's RTP and RTCP packets for the operator's capture file: plain data that
 * can cross threads. One record of fixed size per packet, without its content. SRTP does not
 * encrypt these headers, so no keys are needed.
 *
 * A record, big-endian: time since the start in 0.1 ms (4 bytes), length of the datagram (2),
 * direction and path (1), length of the header (1), header (12).
 */

/** The ports that a packet was sent between. */
export interface PacketPath {
  readonly localPort: number;
  readonly host: string;
  readonly port: number;
}

export interface PacketHeaders {
  /** Epoch ms. */
  readonly startedAtMs: number;
  /** The address that our sockets are bound to; `0.0.0.0` for any. */
  readonly localHost: string;
  readonly paths: readonly PacketPath[];
  readonly records: Uint8Array;
}

export const RECORD_BYTES = 20;
/** The fixed header of RTP (RFC 3550 5.1), without lists of sources and extensions. */
export const RTP_BYTES_KEPT = 12;
/**
 * Type, length and sender of an RTCP packet (RFC 3550 6.4), which SRTCP does not encrypt either.
 */
export const RTCP_BYTES_KEPT = 8;
export const TICKS_PER_MS = 10;
export const OUT_BIT = 0x80;
export const HEADER_OFFSET = 8;

interface KeptPacket {
  /** Epoch ms, with a fraction. */
  readonly atMs: number;
  /** From our side. */
  readonly direction: "in" | "out";
  readonly path: PacketPath;
  /** Bytes of the whole datagram. */
  readonly length: number;
  readonly header: Uint8Array;
}

export function packetsOf({ startedAtMs, paths, records }: PacketHeaders): KeptPacket[] {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength);
  const packets: KeptPacket[] = [];
  for (let at = 0; at + RECORD_BYTES <= records.length; at += RECORD_BYTES) {
    const route = view.getUint8(at + 6);
    const path = paths[route & ~OUT_BIT];
    if (!path) continue;
    const header = at + HEADER_OFFSET;
    packets.push({
      atMs: startedAtMs + view.getUint32(at) / TICKS_PER_MS,
      direction: (route & OUT_BIT) === 0 ? "in" : "out",
      path,
      length: view.getUint16(at + 4),
      header: records.subarray(header, header + view.getUint8(at + 7)),
    });
  }
  return packets;
}

/** Joins both: the times of `further` count from the start of `first`. */
export function joinedHeaders(
  first: PacketHeaders | null,
  further: PacketHeaders | null,
): PacketHeaders | null {
  if (!first || !further) return first ?? further;
  const records = further.records.slice();
  const view = new DataView(records.buffer);
  const later = (further.startedAtMs - first.startedAtMs) * TICKS_PER_MS;
  for (let at = 0; at + RECORD_BYTES <= records.length; at += RECORD_BYTES) {
    const route = view.getUint8(at + 6);
    // A path beyond the last has no entry, and `packetsOf` skips its packets.
    const path = Math.min((route & ~OUT_BIT) + first.paths.length, OUT_BIT - 1);
    view.setUint32(at, Math.max(0, view.getUint32(at) + later));
    view.setUint8(at + 6, path | (route & OUT_BIT));
  }
  return {
    ...first,
    paths: [...first.paths, ...further.paths].slice(0, OUT_BIT - 1),
    records: Buffer.concat([first.records, records]),
  };
}
