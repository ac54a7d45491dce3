/**
 * Writes RTP packets with CSRC, header extension and padding (RFC 3550 5.1, 5.3.1), which the
 * appliance never sends.
 */
import {
  RTP_HEADER_BYTES,
  type RtpHeader,
  writeRtpHeader,
  writeUint16,
  writeUint32,
} from "../../../src/media/rtp/packet.ts";

/** A complete packet in new memory, with the optional parts. */
export function buildRtpPacket(
  header: RtpHeader,
  payload: Uint8Array,
  optional: {
    readonly csrc?: readonly number[];
    readonly extension?: { readonly profile: number; readonly data: Uint8Array };
    readonly paddingBytes?: number;
  } = {},
): Uint8Array {
  const csrc = optional.csrc ?? [];
  const extensionWords = optional.extension ? Math.ceil(optional.extension.data.length / 4) : 0;
  const extensionBytes = optional.extension ? 4 + extensionWords * 4 : 0;
  const paddingBytes = optional.paddingBytes ?? 0;
  const payloadOffset = RTP_HEADER_BYTES + csrc.length * 4 + extensionBytes;
  const packet = new Uint8Array(payloadOffset + payload.length + paddingBytes);
  writeRtpHeader(packet, header);
  packet[0] = 0x80 | (paddingBytes > 0 ? 0x20 : 0) | (extensionBytes > 0 ? 0x10 : 0);
  packet[0] |= csrc.length & 0x0f;
  csrc.forEach((source, index) => {
    writeUint32(packet, RTP_HEADER_BYTES + index * 4, source);
  });
  if (optional.extension) {
    const offset = RTP_HEADER_BYTES + csrc.length * 4;
    writeUint16(packet, offset, optional.extension.profile);
    writeUint16(packet, offset + 2, extensionWords);
    packet.set(optional.extension.data, offset + 4);
  }
  packet.set(payload, payloadOffset);
  if (paddingBytes > 0) packet[packet.length - 1] = paddingBytes;
  return packet;
}
