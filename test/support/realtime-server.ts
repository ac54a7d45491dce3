/**
 * A server that speaks OpenAI's Realtime protocol over a real WebSocket, as its public reference
 * describes it: GA or beta names, G.711 or PCM, transcription sessions too. What it hears, answers
 * and how it fails is scripted.
 */
import type { Server, ServerWebSocket } from "bun";
import { createResponses } from "./realtime-responses.ts";
import { defaultScript } from "./realtime-script.ts";
import { createWire, type Frame, formatOf, type Peer, toPcm } from "./realtime-wire.ts";

const END_SILENCE_MS = 300;
const LOUD = 700;

export function realtimeServer(hostname = "127.0.0.1") {
  const received: Frame[] = [];
  const headers: Headers[] = [];
  const peers = new Set<ServerWebSocket<Peer>>();
  const script = defaultScript();
  const wire = createWire(script);
  const { send, newId } = wire;
  const respond = createResponses(script, wire);

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
