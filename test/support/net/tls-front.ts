/** A TLS proxy for a plain server on the same machine. It forwards data unchanged. */
import { connect, type Socket } from "node:net";
import { createServer } from "node:tls";
import type { Certificate } from "./test-ca.ts";

export interface TlsFront {
  readonly port: number;
  close(): void;
}

export async function tlsFront(
  certificate: Certificate,
  host: string,
  behind: number,
): Promise<TlsFront> {
  const open = new Set<Socket>();
  const server = createServer(certificate, (secure) => {
    const plain = connect({ host, port: behind });
    for (const [one, other] of [
      [secure, plain],
      [plain, secure],
    ] as const) {
      open.add(one);
      one.on("data", (bytes) => other.write(bytes));
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.end();
      });
    }
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((listening) => server.listen(0, host, listening));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
