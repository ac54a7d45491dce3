/**
 * `bun test/support/appliance/nodes-soak.ts <cycles>`: two whole appliances on a libSQL server 20
 * ms away, under calls and requests, while nodes and server are killed, stopped, disconnected or
 * unresponsive. Prints statistics and every violation; exit 1 if there is one. SEED makes the
 * troubles repeatable, as far as a real machine allows. LINEVOICE_SOAK_MINUTES ends it early with
 * the results so far.
 */
import { seededRandom } from "../../../src/core/random.ts";
import type { IncomingCall } from "../media/phone/incoming-call.ts";
import { type Fleet, startFleet } from "./fleet.ts";

const CHECK_EVERY = 5;
const DELAY_MS = 20;
const OUTBOUND_A_CYCLE = 2;

const cycles = Number(process.argv[2] ?? 200);
const seed = Number(process.env.SEED ?? 1);
const minutes = Number(process.env.LINEVOICE_SOAK_MINUTES ?? Number.POSITIVE_INFINITY);
const random = seededRandom(seed);
const between = (low: number, high: number) => low + Math.floor(random.float() * (high - low + 1));
const until = performance.now() + minutes * 60_000;
const counts = { cycles: 0, inbound: 0, answered: 0, acknowledged: 0, refused: 0, checks: 0 };
const violations: string[] = [];

/** Possible troubles. Each resolves when it is over. */
const TROUBLES: Readonly<Record<string, (fleet: Fleet, node: 0 | 1) => Promise<void>>> = {
  "a node is killed": async ({ nodes }, node) => {
    await nodes[node].kill();
    await Bun.sleep(between(0, 3_000));
    await nodes[node].start();
  },
  "the server is killed": async ({ sqld }) => {
    await sqld.kill();
    await Bun.sleep(between(0, 2_000));
    await sqld.start();
  },
  "the server stands still": async ({ sqld }) => {
    const thaw = sqld.freeze();
    await Bun.sleep(between(500, 8_000));
    thaw();
  },
  "a node stands still": async ({ nodes }, node) => {
    const thaw = nodes[node].freeze();
    await Bun.sleep(between(500, 8_000));
    thaw();
  },
  "connections are reset": async ({ nodes }, node) => {
    for (let n = 0; n < 6; n++) {
      nodes[node].relay.cut();
      await Bun.sleep(between(100, 500));
    }
  },
  "the server answers nothing": async ({ nodes }, node) => {
    const { relay } = nodes[node];
    relay.isSilent = true;
    await Bun.sleep(between(500, 8_000));
    relay.isSilent = false;
    relay.cut();
  },
  "nothing happens": () => Bun.sleep(2_000),
};

async function behave(call: IncomingCall): Promise<void> {
  call.answered.catch(() => undefined);
  call.rang.catch(() => undefined);
  await Bun.sleep(between(0, 300));
  if (random.float() < 0.2) return call.reject(486);
  await call.answer();
  counts.answered++;
  await Bun.sleep(between(200, 3_000));
  await call.hangUp();
}

async function comeIn(fleet: Fleet): Promise<void> {
  counts.inbound++;
  try {
    const call = await fleet.caller.call(fleet.ownNumber);
    call.rang.catch(() => undefined);
    await Promise.race([call.answered, Bun.sleep(4_000)]);
    await Bun.sleep(between(100, 2_000));
    await Promise.race([call.hangUp(), Bun.sleep(2_000)]);
  } catch {
    // Rejected, or the node is down: the carrier has no other route.
  }
}

/** Remembers acknowledged calls: they must be in the store at the end. */
async function goOut(fleet: Fleet, number: string, node: 0 | 1): Promise<void> {
  await Bun.sleep(between(0, 3_000));
  const uuid = await fleet.ask(node, number);
  if (uuid === null) counts.refused++;
  else counts.acknowledged++;
}

const names = Object.keys(TROUBLES);
const fleet = await startFleet({ cycles: cycles * OUTBOUND_A_CYCLE });
fleet.callee.onCall((call) => void behave(call).catch(() => undefined));
for (const { relay } of fleet.nodes) relay.delayMs = DELAY_MS;
for (let cycle = 0; cycle < cycles && performance.now() < until; cycle++) {
  const trouble = names[between(0, names.length - 1)] ?? "";
  const node = between(0, 1) as 0 | 1;
  const load = Array.from({ length: OUTBOUND_A_CYCLE }, (_, n) =>
    goOut(fleet, fleet.numbers[cycle * OUTBOUND_A_CYCLE + n] ?? "", (n % 2) as 0 | 1),
  );
  const calls = comeIn(fleet);
  await Bun.sleep(between(0, 1_500));
  await TROUBLES[trouble]?.(fleet, node);
  await Promise.all([...load, calls]);
  counts.cycles = cycle + 1;
  const isLast = cycle === cycles - 1 || performance.now() >= until;
  if ((cycle + 1) % CHECK_EVERY !== 0 && !isLast) continue;
  const found = await fleet.violations();
  counts.checks++;
  violations.push(...found);
  const at = new Date().toISOString().slice(11, 19);
  console.log(`${at} ${trouble}: ${found.length} violations, ${JSON.stringify(counts)}`);
  for (const what of found) console.log(`  ${what}`);
}
await fleet.close();
console.log(`${counts.cycles} cycles of two nodes, ${violations.length} violations (seed ${seed})`);
process.exit(violations.length === 0 ? 0 : 1);
