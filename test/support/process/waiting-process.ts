/**
 * Waits for a datagram, 1.2 s at most, and prints which of the two came first. Prints its port before, and
 * is stopped meanwhile.
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
