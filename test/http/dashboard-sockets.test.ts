/** WebSockets of the dashboard: who may open one, and what closes it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { Elysia } from "elysia";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import {
  mountSockets,
  type Socket,
  type SocketHandler,
} from "../../src/http/dashboard/sockets/socket.ts";
import { SOCKET_EVENTS, type SocketData } from "../../src/http/dashboard/sockets/transport.ts";
import type { RequestContext } from "../../src/http/request-context.ts";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { browserOf } from "../support/browser/appliance-browser.ts";
import { Browser } from "../support/browser/dashboard-session.ts";
import { DashboardSocket } from "../support/browser/dashboard-socket.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

let world: Appliance;
let owner: Browser;

beforeAll(async () => {
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.8.73" });
  owner = await browserOf(world.app, { tenantId: world.tenantId });
});
afterAll(() => world.close());

const refused = (socket: DashboardSocket) => expect(socket.open()).rejects.toThrow("refused");

test("without a session, or from another site's page, no socket opens", async () => {
  await refused(new DashboardSocket(new Browser(world.app.addresses.http), "/ws"));
  await refused(new DashboardSocket(owner, "/ws", { origin: "https://evil.example" }));
  await refused(new DashboardSocket(owner, "/ws", { "sec-fetch-site": "cross-site" }));
  const socket = await new DashboardSocket(owner, "/ws", {
    "sec-fetch-site": "same-origin",
  }).open();
  await socket.until(({ type }) => type === "ready", "the list is complete");
  socket.close();
});

test("a viewer follows calls, but neither listens nor talks", async () => {
  const viewer = await browserOf(world.app, { tenantId: world.tenantId, role: "viewer" });
  const socket = await new DashboardSocket(viewer, "/ws").open();
  await refused(new DashboardSocket(viewer, `/agents/${world.agentId}/talk`));
  await refused(new DashboardSocket(viewer, "/calls/019aa1b2-0000-7000-8000-000000000001/listen"));
  socket.close();
});

test("an unknown call cannot be listened to", async () => {
  for (const uuid of ["019aa1b2-0000-7000-8000-000000000001", "..%2f..", "x"])
    await refused(new DashboardSocket(owner, `/calls/${uuid}/listen`));
});

test("a socket closes soon after its session was revoked, signed out or lost its rights", async () => {
  const first = await browserOf(world.app, { tenantId: world.tenantId });
  const second = await browserOf(world.app, { tenantId: world.tenantId });
  const talking = await new DashboardSocket(first, `/agents/${world.agentId}/talk`).open();
  const following = await new DashboardSocket(second, "/ws").open();
  expect((await first.ask("POST", "/sign-out", {})).status).toBe(200);
  const { members } = (await owner.ask("GET", "/team")).json as {
    members: { user_id: number; email: string }[];
  };
  const me = (await second.ask("GET", "/session")).json as { session: { user: { id: number } } };
  expect(members.length).toBeGreaterThan(1);
  const removed = await owner.ask("DELETE", `/team/${me.session.user.id}`);
  expect(removed.status).toBe(200);
  expect(await talking.ended()).toBe(4401);
  expect(await following.ended()).toBe(4401);
});

test("an unknown message on a talk's socket closes it with a reason", async () => {
  const talk = await new DashboardSocket(owner, `/agents/${world.agentId}/talk`).open();
  talk.socket.send("hello");
  const error = await talk.until(({ type }) => type === "error", "it is refused");
  expect(error.error).toBe("invalid_json");
  expect(await talk.ended()).toBe(1000);
  const early = await new DashboardSocket(owner, `/agents/${world.agentId}/talk`).open();
  early.socket.send(new Uint8Array(640)); // before start: nobody hears it
  early.send({ type: "start", sample_rate: 44_100 });
  await early.until(({ type }) => type === "error", "the rate is refused");
});

test("a message larger than expected closes the socket, and the server continues", async () => {
  const talk = await new DashboardSocket(owner, `/agents/${world.agentId}/talk`).open();
  talk.socket.send(new Uint8Array(1_000_000));
  await talk.ended();
  expect((await owner.ask("GET", "/live")).status).toBe(200);
});

test("a person has at most twenty sockets", async () => {
  const many = await browserOf(world.app, { tenantId: world.tenantId });
  const open = await Promise.all(
    Array.from({ length: 20 }, () => new DashboardSocket(many, "/ws").open()),
  );
  await refused(new DashboardSocket(many, "/ws"));
  open[0]?.close();
  await eventually(async () => {
    const again = new DashboardSocket(many, "/ws");
    const opened = await again.open().then(
      () => true,
      () => false,
    );
    again.close();
    return opened;
  }, "there is room again");
  for (const socket of open) socket.close();
});

test("registration changes are sent at once", async () => {
  const live = await new DashboardSocket(owner, "/ws").open();
  const { trunk } = (await owner.ask("GET", "/trunk")).json as { trunk: Record<string, unknown> };
  const { server, port, transport, username, caller_id } = trunk;
  const same = { server, port, transport, username, caller_id };
  await owner.ask("POST", "/trunk", same);
  await live.until(
    ({ type, status }) => type === "registration" && status === "registered",
    "it registers anew",
  );
  await owner.ask("POST", "/trunk", { ...same, password: "wrong" });
  const failed = await live.until(
    ({ type, status }) => type === "registration" && status === "failed",
    "it fails",
  );
  expect(String(failed.explanation).length).toBeGreaterThan(10);
  live.close();
});

test("a talk accepts one long message only: the one that starts it", async () => {
  const long = { x: "x".repeat(1_000) };
  const digit = await new DashboardSocket(owner, `/agents/${world.agentId}/talk`).open();
  digit.send({ type: "digit", digit: "1", ...long });
  await digit.until(({ type }) => type === "error", "a long digit is refused");
  const twice = await new DashboardSocket(owner, `/agents/${world.agentId}/talk`).open();
  twice.send({ type: "start", sample_rate: 8000, ...long });
  twice.send({ type: "digit", digit: "1" });
  twice.send({ type: "start", sample_rate: 8000, ...long });
  await twice.until(({ type }) => type === "error", "a second long start is refused");
});

/** A server with one socket; request headers name the person. */
function socketServer(
  open: () => Promise<(socket: Socket) => SocketHandler>,
  clock: Clock = systemClock,
) {
  const app = new Elysia({ systemRouter: false });
  const contextOf = ({ headers }: Request) => {
    const [tenantId, user] = ["tenant", "user"].map((name) => Number(headers.get(name) ?? 1));
    const people = { tenant: { id: tenantId }, user: { id: user, operator: false } };
    return { tenantId, session: { id: 1, role: "owner", ...people } } as unknown as RequestContext;
  };
  const sockets = mountSockets(app, [{ path: "/flood", role: "viewer", open }], {
    upgrade: (request, data) => server.upgrade(request, { data }),
    admit: () => undefined,
    requestContextOf: contextOf,
    sessions: { again: async (same) => same },
    clock,
    log: silentLog,
  });
  const server = Bun.serve<SocketData>({
    fetch: app.fetch,
    websocket: SOCKET_EVENTS,
    hostname: "127.0.8.74",
    port: 0,
  });
  const stop = async () => {
    sockets.closeAll();
    await server.stop(true);
  };
  return { port: server.port ?? 0, browser: new Browser(`http://127.0.8.74:${server.port}`), stop };
}

