/** The socket read once per tick, with the runtime's sockets as its far ends. */
import { beforeEach, describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { systemClock } from "../../../src/core/clock.ts";
import {
  type BatchUdpSocket,
  openBatchUdpSocket,
} from "../../../src/media/rtp/batch-udp-socket.ts";
import { eventually } from "../../support/eventually.ts";

let host = "";
const PORT = 24_100;

async function open() {
  const socket = openBatchUdpSocket(host, PORT);
  if (!socket) throw new Error("this test is for Linux with glibc");
  const heard: string[] = [];
  const far = await Bun.udpSocket({
    hostname: host,
    port: 0,
    socket: { data: (_, datagram, port, from) => void heard.push(`${datagram} ${from}:${port}`) },
  });
  return { socket, far, heard };
}

interface Arrival {
  readonly text: string;
  readonly from: string;
  readonly atMs: number;
}

function poll(socket: BatchUdpSocket): Arrival[] {
  const arrivals: Arrival[] = [];
  socket.poll(systemClock.monotonic(), (datagram, from, port, atMs) => {
    arrivals.push({ text: Buffer.from(datagram).toString(), from: `${from}:${port}`, atMs });
  });
  return arrivals;
}

describe.each(["127.0.77.1", "::1"])("over %s", (address) => {
  beforeEach(() => {
    host = address;
  });

  test("packets between two ticks are read in order, each with its sender and its time", async () => {
    const { socket, far } = await open();
    const before = systemClock.monotonic();
    for (let n = 0; n < 20; n++) far.send(`packet ${n}`, PORT, host);
    const after = systemClock.monotonic();
    await Bun.sleep(60);
    const arrivals: Arrival[] = [];
    await eventually(() => arrivals.push(...poll(socket)) === 20, "all have come");
    expect(arrivals.map(({ text }) => text)).toEqual(
      Array.from({ length: 20 }, (_, n) => `packet ${n}`),
    );
    expect(new Set(arrivals.map(({ from }) => from))).toEqual(new Set([`${host}:${far.port}`]));
    const times = arrivals.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    // Not the time of reading, 60 ms later; the kernel uses another clock than ours.
    expect(times[0]).toBeGreaterThan(before - 5);
    expect(times.at(-1)).toBeLessThan(after + 30);
    expect(poll(socket)).toEqual([]);
    socket.close();
    far.close();
  });

  test("sends to the given address, and drops packets that cannot be sent", async () => {
    const { socket, far, heard } = await open();
    socket.send(Buffer.from("to a name"), "localhost", far.port);
    socket.send(Buffer.from("to the other family"), host === "::1" ? "127.0.0.1" : "::1", far.port);
    socket.send(Buffer.from("to no address"), `${host}.`, far.port);
    socket.send(Buffer.alloc(4_000), host, far.port);
    socket.send(Buffer.from("heard"), host, far.port);
    await eventually(() => heard.length === 1, "it has come");
    expect(heard).toEqual([`heard ${host}:${PORT}`]);
    socket.close();
    far.close();
  });

  test("a flood is read at once up to Linux's buffer, and a taken port is refused until it is free", async () => {
    const { socket, far } = await open();
    expect(() => openBatchUdpSocket(host, PORT)).toThrow("refuses");
    const flood = async (count: number) => {
      for (let n = 0; n < count; n++) far.send("x", PORT, host);
      await Bun.sleep(50);
    };
    for (const count of [255, 256]) {
      await flood(count);
      expect(poll(socket)).toHaveLength(count);
    }
    await flood(300);
    const left = poll(socket);
    expect(left.length).toBeLessThanOrEqual(256);
    await flood(10);
    socket.close();
    expect(poll(socket)).toEqual([]);
    const again = openBatchUdpSocket(host, PORT);
    expect(again).not.toBeNull();
    again?.close();
    far.close();
  });
});

test("on every address both families are received and answered with their own addresses", async () => {
  const socket = openBatchUdpSocket("::", PORT);
  const senders = new Map<string, string>();
  for (const own of ["127.0.77.2", "::1", "127.0.77.3"]) {
    const data = (_: unknown, datagram: Buffer) => void senders.set(own, `${datagram}`);
    const far = await Bun.udpSocket({ hostname: own, port: 0, socket: { data } });
    far.send(`from ${own}`, PORT, own === "::1" ? own : "127.0.77.1");
    await eventually(() => {
      socket?.poll(0, (datagram, from, port) =>
        socket.send(Buffer.concat([datagram, Buffer.from(` is ${from}`)]), from, port),
      );
      return senders.has(own);
    }, "it is answered");
    expect(senders.get(own)).toBe(`from ${own} is ${own}`);
    far.close();
  }
  socket?.close();
});

const linkLocal = Object.entries(networkInterfaces())
  .flatMap(([name, addresses = []]) => addresses.map(({ address }) => `${address}%${name}`))
  .find((address) => address.startsWith("fe80:"));

test.skipIf(!linkLocal)(
  "a link-local address is received and answered on its interface",
  async () => {
    host = linkLocal ?? "";
    const { socket, far, heard } = await open();
    far.send("one", PORT, host);
    await eventually(() => poll(socket)[0]?.from === `${host}:${far.port}`, "it has come");
    socket.send(Buffer.from("answer"), host, far.port);
    await eventually(() => heard[0] === `answer ${host}:${PORT}`, "the answer has come");
    socket.close();
    far.close();
  },
);

test("a host name is not supported: the runtime's sockets take it", () => {
  expect(openBatchUdpSocket("localhost", PORT)).toBeNull();
});
