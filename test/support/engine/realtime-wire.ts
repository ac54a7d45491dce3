/** Reads and writes the frames and the audio of OpenAI's Realtime protocol for the test server. */
import type { ServerWebSocket } from "bun";
import { decodeG711, encodeG711 } from "../../../src/platform/audio/g711.ts";
import { createResampler } from "../../../src/platform/audio/resampler.ts";
import type { Item, RealtimeScript } from "./realtime-script.ts";

export interface Frame {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** State of one connection. */
export interface Peer {
  readonly transcriptionOnly: boolean;
  session: Record<string, unknown>;
  input: number[];
  partials: number;
  /** Length of the current speech, for the server's turn detection. */
  speechMs: number;
  silentMs: number;
  items: Item[];
  /** The conversation's active response: at most one. */
  active: RunningResponse | null;
  /** All active responses, including those outside the conversation. */
  readonly running: Map<string, RunningResponse>;
  /** Query of the URL: model and intent. */
  readonly query: URLSearchParams;
  /** True after the first audio; the voice can then not be changed. */
  hasSpoken: boolean;
}

export interface RunningResponse {
  readonly id: string;
  cancelled: boolean;
}

const PCM = { type: "audio/pcm", rate: 24_000 };

/** A session before its first update, according to the public reference. */
export function defaultSession(transcriptionOnly: boolean, expiresAt: number) {
  const input = {
    format: PCM,
    transcription: null,
    noise_reduction: null,
    turn_detection: { type: "server_vad", create_response: true, interrupt_response: true },
  };
  if (transcriptionOnly) return { type: "transcription", audio: { input }, expires_at: expiresAt };
  const output = { format: PCM, voice: "alloy", speed: 1 };
  return {
    type: "realtime",
    instructions: "Your knowledge cutoff is 2023-10.",
    tools: [],
    output_modalities: ["audio"],
    audio: { input, output },
    expires_at: expiresAt,
  };
}

/**
 * Changes only the fields of the update. Formats, voices and similar values are replaced as a
 * whole.
 */
export function updated(
  session: Record<string, unknown>,
  update: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...session };
  for (const [key, value] of Object.entries(update)) {
    const before = merged[key];
    const isPart = ["audio", "input", "output", "transcription"].includes(key);
    merged[key] =
      isPart && value !== null && typeof value === "object" && typeof before === "object"
        ? updated((before ?? {}) as Record<string, unknown>, value as Record<string, unknown>)
        : value;
  }
  return merged;
}

/** Writer of frames for connections. */
export interface Wire {
  send(ws: ServerWebSocket<Peer>, frame: Frame): void;
  newId(kind: string): string;
}

const BETA: Readonly<Record<string, string>> = {
  "response.output_audio.delta": "response.audio.delta",
  "response.output_audio_transcript.delta": "response.audio_transcript.delta",
  "response.output_text.delta": "response.text.delta",
  "conversation.item.added": "conversation.item.created",
};

/** Uses the names of the script's dialect. */
export function createWire(script: Pick<RealtimeScript, "dialect">): Wire {
  let ids = 0;
  const newId = (kind: string) => `${kind}_${++ids}`;
  return {
    newId,
    send(ws, frame) {
      const type = script.dialect === "beta" ? (BETA[frame.type] ?? frame.type) : frame.type;
      ws.send(JSON.stringify({ event_id: newId("event"), ...frame, type }));
    },
  };
}

/** Input format of a session, which the output also uses: PCMA, PCMU or pcm (24 kHz). */
export function formatOf({ session }: Peer): string {
  const audio = session.audio as { input?: { format?: { type?: string } } } | undefined;
  const format = audio?.input?.format?.type ?? session.input_audio_format;
  if (format === "audio/pcma" || format === "g711_alaw") return "PCMA";
  if (format === "audio/pcmu" || format === "g711_ulaw") return "PCMU";
  return "pcm";
}

/** Returns 8 kHz audio. */
export function toPcm(format: string, bytes: Uint8Array): Int16Array {
  if (format === "pcm") {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return Int16Array.from({ length: Math.floor(bytes.length / 6) }, (_, index) =>
      view.getInt16(index * 6, true),
    );
  }
  const pcm = new Int16Array(bytes.length);
  decodeG711(format as "PCMA" | "PCMU", bytes, pcm);
  return pcm;
}

/** `pcm`: 8 kHz. Returns base64. */
export function fromPcm(format: string, pcm: Int16Array): string {
  if (format === "pcm") {
    const wide = createResampler(8_000, 24_000).process(pcm);
    return Buffer.from(wide.buffer, wide.byteOffset, wide.byteLength).toString("base64");
  }
  const octets = new Uint8Array(pcm.length);
  encodeG711(format as "PCMA" | "PCMU", pcm, octets);
  return Buffer.from(octets.buffer).toString("base64");
}
