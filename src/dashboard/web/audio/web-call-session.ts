/**
 * A conversation with an agent over the browser's microphone: WebSocket
 * `/api/dashboard/agents/{id}/talk`, PCM16LE in both directions. The caller must `stop` it.
 */
import type { Own } from "../api/client.ts";
import { socketUrl } from "../api/socket.ts";
import type { LiveTurn } from "../live/live.tsx";
import { MICROPHONE_RATE, type Microphone, openMicrophone } from "./microphone.ts";
import { createPcmPlayer, type PcmPlayer } from "./pcm-player.ts";

export type WebCallState =
  | { readonly at: "idle" | "connecting" | "listening" | "speaking" }
  | { readonly at: "ended"; readonly summary: string | null }
  | {
      readonly at: "failed";
      readonly why: "no_microphone" | "lost" | "refused";
      readonly message: string;
    };

export interface ToolUse {
  readonly tool: string;
  readonly ok: boolean;
  readonly duration_ms: number;
}

interface Source {
  readonly filename: string;
  readonly heading: string;
}

interface WebCallListener {
  onState(state: WebCallState): void;
  onTurn(turn: LiveTurn): void;
  onTool(use: ToolUse): void;
  /** Receives the knowledge sources of the turn with that index. */
  onSources(index: number, sources: readonly Source[]): void;
}

type WebCallMessage =
  | { readonly type: "ready"; readonly sample_rate: number }
  | { readonly type: "turn"; readonly turn: LiveTurn }
  | { readonly type: "state"; readonly state: "listening" | "speaking" }
  | ({ readonly type: "tool" } & ToolUse)
  | { readonly type: "sources"; readonly index: number; readonly sources: readonly Source[] }
  | { readonly type: "clear" }
  | { readonly type: "ended"; readonly summary: string | null }
  | { readonly type: "error"; readonly message: string };

const FRAMES_WAITING_BYTES_MAX = 64_000;

/** Opens the microphone, then the socket; `stop` ends the call at any time. */
export function startWebCall(
  agentId: number,
  draft: Own["AgentDraft"],
  listener: WebCallListener,
): { stop(): void; press(digit: string): void } {
  const call = new WebCall(draft, listener);
  void call.begin(agentId);
  return call;
}

class WebCall {
  readonly #listener: WebCallListener;
  #microphone: Microphone | null = null;
  #player: PcmPlayer | null = null;
  #socket: WebSocket | null = null;
  #over = false;

  readonly #draft: Own["AgentDraft"];

  constructor(draft: Own["AgentDraft"], listener: WebCallListener) {
    this.#draft = draft;
    this.#listener = listener;
  }

  press(digit: string): void {
    if (this.#socket?.readyState === WebSocket.OPEN)
      this.#socket.send(JSON.stringify({ type: "digit", digit }));
  }

  async begin(agentId: number): Promise<void> {
    this.#listener.onState({ at: "connecting" });
    try {
      this.#microphone = await openMicrophone((frame) => this.#sendFrame(frame));
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : "";
      this.#end({ at: "failed", why: "no_microphone", message });
      return;
    }
    if (this.#over) this.#microphone.stop();
    else this.#connect(agentId);
  }

  stop(): void {
    if (this.#socket?.readyState === WebSocket.OPEN)
      this.#socket.send(JSON.stringify({ type: "stop" }));
    this.#end({ at: "ended", summary: null });
  }

  #connect(agentId: number): void {
    const socket = new WebSocket(socketUrl(`/api/dashboard/agents/${agentId}/talk`));
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () =>
      socket.send(
        JSON.stringify({ type: "start", sample_rate: MICROPHONE_RATE, draft: this.#draft }),
      );
    socket.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) this.#player?.play(data);
      else if (typeof data === "string") this.#onMessage(JSON.parse(data) as WebCallMessage);
    };
    socket.onclose = () => this.#end({ at: "failed", why: "lost", message: "" });
  }

  #sendFrame(frame: ArrayBuffer): void {
    const socket = this.#socket;
    if (this.#player && socket?.readyState === WebSocket.OPEN)
      if (socket.bufferedAmount < FRAMES_WAITING_BYTES_MAX) socket.send(frame);
  }

  #onMessage(message: WebCallMessage): void {
    switch (message.type) {
      case "ready":
        this.#player = createPcmPlayer(message.sample_rate, 1);
        this.#listener.onState({ at: "listening" });
        break;
      case "state":
        this.#listener.onState({ at: message.state });
        break;
      case "turn":
        this.#listener.onTurn(message.turn);
        break;
      case "tool":
        this.#listener.onTool(message);
        break;
      case "sources":
        this.#listener.onSources(message.index, message.sources);
        break;
      case "clear":
        this.#player?.clear();
        break;
      case "ended":
        this.#end({ at: "ended", summary: message.summary });
        break;
      case "error":
        this.#end({ at: "failed", why: "refused", message: message.message });
        break;
    }
  }

  #end(state: WebCallState): void {
    if (this.#over) return;
    this.#over = true;
    this.#microphone?.stop();
    this.#player?.close();
    this.#socket?.close();
    this.#listener.onState(state);
  }
}
