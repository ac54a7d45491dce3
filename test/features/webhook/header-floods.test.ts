/** The guarded client against receivers that never start the body: no flood exceeds a small cap. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { SafeHttpClient } from "../../../src/platform/net/outbound-http.ts";
import { OutboundHttpError } from "../../../src/platform/net/outbound-http-error.ts";
import { eventually } from "../../support/eventually.ts";
import { answer, httpsReceiver } from "../../support/net/https-receiver.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(30_000);

const HOST = "127.41.0.3";
const ca = testCa(tempDir());
const receiver = await httpsReceiver(ca.issue([`IP:${HOST}`]), answer(200), HOST);
const client = new SafeHttpClient({ allowNetworks: [`${HOST}/32`], caPem: ca.caPem });
afterAll(() => receiver.close());

/** The status, or the kind of failure. */
async function outcomeOf(timeoutMs: number, mayReuse = false): Promise<number | string> {
  try {
    const { status } = await client.request({
      method: "POST",
      url: `https://${HOST}:${receiver.port}/`,
      headers: {},
      body: "{}",
      timeoutMs,
      responseBytesMax: 16_384,
      statusOnly: true,
      mayReuse,
    });
    return status;
  } catch (error) {
    if (!(error instanceof OutboundHttpError)) throw error;
    return error.failure;
  }
}

/** Writes `head`, then `piece` repeatedly until the client disconnects. Resolves then. */
function flood(response: ServerResponse, head: string, piece: string): { closed: boolean } {
  const state = { closed: false };
  const { socket } = response;
  if (!socket) throw new Error("no connection");
  const block = piece.repeat(Math.ceil(BLOCK_BYTES / piece.length));
  const pump = setInterval(() => {
    if (socket.writableLength < WAITING_BYTES_MAX) socket.write(block);
  }, 1);
  socket.on("error", () => {});
  socket.on("close", () => {
    clearInterval(pump);
    state.closed = true;
  });
  socket.write(head);
  return state;
}

const BLOCK_BYTES = 16_384;
const WAITING_BYTES_MAX = 1_000_000;
const LINE = `x-flood: ${"a".repeat(1000)}\r\n`;
const STATUS = "HTTP/1.1 200 OK\r\n";
const FLOODS: readonly (readonly [string, string, string])[] = [
  ["headers without end", STATUS, LINE],
  ["short headers without end", STATUS, "a:b\r\n"],
  ["one header without end", `${STATUS}x-flood: `, "a".repeat(1000)],
  ["a header's name without end", STATUS, "a".repeat(1000)],
  ["a status line without end", "HTTP/1.1 200 ", "a".repeat(1000)],
  ["what is no HTTP, without end", "", "a".repeat(1000)],
];
/** Endless answers in small pieces: at least the time limit ends them. */
const DRIPS: readonly (readonly [string, string, string])[] = [
  ["interim answers without end", "", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"],
  ["trailers without end", `${STATUS}transfer-encoding: chunked\r\n\r\n0\r\n`, LINE],
  ["chunks' extensions without end", `${STATUS}transfer-encoding: chunked\r\n\r\n1;`, "a=b;"],
];

describe("a receiver that sends", () => {
  test.each([...FLOODS])(
    "%s is a bad answer long before the time limit",
    async (_, head, piece) => {
      let heard = { closed: false };
      receiver.respond = (_request, response) => {
        heard = flood(response, head, piece);
      };
      expect(await outcomeOf(25_000)).toBeOneOf(["bad_response", "connection_failed"]);
      await eventually(() => heard.closed, "the connection was dropped");
    },
  );

  test.each([...DRIPS])("%s ends within the time limit", async (_, head, piece) => {
    let heard = { closed: false };
    receiver.respond = (_request, response) => {
      heard = flood(response, head, piece);
    };
    expect(await outcomeOf(500)).toBeOneOf(["timeout", "bad_response", 200]);
    await eventually(() => heard.closed, "the connection was dropped");
  });

  test("headers of 20 KB is refused, of 10 KB is read, also on a kept connection", async () => {
    const padding = (bytes: number) => ({ "x-padding": "a".repeat(bytes) });
    for (const mayReuse of [false, true]) {
      receiver.respond = answer(200, "", padding(10_000));
      expect(await outcomeOf(5000, mayReuse)).toBe(200);
      receiver.respond = answer(200, "", padding(20_000));
      expect(await outcomeOf(5000, mayReuse)).toBe("bad_response");
    }
  });
});
