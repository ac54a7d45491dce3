/** A registrar without digest on a TCP listener of the test's: it sees and breaks connections. */
import { createServer, type Socket } from "node:net";
import { buildResponse, parseMessage, type SipRequest } from "../../src/sip/message/index.ts";
import { StreamFramer } from "../../src/sip/transport/framer.ts";

export interface StreamRegistrar {
  readonly port: number;
  /** Every request as it came, with the connection it came on. */
  readonly requests: { readonly request: SipRequest; readonly socket: Socket }[];
  /** Empty lines between messages. */
  crlfs(): number;
  /** Closes every connection; it goes on listening. */
  hangUp(): void;
  close(): Promise<void>;
}

/** `onRegister`: runs behind each answer. */
export async function startStreamRegistrar(
  host: string,
  onRegister: (socket: Socket) => void = () => {},
): Promise<StreamRegistrar> {
  const sockets = new Set<Socket>();
  const requests: { request: SipRequest; socket: Socket }[] = [];
  let crlfs = 0;
  const receive = (bytes: Uint8Array, socket: Socket) => {
    const request = parseMessage(Buffer.from(bytes).toString());
    if (request.kind !== "request") return;
    requests.push({ request, socket });
    const headers = [["Contact", request.headers.get("contact") ?? ""]] as const;
    const parts = { statusCode: 200, toTag: "r", headers };
    socket.write(buildResponse(request, parts), () => onRegister(socket));
  };
  const server = createServer((socket) => {
    const framer = new StreamFramer();
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk: Buffer) => {
      for (const item of framer.push(chunk)) {
        if (item.kind === "message") receive(item.bytes, socket);
        else crlfs++;
      }
    });
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    }),
  );
  return {
    port,
    requests,
    crlfs: () => crlfs,
    hangUp() {
      for (const socket of sockets) socket.destroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
