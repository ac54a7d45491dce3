/**
 * Requests an address until standard input ends, each time a millisecond after the response, and
 * prints the latencies. A separate process, because the runtime handles all requests of a process
 * on one thread, which a download keeps busy.
 *
 *   pings.ts ADDRESS
 */
import { sleep, systemClock } from "../../src/core/clock.ts";

const [address = ""] = process.argv.slice(2);
let isOver = false;
void new Response(Bun.stdin.stream()).text().then(() => {
  isOver = true;
});
const ask = async () => {
  const askedAt = performance.now();
  await (await fetch(address)).arrayBuffer();
  return performance.now() - askedAt;
};
// Warm-up: the first requests include compilation.
for (let n = 0; n < 100; n++) await ask();
console.log("ready");
const takenMs: number[] = [];
while (!isOver) {
  takenMs.push(await ask());
  await sleep(systemClock, 1);
}
console.log(JSON.stringify(takenMs));
