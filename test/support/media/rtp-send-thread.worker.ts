/**
 * Opens sockets at the given ports and sends through a send thread continuously, until it is
 * terminated.
 */

import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { openBatchUdpSocket } from "../../../src/media/rtp/batch-udp-socket.ts";
import {
  type RtpSendThreadHandle,
  startRtpSendThread,
} from "../../../src/media/rtp/rtp-send-thread.ts";

declare const self: Worker;

export interface DepartingOrder {
  readonly handle: RtpSendThreadHandle;
  readonly host: string;
  readonly ports: readonly number[];
  readonly to: number;
}

/** Packets per turn of the event loop: many, so that termination mostly happens during a turn. */
const AT_ONCE = 2_000;

self.onmessage = ({ data }: MessageEvent<DepartingOrder>) => {
  const { handle, host, ports, to } = data;
  const sendThread = startRtpSendThread(handle, systemClock, silentLog);
  if (!sendThread) throw new Error("this is for Linux with glibc");
  const open = (port: number) => openBatchUdpSocket(host, port, sendThread);
  const [changing = 0, ...lasting] = ports;
  const sockets = lasting.map(open);
  self.postMessage("sending");
  setInterval(() => {
    for (let n = 0; n < AT_ONCE; n++) {
      const slotMs = systemClock.monotonic() + 5;
      for (const socket of sockets) socket?.send(new Uint8Array(172), host, to, slotMs);
      try {
        open(changing)?.close();
      } catch {
        // The previous socket on this port is not closed yet.
      }
    }
  });
};
