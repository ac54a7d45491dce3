/**
 * A server that speaks OpenAI's Realtime protocol over a real WebSocket, as its public reference
 * describes it: GA or beta names, G.711 or PCM, transcription sessions too. What it hears, answers
 * and how it fails is scripted.
 */
import type { Server, ServerWebSocket } from "bun";
import { decodeG711, encodeG711 } from "../../src/media/audio/g711.ts";
import { createResampler } from "../../src/media/audio/resampler.ts";

export interface SpokenAnswer {
  readonly text?: string;
  readonly tools?: readonly { readonly name: string; readonly arguments: object | string }[];
}

/** How the next response goes wrong. */
export type ResponseFault =
  /** The socket closes after so many words. */
  | { readonly type: "close"; readonly after: number }
  /** Nothing more comes after so many words. */
  | { readonly type: "stall"; readonly after: number }
  | { readonly type: "failed"; readonly code: string }
  /** Frames that are no events, before an ordinary answer. */
  | { readonly type: "garbage" }
  /** One frame of so many characters. */
  | { readonly type: "huge"; readonly characters: number };

export interface Item {
  readonly id: string;
  readonly role: string;
  text: string;
  readonly audioMs: number;
}

export interface RealtimeScript {
  dialect: "ga" | "beta";
  hears: string[];
  /** What the caller said last, or the output of a tool. */
  answer: (heard: string, items: readonly Item[]) => SpokenAnswer;
  /** What is said when a text is to be read out. */
  readOut: (text: string) => string;
  /** 8 kHz. */
  speech: (text: string) => Promise<Int16Array> | Int16Array;
  faults: ResponseFault[];
  /** Connections are refused with this status; 0: taken, and never a word. */
  refuse: number | null;
  /** Words and calls are told only when they are whole. */
  sparse: boolean;
  /** Words written down while the caller still speaks, one every 300 ms of audio. */
  partials: string[];
  responseDelayMs: number;
  transcriptionDelayMs: number;
  /** Between two words. */
  paceMs: number;
}

