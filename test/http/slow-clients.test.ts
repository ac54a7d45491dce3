/**
 * A client that never finishes a request is disconnected, however slowly it sends; others are answered meanwhile.
 */
import { afterAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = await startApiServer({ directory: tempDir() });
const tenant = await server.tenant();
const sockets: Socket[] = [];
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.stop();
});

const CLIENTS = 50;
const DRIP_MS = 500;
/** A head has 30 s. A body has 30 s, then its connection 30 s more. The runtime's timer is coarse. */
const CLOSED_MS_MAX = 90_000;

/** Sends a beginning, then with `isDripping` a byte each half second. Resolves when the server has closed. */
function slowClient(beginning: string, isDripping: boolean): Promise<void> {
  const { port } = new URL(server.base);
  const socket = connect({ host: "127.0.0.1", port: Number(port) });
  sockets.push(socket);
  socket.on("error", () => socket.destroy());
  socket.resume();
  socket.once("connect", () => socket.write(beginning));
  const drip = isDripping ? setInterval(() => socket.write(" "), DRIP_MS) : undefined;
  return new Promise((resolve) =>
    socket.once("close", () => {
      clearInterval(drip);
      resolve();
    }),
  );
}

const BODY = [
  "POST /api/v1/agents HTTP/1.1",
  "Host: a",
  `Authorization: Bearer ${tenant.key}`,
  "Content-Type: application/json",
  "Content-Length: 100000",
  "",
  "{",
].join("\r\n");

test(
  "half a head, a dripping head, half a body and a dripping body are closed within 90 s",
  async () => {
    const startedAt = performance.now();
    const kinds = [
      ["GET /api/v1/ping HTTP/1.1\r\nHost: ", false],
      ["GET /api/v1/ping HTTP/1.1\r\nHost: a\r\nX-Slow: ", true],
      [BODY, false],
      [BODY, true],
    ] as const;
    const open = kinds.map(() => CLIENTS);
    const closed = kinds.flatMap(([beginning, isDripping], kind) =>
      Array.from({ length: CLIENTS }, async () => {
        await slowClient(beginning, isDripping);
        open[kind] = (open[kind] ?? 0) - 1;
      }),
    );
    let isDone = false;
    const all = Promise.all(closed).then(() => {
      isDone = true;
    });
    while (!isDone && performance.now() - startedAt < CLOSED_MS_MAX) {
      expect((await fetch(`${server.base}/api/v1/ping`)).status).toBe(200);
      await Promise.race([all, Bun.sleep(1000)]);
    }
    expect(open).toEqual([0, 0, 0, 0]);
  },
  CLOSED_MS_MAX + 20_000,
);
