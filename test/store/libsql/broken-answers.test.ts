/** A real libSQL server behind a proxy that corrupts its answers: invalid answers never count as results. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { systemClock as clock } from "../../../src/core/clock.ts";
import type { Database, Queries } from "../../../src/core/database.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { openRemoteDatabase } from "../../../src/store/libsql/database.ts";
import { tenants } from "../../../src/store/schema/index.ts";
import { type SqldServer, startSqld } from "../../support/store/sqld-server.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";

setDefaultTimeout(120_000);

const HOST = "127.0.91.9";

interface Batch {
  step_results: (null | { cols: unknown[]; rows: Record<string, unknown>[][] })[];
  step_errors: unknown[];
}
/** The replacement of the results; null: the server's own answer. */
type Spoil = (batch: Batch) => unknown;

let server: SqldServer;
let proxy: ReturnType<typeof startProxy>;
let database: Database;
let tenantId = 0;
/** Corrupts answers to requests selected by `isMeant`. */
let spoil: Spoil | null = null;
let isMeant = (_request: string): boolean => true;
/** The request never reaches the server. */
let isKept = false;
let left = 0;

function startProxy(port: number) {
  return Bun.serve<{ far: WebSocket; meant: Set<number> }>({
    hostname: HOST,
    port: 0,
    async fetch(request, own) {
      const path = new URL(request.url).pathname;
      if (request.headers.get("upgrade") === "websocket") {
        const far = new WebSocket(`ws://127.0.0.1:${port}${path}`, ["hrana2"]);
        await new Promise((open) => far.addEventListener("open", open));
        own.upgrade(request, { data: { far, meant: new Set() } });
        return undefined;
      }
      const { method, headers } = request;
      const body = method === "POST" ? await request.text() : null;
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body });
      // Without the headers of the compressed answer: `fetch` has unpacked it.
      return new Response(await answer.text(), { status: answer.status });
    },
    websocket: {
      open(near) {
        const { far, meant } = near.data;
        far.onmessage = ({ data }) => {
          const message = JSON.parse(String(data));
          const result = message.response?.result;
          const isSpoilt = result && meant.has(message.request_id) && spoil;
          if (isSpoilt) message.response.result = isSpoilt(result) ?? result;
          near.send(JSON.stringify(message));
        };
        far.onclose = () => near.close();
      },
      message(near, text) {
        const { request_id: id, request } = JSON.parse(String(text));
        if (request?.type === "batch" && left > 0 && isMeant(String(text))) {
          left--;
          near.data.meant.add(id);
          if (isKept) {
            const result = spoil?.({ step_results: [], step_errors: [] });
            const response = { type: "batch", result };
            near.send(JSON.stringify({ type: "response_ok", request_id: id, response }));
            return;
          }
        }
        near.data.far.send(text);
      },
      close: (near) => near.data.far.close(),
    },
  });
}

beforeAll(async () => {
  server = await startSqld();
  proxy = startProxy(server.port);
  const address = { url: `http://${HOST}:${proxy.port}`, authToken: server.token };
  database = await openRemoteDatabase(address, { clock, random, owner: "node" });
  tenantId = await insertTenant(database);
});
afterEach(() => {
  [spoil, left, isKept, isMeant] = [null, 0, false, () => true];
});
afterAll(async () => {
  await database.close();
  await proxy.stop(true);
  await server.stop();
});

const nameOf = async (queries: Queries) =>
  (await queries.select().from(tenants).where(eq(tenants.id, tenantId)))[0]?.name;
const setName = (name: string) =>
  database.tx(async (queries) => {
    await nameOf(queries);
    await queries.update(tenants).set({ name }).where(eq(tenants.id, tenantId));
  });
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => "none",
    (error) => String((error as Error).cause ?? error),
  );

const withCells =
  (change: (cell: Record<string, unknown>) => Record<string, unknown>): Spoil =>
  ({ step_results, step_errors }) => ({
    step_errors,
    step_results: step_results.map(
      (result) => result && { ...result, rows: result.rows.map((row) => row.map(change)) },
    ),
  });

const SPOILT: readonly (readonly [string, Spoil])[] = [
  ["no results", () => ({ step_results: [], step_errors: [] })],
  ["results that were not carried out", () => ({ step_results: [null], step_errors: [null] })],
  ["no lists", () => ({ step_results: 7 })],
  ["nothing", () => "nothing"],
  [
    "rows that lack columns",
    ({ step_results: [result] }) => ({
      step_results: [result && { ...result, rows: result.rows.map((row) => row.slice(1)) }],
      step_errors: [null],
    }),
  ],
  [
    "integers of nothing",
    withCells((cell) => (cell.type === "integer" ? { ...cell, value: null } : cell)),
  ],
  [
    "empty integers",
    withCells((cell) => (cell.type === "integer" ? { ...cell, value: "" } : cell)),
  ],
  ["text that is none", withCells((cell) => (cell.type === "text" ? { ...cell, value: 7 } : cell))],
  ["a kind that there is not", withCells((cell) => ({ ...cell, type: "money" }))],
];

test.each(SPOILT)("a read answered with %s is repeated", async (_, change) => {
  await setName("whole");
  [spoil, left] = [change, 1];
  expect(await nameOf(database.read)).toBe("whole");
  expect(left).toBe(0);
});

test.each(SPOILT)(
  "… and fails with that reason if the server keeps sending %s",
  async (_, change) => {
    [spoil, left] = [change, Number.POSITIVE_INFINITY];
    expect(await messageOf(nameOf(database.read))).toContain(
      "the database server is out of reach: the answer is no result",
    );
  },
);

test("a COMMIT that never reached the server, answered with an empty result, is repeated", async () => {
  await setName("before");
  [spoil, left, isKept] = [() => ({ step_results: [], step_errors: [] }), 1, true];
  isMeant = (request) => request.includes("COMMIT");
  await setName("after");
  expect([left, await nameOf(database.read)]).toEqual([0, "after"]);
});

test("an error of five megabytes is shortened", async () => {
  const message = "x".repeat(5_000_000);
  spoil = () => ({ step_results: [null], step_errors: [{ message, code: "SQLITE_ERROR" }] });
  left = 1;
  expect((await messageOf(nameOf(database.read))).length).toBeLessThan(1_100);
});

test("an endless answer at the start is cut off, and the error names the server", async () => {
  const megabyte = new Uint8Array(1024 * 1024).fill(32);
  let sent = 0;
  const endless = Bun.serve({
    hostname: HOST,
    port: 0,
    fetch: () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            sent++;
            await Bun.sleep(0);
            controller.enqueue(megabyte);
          },
        }),
      ),
  });
  const url = `http://${HOST}:${endless.port}`;
  const deps = { clock, random, owner: "node", limits: { openMs: 0 } };
  expect(await messageOf(openRemoteDatabase({ url, authToken: null }, deps))).toContain(
    "an answer of more than 67108864 bytes",
  );
  expect(sent).toBeLessThan(200);
  await endless.stop(true);
});