interface Frame {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface Peer {
  readonly transcriptionOnly: boolean;
  session: Record<string, unknown>;
  input: number[];
  partials: number;
  /** Of the running speech, for the server's own turn detection. */
  speechMs: number;
  silentMs: number;
  items: Item[];
  active: { id: string; cancelled: boolean } | null;
}

const MS_PER_CHARACTER = 60;
const END_SILENCE_MS = 300;
const LOUD = 700;

export function realtimeServer(hostname = "127.0.0.1") {
  const received: Frame[] = [];
  const headers: Headers[] = [];
  const peers = new Set<ServerWebSocket<Peer>>();
  let ids = 0;
  const script: RealtimeScript = {
    dialect: "ga",
    hears: [],
    answer: () => ({ text: "All right." }),
    readOut: (text) => text,
    speech: (text) => new Int16Array(text.length * MS_PER_CHARACTER * 8).fill(3_000),
    faults: [],
    refuse: null,
    partials: [],
    sparse: false,
    responseDelayMs: 0,
    transcriptionDelayMs: 0,
    paceMs: 0,
  };
  const newId = (kind: string) => `${kind}_${++ids}`;

  function send(ws: ServerWebSocket<Peer>, frame: Frame): void {
    const type = script.dialect === "beta" ? (BETA[frame.type] ?? frame.type) : frame.type;
    ws.send(JSON.stringify({ event_id: newId("event"), ...frame, type }));
  }

  const formatOf = ({ session }: Peer): string => {
    const audio = session.audio as { input?: { format?: { type?: string } } } | undefined;
    const format = audio?.input?.format?.type ?? session.input_audio_format;
    if (format === "audio/pcma" || format === "g711_alaw") return "PCMA";
    if (format === "audio/pcmu" || format === "g711_ulaw") return "PCMU";
    return "pcm";
  };

  function detects({ session }: Peer): boolean {
    const audio = session.audio as { input?: { turn_detection?: unknown } } | undefined;
    return Boolean(audio?.input?.turn_detection ?? session.turn_detection);
  }

  function hear(ws: ServerWebSocket<Peer>, audio: string): void {
    const peer = ws.data;
    const bytes = new Uint8Array(Buffer.from(audio, "base64"));
    const pcm = toPcm(formatOf(peer), bytes);
    peer.input.push(...pcm);
    const word =
      Math.floor(peer.input.length / 2_400) > peer.partials ? script.partials.shift() : undefined;
    if (word !== undefined) {
      peer.partials++;
      const type = "conversation.item.input_audio_transcription.delta";
      send(ws, { type, item_id: "item_running", content_index: 0, delta: word });
    }
    const loud = pcm.some((sample) => Math.abs(sample) > LOUD);
    const ms = pcm.length / 8;
    peer.speechMs += loud ? ms : 0;
    peer.silentMs = loud ? 0 : peer.silentMs + ms;
    const ended = peer.speechMs > 100 && peer.silentMs >= END_SILENCE_MS;
    if (!detects(peer) || !ended) return;
    send(ws, { type: "input_audio_buffer.speech_stopped", audio_end_ms: 0, item_id: "" });
    commit(ws);
  }

  function commit(ws: ServerWebSocket<Peer>): void {
    const peer = ws.data;
    const id = newId("item");
    const audioMs = peer.input.length / 8;
    peer.input = [];
    peer.partials = 0;
    peer.speechMs = 0;
    const text = script.hears.shift() ?? "";
    peer.items.push({ id, role: "user", text, audioMs });
    send(ws, { type: "input_audio_buffer.committed", item_id: id, previous_item_id: null });
    send(ws, { type: "conversation.item.added", item: { id, type: "message", role: "user" } });
    void transcribe(ws, id, text);
  }

  async function transcribe(ws: ServerWebSocket<Peer>, id: string, text: string): Promise<void> {
    if (script.transcriptionDelayMs > 0) await Bun.sleep(script.transcriptionDelayMs);
    const name = "conversation.item.input_audio_transcription";
    const common = { item_id: id, content_index: 0 };
    send(ws, { ...common, type: `${name}.delta`, delta: text });
    send(ws, { ...common, type: `${name}.completed`, transcript: text });
  }

  async function respond(ws: ServerWebSocket<Peer>, frame: Frame): Promise<void> {
    const peer = ws.data;
    const wish = (frame.response ?? {}) as {
      conversation?: string;
      metadata?: object;
      instructions?: string;
      output_modalities?: string[];
    };
    const beside = wish.conversation === "none";
    if (!beside && peer.active) {
      const error = {
        code: "conversation_already_has_active_response",
        message: "busy",
        event_id: frame.event_id,
      };
      send(ws, { type: "error", error });
      return;
    }
    const id = newId("resp");
    const running = { id, cancelled: false };
    if (!beside) peer.active = running;
    send(ws, {
      type: "response.created",
      response: { id, status: "in_progress", metadata: wish.metadata ?? null },
    });
    send(ws, {
      type: "rate_limits.updated",
      rate_limits: [{ name: "tokens", limit: 1000, remaining: 900, reset_seconds: 1 }],
    });
    if (script.responseDelayMs > 0) await Bun.sleep(script.responseDelayMs);
    const fault = beside ? undefined : script.faults.shift();
    const said = beside
      ? { text: besideText(wish.instructions ?? "") }
      : script.answer(peer.items.at(-1)?.text ?? "", peer.items);
    if (fault?.type === "garbage") for (const junk of ["{", "[]", '{"no":"type"}']) ws.send(junk);
    if (fault?.type === "huge") ws.send("x".repeat(fault.characters));
    if (fault?.type === "failed") {
      finish(ws, running, {
        status: "failed",
        status_details: {
          type: "failed",
          error: { type: "server_error", code: fault.code, message: fault.code },
        },
      });
      return;
    }
    const stalled = await speak(ws, running, said, fault, beside, wish.output_modalities);
    if (stalled) return;
    const output = (said.tools ?? []).map(({ name, arguments: args }) =>
      callTool(ws, id, name, args),
    );
    finish(
      ws,
      running,
      running.cancelled
        ? { status: "cancelled", status_details: { type: "cancelled", reason: "client_cancelled" } }
        : { status: "completed", output },
    );
  }

  function besideText(instructions: string): string {
    const quoted = /Text: (".*")$/s.exec(instructions)?.[1];
    return quoted ? script.readOut(JSON.parse(quoted) as string) : "A short summary of the call.";
  }

  /** Whether nothing more comes. */
  async function speak(
    ws: ServerWebSocket<Peer>,
    running: { id: string; cancelled: boolean },
    { text = "" }: SpokenAnswer,
    fault: ResponseFault | undefined,
    beside: boolean,
    modalities: string[] | undefined,
  ): Promise<boolean> {
    if (text === "") return false;
    const itemId = newId("item");
    const common = { response_id: running.id, item_id: itemId, output_index: 0, content_index: 0 };
    const item: Item = { id: itemId, role: "assistant", text: "", audioMs: 0 };
    if (!beside) ws.data.items.push(item);
    send(ws, {
      ...common,
      type: "response.output_item.added",
      item: { id: itemId, type: "message", role: "assistant" },
    });
    const words = text.split(/(?<= )/);
    const audio = modalities?.includes("text") ? null : await script.speech(text);
    for (const [index, word] of words.entries()) {
      if (running.cancelled) break;
      if (fault && "after" in fault && index >= fault.after) {
        if (fault.type === "close") ws.terminate();
        return true;
      }
      const name = audio ? "response.output_audio_transcript.delta" : "response.output_text.delta";
      if (!script.sparse) send(ws, { ...common, type: name, delta: word });
      item.text += word;
      if (audio) {
        const from = Math.round((audio.length * index) / words.length);
        const to = Math.round((audio.length * (index + 1)) / words.length);
        const delta = fromPcm(formatOf(ws.data), audio.subarray(from, to));
        send(ws, { ...common, type: "response.output_audio.delta", delta });
      }
      if (script.paceMs > 0) await Bun.sleep(script.paceMs);
    }
    const type = "response.output_audio_transcript.done";
    if (!running.cancelled) send(ws, { ...common, type, transcript: item.text });
    return false;
  }

  function callTool(
    ws: ServerWebSocket<Peer>,
    responseId: string,
    name: string,
    args: object | string,
  ): object {
    const item = {
      id: newId("item"),
      type: "function_call",
      call_id: newId("call"),
      name,
      arguments: typeof args === "string" ? args : JSON.stringify(args),
    };
    if (script.sparse) return item;
    send(ws, {
      type: "response.output_item.added",
      response_id: responseId,
      item: { ...item, arguments: "" },
    });
    send(ws, {
      type: "response.function_call_arguments.done",
      response_id: responseId,
      item_id: item.id,
      arguments: item.arguments,
    });
    send(ws, { type: "response.output_item.done", response_id: responseId, item });
    return item;
  }

  function finish(ws: ServerWebSocket<Peer>, running: { id: string }, how: object): void {
    const usage = { total_tokens: 30, input_tokens: 20, output_tokens: 10 };
    if (ws.data.active === running) ws.data.active = null;
    send(ws, { type: "response.done", response: { id: running.id, output: [], ...how, usage } });
  }

  function receive(ws: ServerWebSocket<Peer>, frame: Frame): void {
    const peer = ws.data;
    received.push(frame);
    switch (frame.type) {
      case "session.update":
      case "transcription_session.update":
        peer.session = { ...peer.session, ...(frame.session as object) };
        send(ws, { type: "session.updated", session: peer.session });
        break;
      case "input_audio_buffer.append":
        hear(ws, String(frame.audio));
        break;
      case "input_audio_buffer.commit":
        if (peer.input.length < 800) {
          send(ws, {
            type: "error",
            error: { code: "input_audio_buffer_commit_empty", message: "buffer too small" },
          });
        } else commit(ws);
        break;
      case "input_audio_buffer.clear":
        peer.input = [];
        break;
      case "conversation.item.create": {
        const item = frame.item as {
          type: string;
          role?: string;
          content?: { text?: string }[];
          output?: string;
        };
        const text = item.output ?? item.content?.[0]?.text ?? "";
        peer.items.push({ id: newId("item"), role: item.role ?? item.type, text, audioMs: 0 });
        break;
      }
      case "conversation.item.delete":
        peer.items = peer.items.filter(({ id }) => id !== frame.item_id);
        break;
      case "response.create":
        void respond(ws, frame);
        break;
      case "response.cancel":
        if (peer.active) peer.active.cancelled = true;
        else
          send(ws, {
            type: "error",
            error: { code: "response_cancel_not_active", message: "nothing to cancel" },
          });
        break;
    }
  }

  const server: Server<Peer> = Bun.serve<Peer>({
    hostname,
    port: 0,
    fetch(request, server) {
      if (script.refuse) return new Response("refused", { status: script.refuse });
      headers.push(request.headers);
      const transcriptionOnly = new URL(request.url).searchParams.get("intent") === "transcription";
      const data: Peer = {
        transcriptionOnly,
        session: {},
        input: [],
        partials: 0,
        speechMs: 0,
        silentMs: 0,
        items: [],
        active: null,
      };
      return server.upgrade(request, { data }) ? undefined : new Response("no", { status: 400 });
    },
    websocket: {
      open(ws) {
        peers.add(ws);
        if (script.refuse === 0) return;
        const beta = { modalities: ["text", "audio"], input_audio_format: "pcm16" };
        const ga = { type: ws.data.transcriptionOnly ? "transcription" : "realtime", audio: {} };
        send(ws, { type: "session.created", session: script.dialect === "beta" ? beta : ga });
      },
      message: (ws, message) => receive(ws, JSON.parse(String(message)) as Frame),
      close: (ws) => void peers.delete(ws),
    },
  });

  return {
    url: `ws://${hostname}:${server.port}/v1/realtime`,
    script,
    received,
    headers,
    of: (type: string) => received.filter((frame) => frame.type === type),
    /** The conversations of the open connections. */
    conversations: () => [...peers].map((ws) => ws.data.items),
    sessions: () => [...peers].map((ws) => ws.data.session),
    /** Cuts every connection. */
    drop() {
      for (const ws of peers) ws.terminate();
    },
    close: () => server.stop(true),
  };
}

export type RealtimeServer = ReturnType<typeof realtimeServer>;

const BETA: Readonly<Record<string, string>> = {
  "response.output_audio.delta": "response.audio.delta",
  "response.output_audio_transcript.delta": "response.audio_transcript.delta",
  "response.output_text.delta": "response.text.delta",
  "conversation.item.added": "conversation.item.created",
};

/** 8 kHz. */
function toPcm(format: string, bytes: Uint8Array): Int16Array {
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

function fromPcm(format: string, pcm: Int16Array): string {
  if (format === "pcm") {
    const wide = createResampler(8_000, 24_000).process(pcm);
    return Buffer.from(wide.buffer, wide.byteOffset, wide.byteLength).toString("base64");
  }
  const octets = new Uint8Array(pcm.length);
  encodeG711(format as "PCMA" | "PCMU", pcm, octets);
  return Buffer.from(octets.buffer).toString("base64");
}
