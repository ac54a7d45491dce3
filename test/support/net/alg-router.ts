/**
 * A router with NAT and optionally a SIP ALG: each client's UDP datagrams pass through a separate
 * socket. `out` and `back` may rewrite or drop them.
 */

/** Returns the new text; null drops the datagram. */
export type Rewriter = (text: string, inside: string) => string | null;

export interface AlgRouter {
  readonly host: string;
  readonly port: number;
  close(): void;
}

const unchanged: Rewriter = (text) => text;

export async function startAlgRouter(options: {
  readonly host: string;
  readonly upstream: { readonly host: string; readonly port: number };
  /** Towards the provider; `inside` is the client's `host:port`. */
  readonly out?: Rewriter;
  readonly back?: Rewriter;
}): Promise<AlgRouter> {
  const { host, upstream, out = unchanged, back = unchanged } = options;
  const outsides = new Map<string, Promise<Bun.udp.Socket<"buffer">>>();

  const openOutside = (clientHost: string, clientPort: number) =>
    Bun.udpSocket({
      hostname: host,
      port: 0,
      socket: {
        data: (_, bytes) => {
          const text = back(bytes.toString(), `${clientHost}:${clientPort}`);
          if (text !== null) inside.send(text, clientPort, clientHost);
        },
        error: () => {},
      },
    });

  const inside = await Bun.udpSocket({
    hostname: host,
    port: 0,
    socket: {
      data: async (_, bytes, port, clientHost) => {
        const client = `${clientHost}:${port}`;
        const text = out(bytes.toString(), client);
        if (text === null) return;
        const outside = outsides.get(client) ?? openOutside(clientHost, port);
        outsides.set(client, outside);
        (await outside).send(text, upstream.port, upstream.host);
      },
      error: () => {},
    },
  });
  return {
    host,
    port: inside.port,
    close() {
      inside.close();
      for (const outside of outsides.values()) void outside.then((socket) => socket.close());
    },
  };
}
