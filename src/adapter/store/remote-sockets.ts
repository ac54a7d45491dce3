/**
 * Streams of a libSQL server over WebSocket, each on a socket of its own. When the socket goes, for
 * whatever reason, the server ends the stream and the transaction in it at once. Over HTTP it would keep
 * a transaction whose answer was lost, and every writer of every node would wait five seconds for it.
 *
 * A request that is not answered in time closes its socket, which ends what it began.
 */
import { openWs, type Stmt, type Stream } from "@libsql/hrana-client";
import type { Clock } from "../../core/clock.ts";

export type HranaStream = Pick<Stream, "query" | "queryValue" | "batch" | "close" | "closed">;

/** Opens streams, over HTTP or over sockets. */
export interface StreamSource {
  openStream(): HranaStream;
}

interface SocketOptions {
  readonly url: string;
  readonly authToken: string | null;
  readonly clock: Clock;
  /** Timeout of one request. */
  readonly requestMs: number;
}

/** As `fetch` calls it. */
const timeoutAfter = (ms: number) =>
  Object.assign(new Error(`no answer within ${ms} ms`), { name: "TimeoutError" });

export function socketsTo(options: SocketOptions): StreamSource {
  const { authToken, clock, requestMs } = options;
  const url = options.url.replace(/^libsql:/, "wss:").replace(/^http/, "ws");

  /** Rejects in time, and never hears the end of what is late. */
  const within = <Result>(work: Promise<Result>, close: () => void): Promise<Result> =>
    new Promise((resolve, reject) => {
      const timer = clock.after(requestMs, () => {
        reject(timeoutAfter(requestMs));
        close();
      });
      work.then(resolve, reject).finally(() => timer.cancel());
    });

  return {
    openStream() {
      const client = openWs(url, authToken ?? undefined);
      client.intMode = "number";
      const stream = client.openStream();
      const close = () => client.close();
      return {
        query: (statement) => within(stream.query(statement as Stmt), close),
        queryValue: (statement) => within(stream.queryValue(statement as Stmt), close),
        batch(useCursor) {
          const batch = stream.batch(useCursor);
          const execute = batch.execute.bind(batch);
          batch.execute = () => within(execute(), close);
          return batch;
        },
        close,
        get closed() {
          return client.closed || stream.closed;
        },
      };
    },
  };
}

/** False for a server, or a proxy before it, that takes HTTP alone. */
export async function takesSockets(sockets: StreamSource): Promise<boolean> {
  const stream = sockets.openStream();
  try {
    await stream.queryValue("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    stream.close();
  }
}
