/**
 * Waits at most 1.2 s for a datagram, and prints which came first. Prints its port before; the test
 * stops the process meanwhile.
 */
import { systemClock } from "../../../src/core/clock.ts";

function first(what: string): never {
  console.log(what);
  process.exit(0);
}

const { port } = await Bun.udpSocket({
  hostname: "127.0.0.1",
  port: 0,
  socket: { data: () => first("the answer") },
});
systemClock.after(1_200, () => first("the limit"));
console.log(port);
