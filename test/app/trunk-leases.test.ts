/**
 * Leases of trunks while the store or a node is unavailable for a while: they settle at once, without repeated
 * changes.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { BEAT_MS, TrunkLeases } from "../../src/app/trunk-leases.ts";
import type { Database } from "../../src/core/database.ts";
import { silentLog as log } from "../../src/core/log.ts";
import { trunkStore } from "../../src/features/trunk/trunk-store.ts";
import { trunkLeases } from "../../src/store/schema/index.ts";
import { eventually } from "../support/eventually.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { insertTenant } from "../support/store/stored-rows.ts";
import { openRemote } from "../support/store/test-store.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(30_000);

const AWAY_MS = 20_000;

let one: Database;
let two: Database;
let trunkId = 0;

beforeAll(async () => {
  const path = join(tempDir(), "shared.db");
  one = await openRemote(path);
  two = await openRemote(path);
  const tenantId = await insertTenant(one);
  const trunk = await one.tx((queries) =>
    trunkStore(queries).put(
      tenantId,
      {
        server: "sip.example",
        port: 5060,
        transport: "udp",
        username: "u",
        realm: null,
        outboundProxy: null,
        callerId: "+37052000000",
        register: true,
        createdAt: 0,
        updatedAt: 0,
      },
      () => "sealed",
    ),
  );
  trunkId = trunk.id;
});
afterAll(async () => {
  await one.close();
  await two.close();
});

/** A store that can be stopped: requests are answered when it continues. */
function stoppable(database: Database) {
  let stopped: PromiseWithResolvers<void> | null = null;
  const tx: Database["tx"] = async (body) => {
    await stopped?.promise;
    return await database.tx(body);
  };
  return {
    database: { ...database, tx },
    stop: () => {
      stopped = Promise.withResolvers();
    },
    goOn: () => {
      stopped?.resolve();
      stopped = null;
    },
  };
}

/** A node that records what its trunks did, in order. */
function nodeOn(database: Database, name: string, clock: FakeClock) {
  const done: string[] = [];
  const leases = new TrunkLeases({
    database,
    clock,
    log,
    self: () => ({ id: name, name, version: "0", weight: 100, calls: 0 }),
    hasCalls: () => false,
    trunks: {
      add: () => void done.push("registered"),
      remove: async () => void done.push("un-registered"),
    },
  });
  return { done, leases };
}

type Node = ReturnType<typeof nodeOn>;

/**
 * Lets the time pass on all nodes, heartbeat by heartbeat; waits for each round unless the store is stopped.
 */
async function pass(clock: FakeClock, nodes: readonly Node[], ms: number, isAway = false) {
  for (let passed = 0; passed < ms; passed += BEAT_MS) {
    await clock.advance(BEAT_MS);
    if (isAway) await Bun.sleep(1);
    else for (const { leases } of nodes) await leases.round();
  }
}

test("after the store was unavailable for 20 s the trunk is registered once more, at the same node", async () => {
  const clock = fakeClock();
  const stores = [stoppable(one), stoppable(two)] as const;
  const holder = nodeOn(stores[0].database, "A", clock);
  const other = nodeOn(stores[1].database, "B", clock);
  for (const node of [holder, other]) await node.leases.start();
  await pass(clock, [holder, other], 10_000);
  expect([holder.done, other.done]).toEqual([["registered"], []]);

  for (const store of stores) store.stop();
  await pass(clock, [holder, other], AWAY_MS, true);
  expect(holder.done).toEqual(["registered", "un-registered"]);
  // The other node's requests are answered first.
  stores[1].goOn();
  await other.leases.round();
  stores[0].goOn();
  await eventually(() => holder.done.length > 2, "it is registered again");
  await pass(clock, [holder, other], 30_000);
  expect([holder.done, other.done]).toEqual([["registered", "un-registered", "registered"], []]);
  expect(await one.read.select().from(trunkLeases)).toMatchObject([{ trunkId, node: "A" }]);
  for (const node of [holder, other]) await node.leases.stop();
});

test("a node stopped for 20 s releases its trunk once, and the trunk stays at its new node", async () => {
  const clocks = [fakeClock(), fakeClock()] as const;
  const holder = nodeOn(one, "A", clocks[0]);
  const other = nodeOn(two, "B", clocks[1]);
  await holder.leases.start();
  await other.leases.start();
  const both = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += BEAT_MS) {
      await pass(clocks[0], [holder], BEAT_MS);
      await pass(clocks[1], [other], BEAT_MS);
    }
  };
  await both(10_000);
  expect([holder.done, other.done]).toEqual([["registered"], []]);
  await pass(clocks[1], [other], AWAY_MS);
  await clocks[0].advance(AWAY_MS);
  await holder.leases.round();
  await both(30_000);
  expect([holder.done, other.done]).toEqual([["registered", "un-registered"], ["registered"]]);
  for (const node of [holder, other]) await node.leases.stop();
});
