/**
 * A registrar without digest on a TCP or TLS listener, which gives tests access to its connections.
 */
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import {
  buildResponse,
  formatVia,
  parseMessage,
  type ResponseParts,
  type SipRequest,
  type SipResponse,
  stampSource,
} from "../../../src/sip/message/index.ts";
import { StreamFramer } from "../../../src/sip/transport/framer.ts";
import type { Certificate } from "../net/test-ca.ts";

export interface StreamRegistrar {
  readonly port: number;
  /** Every received request, with its connection. */
  readonly requests: { readonly request: SipRequest; readonly socket: Socket }[];
  /** Every received response. */
  readonly responses: SipResponse[];
  /** The open connections, oldest first. */
  readonly connections: ReadonlySet<Socket>;
  /** Number of empty lines between messages. */
  crlfs(): number;
  /** Stops answering on the present connections; they stay open. */
  hush(): void;
  /** Closes every connection but keeps listening. */
  hangUp(): void;
  close(): Promise<void>;
}

export interface StreamRegistrarOptions {
  /** Called after each response. */
  readonly onAnswered?: (socket: Socket) => void;
  /** Default: plain TCP. */
  readonly tls?: Certificate;
  /** Default: 200 with the request's Contact. Null: no response. */
  readonly answer?: (request: SipRequest) => ResponseParts | null;
  /** True: answers empty lines (RFC 5626 4.4.1). */
  readonly pongs?: boolean;
  /** Source address to report for a connection; default: none. */
  readonly seenAs?: (socket: Socket) => { readonly host: string; readonly port: number };
}

export const contactEchoed = (request: SipRequest): ResponseParts => ({
  statusCode: 200,
  toTag: "r",
  headers: [["Contact", request.headers.get("contact") ?? ""]],
});

export async function startStreamRegistrar(
  host: string,
  options: StreamRegistrarOptions = {},
): Promise<StreamRegistrar> {
  const { answer = contactEchoed, onAnswered = () => {}, seenAs } = options;
  const sockets = new Set<Socket>();
  const hushed = new WeakSet<Socket>();
  const requests: { request: SipRequest; socket: Socket }[] = [];
  const responses: SipResponse[] = [];
  let crlfs = 0;
  const receive = (bytes: Uint8Array, socket: Socket) => {
    const request = parseMessage(Buffer.from(bytes).toString());
    if (request.kind === "response") responses.push(request);
    if (request.kind !== "request") return;
    requests.push({ request, socket });
    if (seenAs)
      request.headers.setFirst("via", formatVia(stampSource(request.via, seenAs(socket))));
    const parts = hushed.has(socket) ? null : answer(request);
    if (parts) socket.write(buildResponse(request, parts), () => onAnswered(socket));
  };
  const attend = (socket: Socket) => {
    const framer = new StreamFramer();
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk: Buffer) => {
      for (const item of framer.push(chunk)) {
        if (item.kind === "message") receive(item.bytes, socket);
        else if (++crlfs % 2 === 0 && options.pongs && !hushed.has(socket)) socket.write("\r\n");
      }
    });
  };
  const server = options.tls ? createTlsServer({ ...options.tls }, attend) : createServer(attend);
  const port = await new Promise<number>((resolve) =>
    server.listen(0, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    }),
  );
  return {
    port,
    requests,
    responses,
    connections: sockets,
    crlfs: () => crlfs,
    hush() {
      for (const socket of sockets) hushed.add(socket);
    },
    hangUp() {
      for (const socket of sockets) socket.destroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
