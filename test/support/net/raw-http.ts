/**
 * An HTTP/1.1 server on plain TCP, for tests with faulty responses: tests decide every written byte
 * and when it closes. Keeps connections alive and counts them.
 */
import type { Socket, TCPSocketListener } from "bun";

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export class RawReply {
  #chunked = false;

  constructor(private readonly socket: Socket<Connection>) {}

  get gone(): boolean {
    return this.socket.readyState !== 1;
  }

  /** Sends a complete response. */
  send(status: number, contentType: string, body: string | Uint8Array, more = ""): void {
    const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.from(body);
    this.raw(
      `HTTP/1.1 ${status} X\r\ncontent-type: ${contentType}\r\ncontent-length: ${bytes.length}\r\n${more}\r\n`,
    );
    this.raw(bytes);
  }

  /** Sends the head of a response whose body follows in chunks. */
  begin(contentType: string): void {
    this.#chunked = true;
    this.raw(
      `HTTP/1.1 200 OK\r\ncontent-type: ${contentType}\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
  }

  chunk(body: string | Uint8Array): void {
    const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.from(body);
    if (bytes.length === 0) return;
    this.raw(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]));
  }

  end(): void {
    if (this.#chunked) this.raw("0\r\n\r\n");
  }

  raw(bytes: string | Uint8Array): void {
    if (this.gone) return;
    const connection = this.socket.data;
    connection.unsent = Buffer.concat([connection.unsent, Buffer.from(bytes as Uint8Array)]);
    flush(this.socket);
  }

  /** Closes the connection in the middle of a response. */
  cut(): void {
    this.socket.end();
  }
}

const CRLF = Buffer.from("\r\n");

interface Connection {
  received: Buffer;
  unsent: Buffer;
  busy: boolean;
}

export interface RawHttpServer {
  readonly port: number;
  readonly connections: number;
  close(): void;
}

/** `handle` answers the requests of each connection one after another. */
export function rawHttpServer(
  hostname: string,
  handle: (request: RawRequest, reply: RawReply) => Promise<void> | void,
): RawHttpServer {
  let connections = 0;
  const open = new Set<Socket<Connection>>();
  const listener: TCPSocketListener<Connection> = Bun.listen<Connection>({
    hostname,
    port: 0,
    socket: {
      open(socket) {
        connections++;
        open.add(socket);
        socket.data = { received: Buffer.alloc(0), unsent: Buffer.alloc(0), busy: false };
      },
      data(socket, bytes) {
        socket.data.received = Buffer.concat([socket.data.received, bytes]);
        void next(socket, handle);
      },
      drain: flush,
      close: (socket) => void open.delete(socket),
      error: (socket) => void open.delete(socket),
    },
  });
  return {
    port: listener.port,
    get connections() {
      return connections;
    },
    close() {
      for (const socket of open) socket.terminate();
      listener.stop(true);
    },
  };
}

async function next(
  socket: Socket<Connection>,
  handle: (request: RawRequest, reply: RawReply) => Promise<void> | void,
): Promise<void> {
  const connection = socket.data;
  if (connection.busy) return;
  const request = takeRequest(connection);
  if (!request) return;
  connection.busy = true;
  await handle(request, new RawReply(socket));
  connection.busy = false;
  await next(socket, handle);
}

function takeRequest(connection: Connection): RawRequest | null {
  const { received } = connection;
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const [first = "", ...lines] = received.subarray(0, headEnd).toString("latin1").split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = Number(headers["content-length"] ?? 0);
  const end = headEnd + 4 + length;
  if (received.length < end) return null;
  connection.received = received.subarray(end);
  const [method = "", path = ""] = first.split(" ");
  return { method, path, headers, body: received.subarray(headEnd + 4, end) };
}

function flush(socket: Socket<Connection>): void {
  const connection = socket.data;
  if (connection.unsent.length === 0) return;
  const written = socket.write(connection.unsent);
  connection.unsent = connection.unsent.subarray(Math.max(0, written));
}
