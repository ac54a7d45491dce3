/**
 * Asks for an address until standard input ends, a millisecond after each answer, and prints how long each
 * took. A process of its own: the runtime has one thread for all requests of a process, which a download
 * keeps busy.
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
// The first ones are compiled while they run.
for (let n = 0; n < 100; n++) await ask();
console.log("ready");
const takenMs: number[] = [];
while (!isOver) {
  takenMs.push(await ask());
  await sleep(systemClock, 1);
}
console.log(JSON.stringify(takenMs));
