/** A TCP relay before a server: makes each round trip longer, resets connections, falls silent. */
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

export interface DelayingRelay {
  readonly port: number;
  /** Requests of HTTP clients that have passed. */
  readonly requests: number;
  /** Added to each round trip, half of it each way. */
  delayMs: number;
  /** While true nothing passes, and nobody is told. */
  isSilent: boolean;
  /** Resets every connection. */
  cut(): void;
  close(): void;
}

const REQUEST = "POST /";

export async function startDelayingRelay(
  upstream: { readonly host: string; readonly port: number },
  host = "127.0.0.1",
): Promise<DelayingRelay> {
  const open = new Set<Socket>();
  const relay = { port: 0, requests: 0, delayMs: 0, isSilent: false, cut, close };

  /** In order: timers of the same length end in the order in which they were set. */
  function pass(to: Socket, bytes: Buffer): void {
    if (relay.isSilent) return;
    const send = () => void (to.writable && to.write(bytes));
    if (relay.delayMs > 0) setTimeout(send, relay.delayMs / 2);
    else send();
  }

  function join(from: Socket, to: Socket, look: (bytes: Buffer) => void): void {
    open.add(from);
    from.setNoDelay(true);
    from.on("data", (bytes: Buffer) => {
      look(bytes);
      pass(to, bytes);
    });
    from.on("error", () => to.destroy());
    from.on("close", () => {
      open.delete(from);
      if (!relay.isSilent) to.destroy();
    });
  }

  function cut(): void {
    for (const socket of open) socket.resetAndDestroy();
  }

  const server = createServer((client) => {
    const far = createConnection(upstream);
    join(client, far, (bytes) => {
      if (bytes.includes(REQUEST)) relay.requests++;
    });
    join(far, client, () => undefined);
  });
  await new Promise<void>((listening) => server.listen(0, host, listening));
  relay.port = (server.address() as AddressInfo).port;

  function close(): void {
    server.close();
    cut();
  }
  return relay;
}
