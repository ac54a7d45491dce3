/**
 * Builds an ID3v2.4 tag (id3.org, "ID3 tag version 2.4.0"): title, date and the call's id. Pure.
 */
export interface RecordingTags {
  readonly title: string;
  readonly callId: string;
  readonly recordedAt: Date;
}

const UTF8 = 3;
const FRAME_HEADER_BYTES = 10;
const TEXT_BYTES_MAX = 1000;

export function id3Tag(tags: RecordingTags): Uint8Array {
  const frames = [
    textFrame("TIT2", tags.title),
    textFrame("TDRC", tags.recordedAt.toISOString().slice(0, 19)),
    textFrame("TXXX", `call_id\0${tags.callId}`),
  ];
  const size = frames.reduce((sum, frame) => sum + frame.length, 0);
  const header = new Uint8Array(FRAME_HEADER_BYTES);
  header.set([0x49, 0x44, 0x33, 4, 0, 0]);
  writeSynchsafe(header, 6, size);
  return Buffer.concat([header, ...frames]);
}

function textFrame(id: string, text: string): Uint8Array {
  const body = new TextEncoder().encode(text).subarray(0, TEXT_BYTES_MAX);
  const frame = new Uint8Array(FRAME_HEADER_BYTES + 1 + body.length);
  frame.set(new TextEncoder().encode(id));
  writeSynchsafe(frame, 4, 1 + body.length);
  frame[FRAME_HEADER_BYTES] = UTF8;
  frame.set(body, FRAME_HEADER_BYTES + 1);
  return frame;
}

/**
 * 28 bits in four octets of seven bits, so that a size never looks like the start of an MPEG frame.
 */
function writeSynchsafe(into: Uint8Array, offset: number, value: number): void {
  for (let index = 0; index < 4; index++) {
    into[offset + index] = (value >>> (7 * (3 - index))) & 0x7f;
  }
}
