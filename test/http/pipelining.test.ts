/**
 * The runtime answers pipelined requests of one connection all in one turn of the event loop, which signalling
 * also uses.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { type ApiServer, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ directory: tempDir() });
});
afterAll(() => server.stop());

/** The number of answered requests, sent at once over one connection, before it closes. */
async function answersTo(requests: number): Promise<{ answers: number; isClosed: boolean }> {
  const { hostname, port } = new URL(server.base);
  let [text, isClosed] = ["", false];
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_socket, bytes) {
        text += bytes.toString("latin1");
      },
      close() {
        isClosed = true;
      },
    },
  });
  const answers = () => text.split("HTTP/1.1 200").length - 1;
  socket.write("GET /api/v1/ping HTTP/1.1\r\nHost: x\r\n\r\n".repeat(requests));
  await eventually(() => isClosed || answers() === requests, "all answers, or the end");
  const seen = { answers: answers(), isClosed };
  socket.end();
  return seen;
}

test("hundreds of pipelined requests do not block the thread: the connection ends after a few answers", async () => {
  expect(await answersTo(8)).toEqual({ answers: 8, isClosed: false });
  const { answers, isClosed } = await answersTo(1_000);
  expect(isClosed).toBe(true);
  expect(answers).toBeLessThanOrEqual(128);
});

test("as many requests of as many connections are all answered", async () => {
  const answers = await Promise.all(
    Array.from({ length: 300 }, () => fetch(`${server.base}/api/v1/ping`)),
  );
  expect(answers.filter(({ ok }) => ok)).toHaveLength(300);
});
