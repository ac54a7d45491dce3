/** Calls of another node on the same store, in this node's dashboard. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { createRemoteNodeCalls } from "../../../src/app/remote-node-calls.ts";
import { callStore } from "../../../src/call/store/call-store.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { microEur } from "../../../src/core/money.ts";
import type { LiveEvent } from "../../../src/http/dashboard/ports.ts";
import { calls } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const database = await openTestDatabase(join(tempDir(), "nodes.db"), 0);
afterAll(() => database.close());
const tenantId = await insertTenant(database);
const otherTenant = await insertTenant(database);
const elsewhere = createRemoteNodeCalls({
  database,
  node: "here",
  clock: systemClock,
  log: silentLog,
});

const callOf = (tenant: number, callUuid: string, node: string | null) =>
  database.tx((queries) =>
    callStore(queries).insert(tenant, {
      callUuid,
      direction: "inbound",
      fromNumber: "+37060000001",
      toNumber: "+37060000002",
      status: "ringing",
      createdAt: 1,
      recordingStatus: "none",
      node,
      overageRate: microEur(0),
      cost: microEur(0),
    }),
  );
const set = (callUuid: string, changes: Partial<typeof calls.$inferInsert>) =>
  database.tx((queries) => queries.update(calls).set(changes).where(eq(calls.callUuid, callUuid)));

test("begin, change and end of another node's call are reported; own calls and other tenants' calls are not", async () => {
  await callOf(tenantId, "there-1", "there");
  await callOf(tenantId, "here-1", "here");
  await callOf(otherTenant, "foreign-1", "there");
  expect((await elsewhere.list(tenantId)).map(({ callUuid }) => callUuid)).toEqual(["there-1"]);

  const told: LiveEvent[] = [];
  const gone = new AbortController();
  const following = elsewhere.follow(tenantId, (event) => told.push(event), gone.signal);
  await eventually(() => told.length === 1, "it is told");
  await set("there-1", { status: "in_progress", answeredAt: 5 });
  await eventually(() => told.length === 2, "its answer is told");
  await set("there-1", { status: "completed", endedReason: "caller_hangup", endedAt: 9 });
  await eventually(() => told.length === 3, "its end is told");
  expect(told).toMatchObject([
    { type: "call", call: { callUuid: "there-1", status: "ringing", lastTurn: null } },
    { type: "call", call: { status: "in_progress", answeredAtMs: 5 } },
    { type: "ended", callUuid: "there-1", status: "completed", endedReason: "caller_hangup" },
  ]);
  gone.abort();
  await following;
}, 30_000);