test("the limit of twenty per person also applies to simultaneous requests", async () => {
  const { browser, stop } = socketServer(async () => {
    await Bun.sleep(50);
    return () => ({ closed: () => undefined });
  });
  const opened = await Promise.allSettled(
    Array.from({ length: 40 }, () => new DashboardSocket(browser, "/flood").open()),
  );
  expect(opened.filter(({ status }) => status === "fulfilled")).toHaveLength(20);
  await stop();
});

test("a company with all sockets leaves room for others, and gets none back from them", async () => {
  const { browser, stop } = socketServer(async () => () => ({ closed: () => undefined }));
  const of = (tenant: number, user: number) =>
    new DashboardSocket(browser, "/flood", { tenant: String(tenant), user: String(user) });
  const greedy: DashboardSocket[] = [];
  for (let user = 1; user <= 25; user++)
    greedy.push(...(await Promise.all(Array.from({ length: 20 }, () => of(1, user).open()))));
  await refused(of(1, 26));
  const neighbour = await of(2, 100).open();
  await eventually(() => greedy.some(({ closed }) => closed === 1001), "one had to go");
  expect(greedy.filter(({ closed }) => closed !== null)).toHaveLength(1);
  await refused(of(1, 26));
  expect(neighbour.closed).toBeNull();
  await stop();
});

test("of a flood little audio is heard; thousands of messages close the socket", async () => {
  const heard = { texts: 0, frames: 0 };
  const open = async () => () => ({
    message(data: string | Uint8Array) {
      if (typeof data === "string") heard.texts++;
      else heard.frames++;
    },
    closed: () => undefined,
  });
  const { browser, stop } = socketServer(open, { ...systemClock, monotonic: () => 0 });
  const stalled = await new DashboardSocket(browser, "/flood").open();
  for (let frame = 0; frame < 500; frame++) stalled.socket.send(new Uint8Array(640));
  stalled.send({ type: "stop" });
  await eventually(() => heard.texts === 1, "what was said after ten seconds of audio arrives");
  expect(heard.frames).toBe(100);
  expect(stalled.closed).toBeNull();

  const loud = await new DashboardSocket(browser, "/flood").open();
  for (let frame = 0; frame < 20_000; frame++) loud.socket.send(new Uint8Array(2));
  expect(await loud.ended()).toBe(4429);
  expect(heard.frames).toBe(200);

  const chatty = await new DashboardSocket(browser, "/flood").open();
  for (let text = 0; text < 5_000; text++) chatty.send({ type: "digit", digit: "1" });
  expect(await chatty.ended()).toBe(4429);
  expect(heard.texts).toBe(101);
  await stop();
});

test("a browser that reads nothing is disconnected a megabyte behind, and gets no audio before", async () => {
  const told = Promise.withResolvers<Socket>();
  let closed = 0;
  const { port, stop } = socketServer(async () => (socket) => {
    told.resolve(socket);
    return { closed: () => closed++ };
  });
  const deaf = connect(port, "127.0.8.74");
  deaf.on("error", () => {});
  const gone = new Promise<void>((resolve) => deaf.on("close", () => resolve()));
  deaf.once("data", () => deaf.pause());
  deaf.write(
    [
      "GET /api/dashboard/flood HTTP/1.1",
      "Host: 127.0.8.74",
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Version: 13",
      "",
      "",
    ].join("\r\n"),
  );
  const socket = await told.promise;
  const text = "x".repeat(50_000);
  await eventually(() => {
    for (let count = 0; count < 20; count++) {
      socket.json({ text });
      socket.binary(new Uint8Array(8_000));
    }
    return closed === 1;
  }, "it is cut off");
  socket.json({ text });
  deaf.resume();
  await gone;
  expect(closed).toBe(1);
  await stop();
});
