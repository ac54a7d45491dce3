/**
 * Opens sockets at the given ports and sends through departures continuously, until it is
 * terminated.
 */

import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { type DeparturesHandle, startDepartures } from "../../../src/media/rtp/departures.ts";
import { openPolledSocket } from "../../../src/media/rtp/polled-socket.ts";

declare const self: Worker;

export interface DepartingOrder {
  readonly handle: DeparturesHandle;
  readonly host: string;
  readonly ports: readonly number[];
  readonly to: number;
}

/** Packets per turn of the event loop: many, so that termination mostly happens during a turn. */
const AT_ONCE = 2_000;

self.onmessage = ({ data }: MessageEvent<DepartingOrder>) => {
  const { handle, host, ports, to } = data;
  const departures = startDepartures(handle, systemClock, silentLog);
  if (!departures) throw new Error("this is for Linux with glibc");
  const open = (port: number) => openPolledSocket(host, port, departures);
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
