/**
 * `npm run soak [part …]`: the long versions of tests with a count; without a name, all of them.
 * Exit 1 if one found a fault.
 *
 * - money: random histories (LINEVOICE_HISTORIES, 10,000; about 6 minutes)
 * - mutations: messages, descriptions, packets (MUTATIONS, 1,000,000 of each kind; about 10
 *   minutes)
 * - simulation: lives of the simulated appliance (LINEVOICE_SEEDS, 20,000; about an hour)
 * - conversations: people, machines, transfers, hold, mute, a late ACK, a drain
 *   (LINEVOICE_CONVERSATIONS, 500; about 15 minutes)
 * - media: calls come and go, memory and descriptors are watched (LINEVOICE_SOAK_MINUTES, 120)
 * - kill: kill −9 of the compiled program under load (LINEVOICE_CYCLES, 1,000; about two hours;
 *   LINEVOICE_APPLIANCES=3 in parallel take half an hour)
 * - nodes: two nodes on a libSQL server 20 ms away; nodes and server are killed, stopped,
 *   disconnected or unresponsive (LINEVOICE_CYCLES, 200; about 40 minutes; LINEVOICE_SOAK_MINUTES
 *   ends it early; SEED)
 * - mutants: the domain changed in 150 places, one at a time; at most 5 % may pass all tests
 *   (MUTANTS, MUTANTS_SEED, MUTANTS_AT_ONCE, MUTANTS_ONLY; about half an hour; a stopped run can be
 *   continued)
 * - release: built twice from clean clones and compared (about 10 minutes)
 */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const PARTS = {
  money: {
    command: ["test", "test/property/money-histories.test.ts"],
    env: { LINEVOICE_HISTORIES: "10000" },
  },
  mutations: {
    command: [
      "test",
      "test/property/media/mutated-media.test.ts",
      "test/property/mutated-signalling.test.ts",
    ],
    env: { MUTATIONS: "1000000" },
  },
  simulation: {
    command: ["test", "test/property/simulation.test.ts"],
    env: { LINEVOICE_SEEDS: "20000", LINEVOICE_STEPS: "40" },
  },
  conversations: {
    command: [
      ...["test", "--timeout", "14400000"],
      ...["test/scenario/conversation-soak.test.ts", "test/scenario/message-languages.test.ts"],
    ],
    env: {
      LINEVOICE_CONVERSATIONS: "500",
      LINEVOICE_CONVERSATIONS_AT_ONCE: "6",
      LINEVOICE_MESSAGE_LANGUAGES: "lt,lv,ru",
    },
  },
  media: { command: ["bench/soak/media.ts"], env: {} },
  kill: {
    command: ["test/support/appliance/kill-soak.ts", process.env.LINEVOICE_CYCLES ?? "1000"],
    env: {},
  },
  nodes: {
    command: ["test/support/appliance/nodes-soak.ts", process.env.LINEVOICE_CYCLES ?? "200"],
    env: {},
  },
  mutants: { command: ["test/support/source/mutants/run.ts"], env: {} },
  release: { command: ["test/support/appliance/twice-released.ts"], env: {} },
} as const;

const isPart = (name: string): name is keyof typeof PARTS => name in PARTS;

async function run(name: keyof typeof PARTS): Promise<number> {
  const { command, env } = PARTS[name];
  console.log(`── soak: ${name}`);
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: root,
    stdout: "inherit",
    stderr: "inherit",
    env: { ...env, ...process.env },
  });
  return await child.exited;
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !isPart(name));
if (unknown.length > 0) {
  console.error(
    `There is no soak ${unknown.join(", ")}. Allowed: ${Object.keys(PARTS).join(", ")}.`,
  );
  process.exit(2);
}
let failed = 0;
for (const name of asked.length > 0 ? asked.filter(isPart) : Object.keys(PARTS).filter(isPart))
  if ((await run(name)) !== 0) failed++;
process.exit(failed === 0 ? 0 : 1);
