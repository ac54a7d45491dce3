/** Listening to a live call: 8 kHz stereo over a WebSocket, caller left, agent right. */
import { useEffect, useRef, useState } from "react";
import { socketUrl } from "../../api/socket.ts";
import { createPcmPlayer, type PcmPlayer } from "../../audio/pcm-player.ts";

const RATE = 8_000;

interface Line {
  readonly socket: WebSocket;
  readonly player: PcmPlayer;
}

type MonitorState = "off" | "connecting" | "listening";

export function useCallMonitor(uuid: string): { state: MonitorState; toggle: () => void } {
  const [state, setState] = useState<MonitorState>("off");
  const line = useRef<Line | null>(null);

  function hangUp(): void {
    line.current?.socket.close();
    line.current?.player.close();
    line.current = null;
    setState("off");
  }

  function open(): void {
    const player = createPcmPlayer(RATE, 2);
    const socket = new WebSocket(socketUrl(`/api/dashboard/calls/${uuid}/listen`));
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event) => {
      if (event.data instanceof ArrayBuffer) player.play(event.data);
    };
    socket.onopen = () => line.current?.socket === socket && setState("listening");
    socket.onclose = () => line.current?.socket === socket && hangUp();
    line.current = { socket, player };
    setState("connecting");
  }

  useEffect(
    () => () => {
      line.current?.socket.close();
      line.current?.player.close();
      line.current = null;
    },
    [],
  );
  return { state, toggle: () => (line.current ? hangUp() : open()) };
}
