/**
 * A conversation with an agent over the browser's microphone: WebSocket
 * `/api/dashboard/agents/{id}/talk`, PCM16LE both ways. Its owner must `stop` it.
 */
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

interface WebCallListener {
  onState(state: WebCallState): void;
  onTurn(turn: LiveTurn): void;
  onTool(use: ToolUse): void;
}

type WebCallMessage =
  | { readonly type: "ready"; readonly sample_rate: number }
  | { readonly type: "turn"; readonly turn: LiveTurn }
  | { readonly type: "state"; readonly state: "listening" | "speaking" }
  | ({ readonly type: "tool" } & ToolUse)
  | { readonly type: "clear" }
  | { readonly type: "ended"; readonly summary: string | null }
  | { readonly type: "error"; readonly message: string };

const FRAMES_WAITING_BYTES_MAX = 64_000;

export function startWebCall(agentId: number, listener: WebCallListener): { stop(): void } {
  let microphone: Microphone | null = null;
  let player: PcmPlayer | null = null;
  let socket: WebSocket | null = null;
  let over = false;

  function end(state: WebCallState | null): void {
    if (over) return;
    over = true;
    microphone?.stop();
    player?.close();
    socket?.close();
    if (state) listener.onState(state);
  }

  function onFrame(frame: ArrayBuffer): void {
    if (player && socket?.readyState === WebSocket.OPEN)
      if (socket.bufferedAmount < FRAMES_WAITING_BYTES_MAX) socket.send(frame);
  }

  function onMessage(message: WebCallMessage): void {
    switch (message.type) {
      case "ready":
        player = createPcmPlayer(message.sample_rate, 1);
        listener.onState({ at: "listening" });
        break;
      case "state":
        listener.onState({ at: message.state });
        break;
      case "turn":
        listener.onTurn(message.turn);
        break;
      case "tool":
        listener.onTool(message);
        break;
      case "clear":
        player?.clear();
        break;
      case "ended":
        end({ at: "ended", summary: message.summary });
        break;
      case "error":
        end({ at: "failed", why: "refused", message: message.message });
        break;
    }
  }

  async function begin(): Promise<void> {
    listener.onState({ at: "connecting" });
    try {
      microphone = await openMicrophone(onFrame);
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : "";
      end({ at: "failed", why: "no_microphone", message });
      return;
    }
    if (over) {
      microphone.stop();
      return;
    }
    socket = new WebSocket(socketUrl(`/api/dashboard/agents/${agentId}/talk`));
    socket.binaryType = "arraybuffer";
    socket.onopen = () =>
      socket?.send(JSON.stringify({ type: "start", sample_rate: MICROPHONE_RATE }));
    socket.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) player?.play(data);
      else if (typeof data === "string") onMessage(JSON.parse(data) as WebCallMessage);
    };
    socket.onclose = () => end({ at: "failed", why: "lost", message: "" });
  }

  void begin();
  return {
    stop() {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "stop" }));
      end({ at: "ended", summary: null });
    },
  };
}
