/**
 * A TCP relay in front of a server: delays each round trip, resets connections, loses responses,
 * stops forwarding.
 */
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

export interface DelayingRelay {
  readonly port: number;
  /** Number of forwarded HTTP requests and WebSocket messages. */
  readonly requests: number;
  /** Number of open connections. */
  readonly connections: number;
  /** Added to each round trip, half of it in each direction. */
  delayMs: number;
  /** While true, drops all data without an error. */
  isSilent: boolean;
  /** Called for each response: true drops the response and resets its connection. */
  losesAnswer: () => boolean;
  /** Resets every connection. */
  cut(): void;
  close(): void;
}

const REQUEST = "POST /";
const UPGRADE = "Upgrade: websocket";

export async function startDelayingRelay(
  upstream: { readonly host: string; readonly port: number },
  host = "127.0.0.1",
): Promise<DelayingRelay> {
  const open = new Set<Socket>();
  const relay = {
    port: 0,
    requests: 0,
    get connections() {
      return open.size / 2;
    },
    delayMs: 0,
    isSilent: false,
    losesAnswer: () => false,
    cut,
    close,
  };

  /** Keeps the order: timers of equal length fire in the order in which they were set. */
  function pass(to: Socket, bytes: Buffer): void {
    if (relay.isSilent) return;
    const send = () => void (to.writable && to.write(bytes));
    if (relay.delayMs > 0) setTimeout(send, relay.delayMs / 2);
    else send();
  }

  /** `look` returns false for data to drop. */
  function join(from: Socket, to: Socket, look: (bytes: Buffer) => boolean): void {
    open.add(from);
    from.setNoDelay(true);
    from.on("data", (bytes: Buffer) => {
      if (look(bytes)) pass(to, bytes);
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
    let isUpgraded = false;
    join(client, far, (bytes) => {
      if (isUpgraded || bytes.includes(REQUEST)) relay.requests++;
      isUpgraded ||= bytes.includes(UPGRADE);
      return true;
    });
    join(far, client, () => {
      if (!relay.losesAnswer()) return true;
      client.resetAndDestroy();
      far.destroy();
      return false;
    });
  });
  await new Promise<void>((listening) => server.listen(0, host, listening));
  relay.port = (server.address() as AddressInfo).port;

  function close(): void {
    server.close();
    cut();
  }
  return relay;
}
