/**
 * A remote SIP peer on loopback whose responses the test scripts: UDP, and optionally TCP on the
 * same port. It repeats nothing and records every request, including repeats.
 */
import { createServer, type Socket } from "node:net";
import {
  buildResponse,
  formatVia,
  parseOwnMessage,
  type ResponseParts,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  stampSource,
} from "../../../src/sip/message/index.ts";
import { StreamFramer } from "../../../src/sip/transport/framer.ts";

export type Answer = (parts: ResponseParts) => void;

export interface SipPeerOptions {
  readonly host: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Default: UDP only. */
  readonly transports?: "udp" | "tcp" | "both";
  readonly onRequest?: (request: SipRequest, answer: Answer, transport: "UDP" | "TCP") => void;
}

export interface SipPeer {
  readonly host: string;
  readonly port: number;
  readonly requests: { readonly request: SipRequest; readonly transport: "UDP" | "TCP" }[];
  readonly responses: SipResponse[];
  onRequest: NonNullable<SipPeerOptions["onRequest"]>;
  /** Address to report as the request's source; null: the real one. */
  seenAs: { readonly host: string; readonly port: number } | null;
  /** Number of empty keep-alive lines received (RFC 5626 4.4.1). */
  keepAlives(): number;
  methods(): string[];
  /** Sends by UDP. */
  send(
    message: string | Uint8Array,
    remote: { readonly host: string; readonly port: number },
  ): void;
  close(): void;
}

/** Responses of a registrar without digest and of a busy callee. */
export const agreeable: NonNullable<SipPeerOptions["onRequest"]> = (request, answer) => {
  if (request.method === "ACK") return;
  if (request.method === "INVITE") return answer({ statusCode: 486, toTag: "peer" });
  const contact = request.headers.get("contact");
  answer({
    statusCode: 200,
    toTag: "peer",
    headers: contact === undefined ? [] : [["Contact", contact]],
  });
};

export async function startSipPeer(options: SipPeerOptions): Promise<SipPeer> {
  const { host, transports = "udp" } = options;
  const sockets = new Set<Socket>();
  let keepAlives = 0;
  const take = (
    message: SipMessage,
    transport: "UDP" | "TCP",
    source: { host: string; port: number },
    send: (text: string) => void,
  ) => {
    if (message.kind === "response") {
      peer.responses.push(message);
      return;
    }
    peer.requests.push({ request: message, transport });
    const stamped = message.headers.clone();
    const seen = stampSource(message.via, peer.seenAs ?? source);
    stamped.setFirst("via", formatVia(seen));
    const answerable = { ...message, headers: stamped };
    peer.onRequest(message, (parts) => send(buildResponse(answerable, parts)), transport);
  };
  const udp =
    transports === "tcp"
      ? null
      : await Bun.udpSocket({
          hostname: host,
          port: options.port ?? 0,
          socket: {
            data: (own, bytes, port, from) => {
              if (bytes.toString() === "\r\n\r\n") keepAlives++;
              const message = parseOwnMessage(bytes.toString());
              if (message.kind === "failure") return;
              take(message, "UDP", { host: from, port }, (text) => void own.send(text, port, from));
            },
            error: () => {},
          },
        });
  const tcp = transports === "udp" ? null : createServer();
  tcp?.on("connection", (socket) => {
    const framer = new StreamFramer();
    const source = { host: socket.remoteAddress ?? "", port: socket.remotePort ?? 0 };
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      for (const item of framer.push(chunk)) {
        if (item.kind !== "message") continue;
        const message = parseOwnMessage(Buffer.from(item.bytes).toString());
        if (message.kind !== "failure")
          take(message, "TCP", source, (text) => void socket.write(text));
      }
    });
  });
  let port = udp?.port ?? options.port ?? 0;
  if (tcp) {
    await new Promise<void>((done, failed) => {
      tcp.once("error", failed);
      tcp.listen(port, host, () => done());
    });
    const address = tcp.address();
    if (typeof address === "object" && address) port = address.port;
  }
  const peer: SipPeer = {
    host,
    port,
    requests: [],
    responses: [],
    seenAs: null,
    keepAlives: () => keepAlives,
    onRequest: options.onRequest ?? agreeable,
    methods: () => peer.requests.map(({ request }) => request.method),
    send: (message, remote) => void udp?.send(message, remote.port, remote.host),
    close: () => {
      udp?.close();
      for (const socket of sockets) socket.destroy();
      tcp?.close();
    },
  };
  return peer;
}
