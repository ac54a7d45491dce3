/** Trunks are spread over the nodes that share a store, move while idle, and leave a drained node. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { createRoundRobin, type NodeLoad, recipientOf } from "../../src/app/trunk-assignment.ts";
import { BEAT_MS, TrunkLeases, UNEVEN_MS } from "../../src/app/trunk-leases.ts";
import type { Database } from "../../src/core/database.ts";
import { AppError } from "../../src/core/errors.ts";
import { silentLog as log } from "../../src/core/log.ts";
import { nodeStore } from "../../src/features/appliance/node-store.ts";
import { createNodes } from "../../src/features/appliance/nodes.ts";
import { trunkLeaseStore } from "../../src/features/trunk/trunk-lease-store.ts";
import { trunkStore } from "../../src/features/trunk/trunk-store.ts";
import { trunks } from "../../src/store/schema/index.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { insertTenant } from "../support/store/stored-rows.ts";
import { openRemote } from "../support/store/test-store.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

let database: Database;
const clock = fakeClock();
let tenants: number[] = [];

beforeEach(async () => {
  database = await openRemote(join(tempDir(), "shared.db"));
  tenants = [];
  for (let n = 0; n < 6; n++) {
    const tenantId = await insertTenant(database);
    tenants.push(tenantId);
    const place = { server: "sip.example", port: 5060, transport: "udp", username: "u" } as const;
    const rest = { realm: null, outboundProxy: null, callerId: "+37052000000", register: true };
    const times = { createdAt: 0, updatedAt: 0 };
    await database.tx((queries) =>
      trunkStore(queries).put(tenantId, { ...place, ...rest, ...times }, () => "sealed"),
    );
  }
});
afterEach(() => database.close());

function startNode(id: string, own: { weight?: number; calls?: number } = {}) {
  const registered = new Set<number>();
  const busy = new Set<number>();
  const removed: number[] = [];
  const self = () => ({ id, name: id, version: "1", weight: 100, calls: 0, ...own });
  const leases = new TrunkLeases({
    database,
    clock,
    log,
    self,
    hasCalls: (tenantId) => busy.has(tenantId),
    trunks: {
      add: (trunk) => void registered.add(trunk.id),
      remove: async (trunkId) => {
        registered.delete(trunkId);
        removed.push(trunkId);
      },
    },
  });
  const running = { self, isSilent: (other: string) => leases.isSilent(other) };
  const operator = createNodes({ database, clock, running });
  return { own, registered, busy, removed, leases, operator };
}
type Node = ReturnType<typeof startNode>;

/** Heartbeat by heartbeat; checks that two nodes never register the same trunk. */
async function pass(nodes: readonly Node[], ms: number) {
  for (let passed = 0; passed < ms; passed += BEAT_MS) {
    await clock.advance(BEAT_MS);
    for (const { leases } of nodes) {
      await leases.round();
      const all = nodes.flatMap(({ registered }) => [...registered]);
      expect(new Set(all).size).toBe(all.length);
    }
  }
}

const counts = (nodes: readonly Node[]) => nodes.map(({ registered }) => registered.size);

async function stop(nodes: readonly Node[]) {
  for (const { leases } of nodes) await leases.stop();
}

test("a second node gets half of the trunks after half a minute, the idle ones, and then nothing moves", async () => {
  const first = startNode("a");
  await first.leases.round();
  expect(counts([first])).toEqual([6]);
  for (const tenantId of tenants.slice(0, 3)) first.busy.add(tenantId);
  const held = [...first.registered];
  const nodes = [first, startNode("b")] as const;
  await pass(nodes, UNEVEN_MS - 2 * BEAT_MS);
  expect(counts(nodes)).toEqual([6, 0]);
  await pass(nodes, 20_000);
  expect(counts(nodes)).toEqual([3, 3]);
  expect([...first.registered]).toEqual(held.slice(0, 3));
  await pass(nodes, 120_000);
  expect(nodes.map(({ removed }) => removed.length)).toEqual([3, 0]);
  expect(counts(nodes)).toEqual([3, 3]);
  await stop(nodes);
});

test("trunks with calls stay; they move when they are idle", async () => {
  const nodes = [startNode("a"), startNode("b")] as const;
  await nodes[0].leases.round();
  for (const tenantId of tenants) nodes[0].busy.add(tenantId);
  await pass(nodes, 90_000);
  expect(counts(nodes)).toEqual([6, 0]);
  nodes[0].busy.clear();
  await pass(nodes, 10_000);
  expect(counts(nodes)).toEqual([3, 3]);
  await stop(nodes);
});

test("a node with twice the capacity gets twice the trunks", async () => {
  const nodes = [startNode("a", { weight: 100 }), startNode("b", { weight: 200 })];
  for (const { leases } of nodes) await leases.round();
  await pass(nodes, 60_000);
  expect(counts(nodes)).toEqual([2, 4]);
  await stop(nodes);
});

test("the trunks of a stopped node go to the others by their load", async () => {
  const nodes = [startNode("a"), startNode("b", { calls: 3 }), startNode("c")] as const;
  await nodes[0].leases.round();
  await pass(nodes, 3 * BEAT_MS);
  await nodes[0].leases.stop();
  await pass(nodes.slice(1), 5 * BEAT_MS);
  expect(counts(nodes.slice(1))).toEqual([2, 4]);
  await stop(nodes.slice(1));
});

