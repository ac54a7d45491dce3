/** The socket that is read once a tick, beside sockets of the runtime's as its far ends. */
import { expect, test } from "bun:test";
import {
  openPolledSocket,
  type PolledSocket,
} from "../../../../src/adapter/media/rtp/polled-socket.ts";
import { systemClock } from "../../../../src/core/clock.ts";
import { eventually } from "../../../support/eventually.ts";

const HOST = "127.0.77.1";
const PORT = 24_100;

async function open() {
  const socket = openPolledSocket(HOST, PORT);
  if (!socket) throw new Error("this test is for Linux with glibc");
  const heard: string[] = [];
  const far = await Bun.udpSocket({
    hostname: HOST,
    port: 0,
    socket: { data: (_, datagram, port, host) => void heard.push(`${datagram} ${host}:${port}`) },
  });
  return { socket, far, heard };
}

interface Arrival {
  readonly text: string;
  readonly from: string;
  readonly atMs: number;
}

function poll(socket: PolledSocket): Arrival[] {
  const arrivals: Arrival[] = [];
  socket.poll(systemClock.monotonic(), (datagram, host, port, atMs) => {
    arrivals.push({ text: Buffer.from(datagram).toString(), from: `${host}:${port}`, atMs });
  });
  return arrivals;
}

test("what came between two ticks is read in order, each with its sender and its time", async () => {
  const { socket, far } = await open();
  const before = systemClock.monotonic();
  for (let n = 0; n < 20; n++) far.send(`packet ${n}`, PORT, HOST);
  const after = systemClock.monotonic();
  await Bun.sleep(60);
  const arrivals: Arrival[] = [];
  await eventually(() => arrivals.push(...poll(socket)) === 20, "all have come");
  expect(arrivals.map(({ text }) => text)).toEqual(
    Array.from({ length: 20 }, (_, n) => `packet ${n}`),
  );
  expect(new Set(arrivals.map(({ from }) => from))).toEqual(new Set([`${HOST}:${far.port}`]));
  const times = arrivals.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  // Not when they were read, 60 ms later; the kernel's clock is another than ours.
  expect(times[0]).toBeGreaterThan(before - 5);
  expect(times.at(-1)).toBeLessThan(after + 30);
  expect(poll(socket)).toEqual([]);
  socket.close();
  far.close();
});

test("sends to whom it is told, and what cannot be sent is lost", async () => {
  const { socket, far, heard } = await open();
  socket.send(Buffer.from("to a name"), "localhost", far.port);
  socket.send(Buffer.from("to IPv6"), "::1", far.port);
  socket.send(Buffer.alloc(4_000), HOST, far.port);
  socket.send(Buffer.from("heard"), HOST, far.port);
  await eventually(() => heard.length === 1, "it has come");
  expect(heard).toEqual([`heard ${HOST}:${PORT}`]);
  socket.close();
  far.close();
});

test("a flood is read in parts, and a taken port is refused until it is free", async () => {
  const { socket, far } = await open();
  expect(() => openPolledSocket(HOST, PORT)).toThrow("refuses");
  for (let n = 0; n < 100; n++) far.send("x", PORT, HOST);
  await eventually(() => poll(socket).length === 64, "a part of them");
  socket.close();
  expect(poll(socket)).toEqual([]);
  const again = openPolledSocket(HOST, PORT);
  expect(again).not.toBeNull();
  again?.close();
  far.close();
});

test("other systems' and IPv6 addresses are the runtime's own", () => {
  expect(openPolledSocket("::1", PORT)).toBeNull();
});
