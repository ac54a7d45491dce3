/** A local HTTPS server that records requests and answers as the test defines. */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "./test-ca.ts";

export interface ReceivedRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternately, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export type Responder = (request: ReceivedRequest, response: ServerResponse) => void;

export interface HttpsReceiver {
  readonly port: number;
  readonly requests: ReceivedRequest[];
  respond: Responder;
  /** Number of TLS connections so far. */
  connections(): number;
  close(): Promise<void>;
}

export const answer =
  (status: number, body = "", headers: Record<string, string> = {}): Responder =>
  (_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

export async function httpsReceiver(
  certificate: Certificate,
  respond: Responder = answer(200, "ok"),
  host = "127.0.0.1",
  atPort = 0,
): Promise<HttpsReceiver> {
  const receiver = { port: 0, requests: [] as ReceivedRequest[], respond };
  const server = https.createServer(certificate, (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("error", () => {});
    incoming.on("end", () => {
      const request = {
        path: incoming.url ?? "",
        method: incoming.method ?? "",
        headers: incoming.headers,
        rawHeaders: incoming.rawHeaders,
        body: Buffer.concat(chunks).toString("utf8"),
      };
      receiver.requests.push(request);
      receiver.respond(request, response);
    });
  });
  let connections = 0;
  server.on("secureConnection", () => connections++);
  await new Promise<void>((done) => server.listen(atPort, host, done));
  receiver.port = (server.address() as AddressInfo).port;
  return Object.assign(receiver, {
    connections: () => connections,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  });
}
