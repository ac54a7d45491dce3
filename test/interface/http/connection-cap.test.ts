/** Connections of one address are bounded, finished requests or not; other addresses are not touched. */
import { afterAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { aboveCap, addressOf } from "../../../src/interface/http/connection-cap.ts";
import { eventually } from "../../support/eventually.ts";
import { startApiServer } from "../../support/http/api-server.ts";
import { tempDir } from "../../support/temp-dir.ts";

const CAP = 40;
const server = await startApiServer({
  directory: tempDir(),
  settings: { connectionsPerAddress: CAP, trustedProxies: ["127.0.0.77"] },
});
const sockets: Socket[] = [];
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.stop();
});

/** Half a request each, and then nothing. */
async function halfOpen(localAddress: string, count: number): Promise<Socket[]> {
  const { port } = new URL(server.base);
  const opened = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ host: "127.0.0.1", port: Number(port), localAddress });
      socket.on("error", () => socket.destroy());
      socket.resume();
      await new Promise((resolve) => socket.once("connect", resolve));
      socket.write("GET /api/v1/ping HTTP/1.1\r\nHost: ");
      return socket;
    }),
  );
  sockets.push(...opened);
  return opened;
}

const openOf = (held: readonly Socket[]) => held.filter((socket) => !socket.destroyed).length;

test("half-open connections above the cap of one address are closed; below, at and elsewhere they stay", async () => {
  const atCap = await halfOpen("127.0.0.71", CAP);
  const above = await halfOpen("127.0.0.72", CAP + 15);
  const proxy = await halfOpen("127.0.0.77", CAP + 15);
  await eventually(() => openOf(above) === CAP, "the newest are closed");
  expect(openOf(atCap)).toBe(CAP);
  expect(openOf(proxy)).toBe(CAP + 15);
  const answer = await fetch(`${server.base}/api/v1/ping`);
  expect(answer.status).toBe(200);
  // Whoever leaves makes room.
  for (const socket of atCap.splice(0, 10)) socket.destroy();
  const again = await halfOpen("127.0.0.71", 10);
  await Bun.sleep(1_500);
  expect(openOf([...atCap, ...again])).toBe(CAP);
});

test("the newest of a source are those above the cap", () => {
  const of = (address: string, ...inodes: number[]) => inodes.map((inode) => ({ address, inode }));
  const cap = { perAddressMax: 2, isExempt: (address: string) => address === "10.0.0.9" };
  const held = [
    ...of("10.0.0.1", 7, 3, 5),
    ...of("10.0.0.2", 1, 2),
    ...of("10.0.0.9", 11, 12, 13),
    // Two addresses of one /64.
    ...of("2001:db8:1:2:0:0:0:1", 21, 22),
    ...of("2001:db8:1:2:0:0:0:2", 23),
  ];
  expect(aboveCap(held, cap).map(({ inode }) => inode)).toEqual([7, 23]);
});

test.each([
  ["0100007F", "127.0.0.1"],
  ["0000000000000000FFFF00000100007F", "127.0.0.1"],
  ["B80D0120010002000000000001000000", "2001:db8:2:1:0:0:0:1"],
])("the system's %s is %s", (hex, address) => {
  expect(addressOf(hex)).toBe(address);
});
