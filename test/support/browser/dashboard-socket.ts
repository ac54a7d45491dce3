/**
 * A WebSocket of the dashboard, opened like a signed-in browser. Keeps the received messages in
 * order.
 */

import { eventually } from "../eventually.ts";
import type { Browser } from "./dashboard-session.ts";

export interface SocketMessage {
  readonly type: string;
  readonly [field: string]: unknown;
}

export class DashboardSocket {
  readonly messages: SocketMessage[] = [];
  readonly binary: Uint8Array[] = [];
  /** Close code; null while open. */
  closed: number | null = null;
  readonly socket: WebSocket;

  /** `path` below /api/dashboard. */
  constructor(browser: Browser, path: string, headers: Record<string, string> = {}) {
    const url = `${browser.base.replace(/^http/, "ws")}/api/dashboard${path}`;
    // Bun's WebSocket accepts headers; a browser adds cookie and Origin itself.
    this.socket = new WebSocket(url, {
      headers: { cookie: browser.cookie ?? "", origin: browser.base, ...headers },
    } as unknown as string[]);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.messages.push(JSON.parse(data) as SocketMessage);
      else this.binary.push(new Uint8Array(data as ArrayBuffer));
    };
    this.socket.onclose = ({ code }) => {
      this.closed = code;
    };
  }

  /** Rejects if the server refused the connection. */
  async open(): Promise<this> {
    await eventually(
      () => this.socket.readyState === WebSocket.OPEN || this.closed !== null,
      "the socket opens or is refused",
    );
    if (this.closed !== null) throw new Error(`refused: ${this.closed}`);
    return this;
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  of(type: string): SocketMessage[] {
    return this.messages.filter((message) => message.type === type);
  }

  async until(
    holds: (message: SocketMessage) => boolean,
    what: string,
    limitMs = 20_000,
  ): Promise<SocketMessage> {
    await eventually(() => this.messages.some(holds), what, limitMs);
    const found = this.messages.find(holds);
    if (!found) throw new Error("unreachable");
    return found;
  }

  async ended(limitMs = 20_000): Promise<number> {
    await eventually(() => this.closed !== null, "the socket is closed", limitMs);
    return this.closed ?? 0;
  }

  close(): void {
    this.socket.close();
  }
}
