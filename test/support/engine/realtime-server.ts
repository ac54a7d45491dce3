/**
 * A server with OpenAI's Realtime protocol over a real WebSocket, according to its public
 * reference: GA or beta names, G.711 or PCM, also transcription sessions. Tests script what it
 * recognises, answers, and how it fails. Events that a GA client may not send are rejected and
 * listed in `violations`.
 */
import type { Server, ServerWebSocket } from "bun";
import { createResponses } from "./realtime-responses.ts";
import { problemOf } from "./realtime-rules.ts";
import { defaultScript, type Refusal } from "./realtime-script.ts";
import {
  createWire,
  defaultSession,
  type Frame,
  formatOf,
  type Peer,
  toPcm,
  updated,
} from "./realtime-wire.ts";

const END_SILENCE_MS = 300;
const LOUD = 700;
const FRAME_SAMPLES = 160;

export function realtimeServer(hostname = "127.0.0.1") {
  const received: Frame[] = [];
  const headers: Headers[] = [];
  const violations: string[] = [];
  const peers = new Set<ServerWebSocket<Peer>>();
  const script = defaultScript();
  const wire = createWire(script);
  const { send, newId } = wire;
  const respond = createResponses(script, wire);

  function detects({ session }: Peer): boolean {
    const audio = session.audio as { input?: { turn_detection?: unknown } } | undefined;
    return Boolean(audio?.input?.turn_detection ?? session.turn_detection);
  }

  /** Checks each frame, because queued audio arrives as one block. */
  function hasEnded(peer: Peer, pcm: Int16Array): boolean {
    for (let at = 0; at < pcm.length; at += FRAME_SAMPLES) {
      const frame = pcm.subarray(at, at + FRAME_SAMPLES);
      const isLoud = frame.some((sample) => Math.abs(sample) > LOUD);
      const ms = frame.length / 8;
      peer.speechMs += isLoud ? ms : 0;
      peer.silentMs = isLoud ? 0 : peer.silentMs + ms;
    }
    return peer.speechMs > 100 && peer.silentMs >= END_SILENCE_MS;
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
    if (!detects(peer) || !hasEnded(peer, pcm)) return;
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
    const text = script.recognises.shift() ?? "";
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

  function refuse(ws: ServerWebSocket<Peer>, frame: Frame, refusal: Refusal): void {
    const error = { type: "invalid_request_error", event_id: frame.event_id ?? null, ...refusal };
    send(ws, { type: "error", error });
  }

  function update(ws: ServerWebSocket<Peer>, frame: Frame): void {
    const peer = ws.data;
    const session = frame.session as Record<string, unknown>;
    const refusal = script.refuseUpdate(session);
    if (refusal) {
      refuse(ws, frame, refusal);
      return;
    }
    const output = (session.audio as { output?: { voice?: unknown } } | undefined)?.output;
    if (peer.hasSpoken && output?.voice !== undefined) {
      violations.push("voice after audio");
      const message = "Cannot update a conversation's voice if assistant audio is present.";
      refuse(ws, frame, { code: "cannot_update_voice", message, param: "session.voice" });
      return;
    }
    if (script.updates === "ignored") return;
    if (script.updates !== "as_they_were") peer.session = updated(peer.session, session);
    const told =
      script.updates === "without_formats" ? { type: "realtime", audio: {} } : peer.session;
    send(ws, { type: "session.updated", session: told });
  }

  function truncate(ws: ServerWebSocket<Peer>, frame: Frame): void {
    const item = ws.data.items.find(({ id }) => id === frame.item_id);
    const endMs = Number(frame.audio_end_ms);
    if (item && endMs <= item.audioMs + 1) {
      item.audioMs = endMs;
      send(ws, { ...frame, type: "conversation.item.truncated" });
      return;
    }
    const message = item
      ? `Audio content of ${item.audioMs}ms is already shorter than ${endMs}ms`
      : `Item ${String(frame.item_id)} does not exist`;
    violations.push(message);
    refuse(ws, frame, { code: "invalid_value", message });
  }

  function cancel(ws: ServerWebSocket<Peer>, frame: Frame): void {
    const running = ws.data.running.get(String(frame.response_id)) ?? ws.data.active;
    if (running) running.cancelled = true;
    else
      refuse(ws, frame, {
        code: "response_cancel_not_active",
        message: "Cancellation failed: no active response found",
      });
  }

  function receive(ws: ServerWebSocket<Peer>, frame: Frame): void {
    const peer = ws.data;
    received.push(frame);
    const problem = script.dialect === "ga" ? problemOf(frame) : null;
    if (problem) {
      violations.push(`${frame.type} ${problem.message}`);
      refuse(ws, frame, { code: "invalid_value", ...problem });
      return;
    }
    switch (frame.type) {
      case "session.update":
      case "transcription_session.update":
        update(ws, frame);
        break;
      case "input_audio_buffer.append":
        hear(ws, String(frame.audio));
        break;
      case "input_audio_buffer.commit":
        if (peer.input.length < 800) {
          const message = "Error committing input audio buffer: buffer too small.";
          refuse(ws, frame, { code: "input_audio_buffer_commit_empty", message });
        } else commit(ws);
        break;
      case "input_audio_buffer.clear":
        peer.input = [];
        break;
      case "conversation.item.create": {
        const item = frame.item as {
          id?: string;
          type: string;
          role?: string;
          content?: { text?: string }[];
          output?: string;
        };
        const text = item.output ?? item.content?.[0]?.text ?? "";
        peer.items.push({
          id: item.id ?? newId("item"),
          role: item.role ?? item.type,
          text,
          audioMs: 0,
        });
        break;
      }
      case "conversation.item.delete":
        peer.items = peer.items.filter(({ id }) => id !== frame.item_id);
        break;
      case "response.create":
        void respond(ws, frame);
        break;
      case "conversation.item.truncate":
        truncate(ws, frame);
        break;
      case "response.cancel":
        cancel(ws, frame);
        break;
    }
  }

  const server: Server<Peer> = Bun.serve<Peer>({
    hostname,
    port: 0,
    fetch(request, server) {
      if (script.refuse) return new Response("refused", { status: script.refuse });
      headers.push(request.headers);
      const query = new URL(request.url).searchParams;
      const transcriptionOnly = query.get("intent") === "transcription";
      const expiresAt = Math.floor(Date.now() / 1_000) + script.expiresInSec;
      const data: Peer = {
        transcriptionOnly,
        query,
        session: script.dialect === "ga" ? defaultSession(transcriptionOnly, expiresAt) : {},
        input: [],
        partials: 0,
        speechMs: 0,
        silentMs: 0,
        items: [],
        active: null,
        running: new Map(),
        hasSpoken: false,
      };
      return server.upgrade(request, { data }) ? undefined : new Response("no", { status: 400 });
    },
    websocket: {
      open(ws) {
        peers.add(ws);
        if (script.refuse === 0) return;
        const beta = { modalities: ["text", "audio"], input_audio_format: "pcm16" };
        const isBeta = script.dialect === "beta";
        const kind = isBeta && ws.data.transcriptionOnly ? "transcription_session" : "session";
        send(ws, { type: `${kind}.created`, session: isBeta ? beta : ws.data.session });
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
    violations,
    of: (type: string) => received.filter((frame) => frame.type === type),
    /** The conversations of the open connections. */
    conversations: () => [...peers].map((ws) => ws.data.items),
    sessions: () => [...peers].map((ws) => ws.data.session),
    /** Number of active responses on all connections. */
    running: () => [...peers].reduce((sum, ws) => sum + ws.data.running.size, 0),
    queries: () => [...peers].map((ws) => ws.data.query),
    /** Sends an unsolicited frame to every connection. */
    tell(frame: Frame) {
      for (const ws of peers) send(ws, frame);
    },
    /** Closes every connection. */
    drop() {
      for (const ws of peers) ws.terminate();
    },
    close: () => server.stop(true),
  };
}

export type RealtimeServer = ReturnType<typeof realtimeServer>;
