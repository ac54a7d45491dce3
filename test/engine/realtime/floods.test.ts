/** A Realtime server with repeated errors does not fill the log. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Engine } from "../../../src/conversation/engine-port.ts";
import { type Log, silentLog } from "../../../src/core/log.ts";
import { createRealtimeEngine } from "../../../src/engine/realtime/engine.ts";
import { PORTS, realtimeSettings, sessionSettings } from "../../support/engine/engine-session.ts";
import { eventually } from "../../support/eventually.ts";

const ERROR = { type: "error", error: { type: "server_error", code: "odd", message: "odd" } };
const LIMITED = {
  type: "rate_limits.updated",
  rate_limits: [{ name: "tokens", remaining: 0, reset_seconds: 1 }],
};

let flood: readonly object[] = [];
let closed = 0;
const logged: string[] = [];
const log: Log = { ...silentLog, warn: (event) => logged.push(event), with: () => log };
let server: ReturnType<typeof Bun.serve>;
let engine: Engine;

beforeEach(() => {
  logged.length = 0;
  closed = 0;
  server = Bun.serve({
    hostname: "127.0.41.9",
    port: 0,
    fetch: (request, own) =>
      own.upgrade(request, { data: undefined }) ? undefined : new Response(null),
    websocket: {
      open: (ws) => void ws.send(JSON.stringify({ type: "session.created", session: {} })),
      message(ws, text) {
        const { type, session } = JSON.parse(String(text));
        if (type !== "session.update") return;
        ws.send(JSON.stringify({ type: "session.updated", session }));
        for (const event of flood) ws.send(JSON.stringify(event));
        ws.send(JSON.stringify({ type: "error", error: { message: "the last one" } }));
      },
      close: () => {
        closed++;
      },
    },
  });
  const settings = realtimeSettings(`ws://127.0.41.9:${server.port}/v1/realtime`);
  engine = createRealtimeEngine({ settings, ...PORTS, log });
});
afterEach(async () => {
  await engine.close();
  await server.stop(true);
});

const times = (event: string) => logged.filter((one) => one === event).length;

test("after a thousand errors the session ends", async () => {
  flood = Array.from({ length: 3_000 }, () => ERROR);
  engine.open(sessionSettings());
  await eventually(() => closed === 1, "the session is closed");
  expect([times("realtime.error"), times("realtime.connection_lost")]).toEqual([1_000, 1]);
});

test("a server that floods frames is disconnected", async () => {
  flood = Array.from({ length: 20_000 }, () => ({ type: "unknown.event" }));
  engine.open(sessionSettings());
  await eventually(() => closed === 1, "the session is closed");
  expect([times("realtime.error"), times("realtime.connection_lost")]).toEqual([0, 1]);
});

test("a reached rate limit is logged only from time to time", async () => {
  flood = Array.from({ length: 3_000 }, () => LIMITED);
  engine.open(sessionSettings());
  await eventually(() => times("realtime.error") === 1, "all has come");
  expect([times("realtime.rate_limit"), closed]).toEqual([1, 0]);
});