test("a node near its capacity gives idle trunks to a less busy one", async () => {
  const nodes = [startNode("a", { weight: 10 }), startNode("b", { weight: 10 })] as const;
  for (const { leases } of nodes) await leases.round();
  await pass(nodes, 60_000);
  expect(counts(nodes)).toEqual([3, 3]);
  nodes[0].own.calls = 9;
  await pass(nodes, UNEVEN_MS + 2 * BEAT_MS);
  expect(counts(nodes)[0]).toBeLessThan(3);
  await stop(nodes);
});

test("a trunk without registration is not moved: its carrier sends to a fixed address", async () => {
  await database.tx((queries) => queries.update(trunks).set({ register: false }));
  const nodes = [startNode("a"), startNode("b")] as const;
  await nodes[0].leases.round();
  await pass(nodes, 60_000);
  expect(counts(nodes)).toEqual([6, 0]);
  await stop(nodes);
});

test("a drained node gives all its trunks away, with or without calls, and gets none until it is resumed", async () => {
  const nodes = [startNode("a"), startNode("b")] as const;
  const [a, b] = nodes;
  await a.leases.round();
  await pass(nodes, BEAT_MS);
  for (const tenantId of tenants) a.busy.add(tenantId);
  expect(await b.operator.setDraining("a", true)).toMatchObject({ id: "a", state: "draining" });
  await pass(nodes, 2 * BEAT_MS);
  expect(counts(nodes)).toEqual([0, 6]);
  // It stays drained after a restart.
  await a.leases.stop();
  const again = startNode("a");
  await pass([again, b], 60_000);
  expect(counts([again, b])).toEqual([0, 6]);
  expect(await b.operator.list()).toMatchObject([
    { id: "a", state: "draining", isHere: false, trunks: 0, calls: 0 },
    { id: "b", state: "active", isHere: true, trunks: 6 },
  ]);
  await b.operator.setDraining("a", false);
  await pass([again, b], 60_000);
  expect(counts([again, b])).toEqual([3, 3]);
  await stop([again, b]);
});

test("the last active node cannot be drained; a drained one takes over if no other is left", async () => {
  const nodes = [startNode("a"), startNode("b")] as const;
  const [a, b] = nodes;
  for (const { leases } of nodes) await leases.round();
  await pass(nodes, BEAT_MS);
  await b.operator.setDraining("a", true);
  const codeOf = (work: Promise<unknown>) =>
    work.catch((error) => (error instanceof AppError ? error.code : "another error"));
  expect(await codeOf(b.operator.setDraining("b", true))).toBe("conflict");
  expect(await codeOf(b.operator.setDraining("c", true))).toBe("not_found");
  await pass(nodes, 2 * BEAT_MS);
  expect(counts(nodes)).toEqual([0, 6]);
  // b dies: it still has its registrations, but sends no heartbeat.
  await pass([a], 30_000);
  expect(a.registered.size).toBe(6);
  expect(await a.operator.list()).toMatchObject([{ state: "draining" }, { state: "silent" }]);
  await stop([a]);
});

test("if a node takes none of its assigned trunks, the others get them after a while", async () => {
  const alive = startNode("b");
  await alive.leases.round();
  const beat = (calls: number) =>
    database.tx((queries) =>
      nodeStore(queries).beat({ id: "a", name: "a", version: "1", weight: 999, calls, seenAt: 0 }),
    );
  await database.tx((queries) => trunkLeaseStore(queries).release("b", [...alive.registered]));
  for (let round = 0; round < 5; round++) {
    await beat(0);
    await pass([alive], BEAT_MS);
  }
  expect(alive.registered.size).toBe(6);
  await stop([alive]);
});

test("a removed trunk is no longer counted, and a tenant's new one goes to the node with fewer", async () => {
  const nodes = [startNode("a"), startNode("b")] as const;
  for (const { leases } of nodes) await leases.round();
  await pass(nodes, 60_000);
  const [gone = 0] = nodes[1].registered;
  await database.tx((queries) => queries.delete(trunks).where(eq(trunks.id, gone)));
  await pass(nodes, BEAT_MS);
  expect((await nodes[0].operator.list()).map((node) => node.trunks)).toEqual([3, 2]);
  await stop(nodes);
});

const load = (id: string) =>
  fc.record({
    id: fc.constant(id),
    weight: fc.integer({ min: 1, max: 50 }),
    trunks: fc.integer({ min: 0, max: 60 }),
    calls: fc.constant(0),
  });

test("property: moving ends, and no move should be undone", () => {
  fc.assert(
    fc.property(load("a"), load("b"), load("c"), (...start) => {
      let nodes: readonly NodeLoad[] = start;
      const total = start.reduce((sum, { trunks: count }) => sum + count, 0);
      for (let move = 0; move <= 3 * total; move++) {
        const giver = nodes.find((node) =>
          recipientOf(
            node,
            nodes.filter((other) => other !== node),
          ),
        );
        if (!giver) return;
        const to = recipientOf(
          giver,
          nodes.filter((other) => other !== giver),
        );
        nodes = nodes.map((node) => {
          if (node === giver) return { ...node, trunks: node.trunks - 1 };
          return node.id === to ? { ...node, trunks: node.trunks + 1 } : node;
        });
      }
      throw new Error(`still moving: ${JSON.stringify(nodes)}`);
    }),
  );
});

test("property: all nodes compute the same assignment, whatever the order in which they see each other", () => {
  fc.assert(
    fc.property(
      load("a"),
      load("b"),
      load("c"),
      fc.integer({ min: 1, max: 30 }),
      (a, b, c, count) => {
        const [one, two] = [createRoundRobin([a, b, c]), createRoundRobin([c, a, b])];
        for (let n = 0; n < count; n++) expect(one()).toBe(two());
      },
    ),
  );
});
