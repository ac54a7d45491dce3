/**
 * Realtime sockets of self-hosted servers, as far as transcription uses them, from their sources:
 * - speaches: speaches-ai/speaches 870e1e16, src/speaches/routers/realtime_ws.py,
 *   realtime/session_event_router.py, realtime/input_audio_buffer_event_router.py,
 *   types/realtime.py
 * - LocalAI: mudler/LocalAI 82c191af, core/http/endpoints/openai/realtime.go
 * Both need the model in the URL, and neither names the event that caused an error.
 */
import type { ServerWebSocket } from "bun";

interface Socket {
  readonly model: string;
  bytes: number;
  isOwnTurns: boolean;
}
type Sent = { readonly type: string; readonly [key: string]: unknown };
type Reply = (event: { readonly type: string; readonly [key: string]: unknown }) => void;

interface SelfHostedSocket {
  /** Body of `session.created`. */
  created(model: string): object;
  receive(event: Sent, socket: Socket, reply: Reply, text: () => string): void;
}

const BYTES_PER_MS = 48;
let items = 0;

const error = (message: string, more: object = {}) => ({
  type: "error",
  error: { type: "invalid_request_error", code: null, message, event_id: null, ...more },
});

/** The beta protocol. Formats and turn detection cannot be set; the server detects turns itself. */
export const speachesSocket: SelfHostedSocket = {
  created: (model) => ({
    id: "sess_1",
    model: "gpt-4o-realtime-preview",
    modalities: ["audio", "text"],
    input_audio_format: "pcm16",
    output_audio_format: "pcm16",
    input_audio_transcription: { model, language: null },
    turn_detection: { type: "server_vad", threshold: 0.9, silence_duration_ms: 550 },
  }),
  receive(event, socket, reply, text) {
    if (event.type === "session.update") {
      const session = event.session as Record<string, unknown>;
      // Its type of a partial session does not allow null for turn detection.
      if (session.turn_detection === null)
        return reply(error("Input should be a valid dictionary"));
      if (session.input_audio_format !== undefined) {
        reply(error("Specifying `session.input_audio_format` is not supported."));
      }
      const transcription = session.input_audio_transcription ?? { model: socket.model };
      const told = { ...speachesSocket.created(socket.model) };
      reply({
        type: "session.updated",
        session: { ...told, input_audio_transcription: transcription },
      });
    } else if (event.type === "input_audio_buffer.append") {
      socket.bytes += Buffer.from(String(event.audio), "base64").length;
    } else if (event.type === "input_audio_buffer.commit") {
      const ms = socket.bytes / BYTES_PER_MS;
      if (ms < 100) return reply(error(`buffer only has ${ms}ms of audio.`));
      write(socket, reply, text());
    } else if (event.type === "input_audio_buffer.clear") socket.bytes = 0;
    else reply(error(`Input tag '${event.type}' found using 'type' does not match`));
  },
};

/** The GA protocol without formats. It detects turns itself until turn detection is turned off. */
export const localAiSocket: SelfHostedSocket = {
  created: (model) => ({
    type: "transcription",
    id: "sess_1",
    object: "realtime.transcription_session",
    audio: { input: { transcription: { model } } },
  }),
  receive(event, socket, reply, text) {
    if (event.type === "session.update") {
      const { audio } = event.session as {
        audio?: { input?: { transcription?: { model?: string }; turn_detection?: unknown } };
      };
      const { model } = audio?.input?.transcription ?? {};
      if (model !== undefined && model !== socket.model) {
        const message = `Failed to update session: model is not a valid pipeline model: ${model}`;
        return reply(error(message, { code: "session_update_error", event_id: "" }));
      }
      if (audio?.input?.turn_detection === null) socket.isOwnTurns = true;
      reply({ type: "session.updated", session: localAiSocket.created(socket.model) });
    } else if (event.type === "input_audio_buffer.append") {
      socket.bytes += Buffer.from(String(event.audio), "base64").length;
    } else if (event.type === "input_audio_buffer.commit") {
      const message = "input_audio_buffer.commit in conjunction with VAD";
      if (!socket.isOwnTurns) return reply(error(message, { code: "not_implemented" }));
      write(socket, reply, text());
    } else if (event.type === "input_audio_buffer.clear") socket.bytes = 0;
  },
};

function write(socket: Socket, reply: Reply, transcript: string): void {
  const item_id = `item_${++items}`;
  socket.bytes = 0;
  reply({ type: "input_audio_buffer.committed", item_id, previous_item_id: null });
  const type = "conversation.item.input_audio_transcription.completed";
  reply({ type, item_id, content_index: 0, transcript });
}

export function selfHostedSocket(behaviour: SelfHostedSocket, hostname: string) {
  const recognises: string[] = [];
  const received: Sent[] = [];
  const queries: URLSearchParams[] = [];
  const peers = new Set<ServerWebSocket<Socket>>();
  const server = Bun.serve<Socket>({
    hostname,
    port: 0,
    fetch(request, server) {
      const query = new URL(request.url).searchParams;
      queries.push(query);
      const model = query.get("model");
      // If a parameter is missing, FastAPI closes the socket before accepting it.
      if (model === null) return new Response(null, { status: 403 });
      const data: Socket = { model, bytes: 0, isOwnTurns: false };
      return server.upgrade(request, { data }) ? undefined : new Response(null, { status: 400 });
    },
    websocket: {
      open(ws) {
        peers.add(ws);
        const session = behaviour.created(ws.data.model);
        ws.send(JSON.stringify({ event_id: "event_1", type: "session.created", session }));
      },
      message(ws, message) {
        const event = JSON.parse(String(message)) as Sent;
        received.push(event);
        const reply: Reply = (told) => ws.send(JSON.stringify({ event_id: "event_2", ...told }));
        behaviour.receive(event, ws.data, reply, () => recognises.shift() ?? "");
      },
      close: (ws) => void peers.delete(ws),
    },
  });
  return {
    url: `ws://${hostname}:${server.port}/v1/realtime`,
    recognises,
    received,
    queries,
    /** Sends an error that refers to no event. */
    complain(message: string) {
      for (const ws of peers) ws.send(JSON.stringify({ event_id: "event_3", ...error(message) }));
    },
    close: () => server.stop(true),
  };
}
