/**
 * The load generator: phones that call, listen and send silence. Prints the number of answered
 * calls and the answer times. When its standard input closes, it hangs up, prints what it received
 * and exits.
 */

import { OWN_NUMBER } from "../../test/support/appliance/appliance.ts";
import { createPhone } from "../../test/support/media/phone/phone.ts";
import { BENCH_HOST, type CallTarget, callerNumber } from "./target.ts";

const target = JSON.parse(process.argv[2] ?? "{}") as CallTarget;
const calls = Number(process.argv[3] ?? 100);
/** Index of the first number, because several generators may call the same appliance. */
const first = Number(process.argv[4] ?? 0);

const placed = await Promise.all(
  Array.from({ length: calls }, async (_, index) => {
    await Bun.sleep(index * 40);
    const number = callerNumber(first + index);
    const phone = await createPhone({
      number,
      domain: "carrier.test",
      host: BENCH_HOST,
      proxy: target.carrier,
      account: { username: number, password: number },
    });
    await phone.register();
    const startedAt = performance.now();
    const call = await phone.call(OWN_NUMBER);
    const answered = await call.answered.then(
      () => true,
      () => false,
    );
    return { phone, call, answered, setUpMs: performance.now() - startedAt };
  }),
);
const up = placed.filter(({ answered }) => answered);
const times = up.map(({ setUpMs }) => setUpMs).sort((a, b) => a - b);
const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
console.log(JSON.stringify({ up: up.length, setUpMs: { p50: at(0.5), p99: at(0.99) } }));
await new Response(Bun.stdin.stream()).text();
const receivedSeconds = up.map(({ call }) => call.received().length / 8000);
console.log(`heard ${receivedSeconds.reduce((sum, seconds) => sum + seconds, 0).toFixed(0)}`);
await Promise.allSettled(placed.map(({ phone }) => phone.close()));
process.exit(0);
