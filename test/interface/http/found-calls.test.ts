/** The dashboard's list of calls tells of a call what its page tells. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { calls } from "../../../src/adapter/store/schema/index.ts";
import { getCallDetails } from "../../../src/interface/http/dashboard/routes/calls.ts";
import { findCalls } from "../../../src/interface/http/dashboard/routes/found-calls.ts";
import { dashboardWorld } from "../../support/browser/dashboard-world.ts";
import { replyOf } from "../../support/http/reply.ts";
import { storeCalls } from "../../support/store/call-history.ts";

setDefaultTimeout(60_000);

const room = dashboardWorld("127.0.8.78");

test("a call's duration is the same in the list and on its page, to the millisecond", async () => {
  const answeredAt = Date.parse("2026-11-20T10:00:04.900Z");
  await storeCalls(room.world, Date.now(), [
    {
      direction: "inbound",
      status: "completed",
      summary: null,
      said: [],
      number: "+37061000903",
      agoMs: 1_000,
    },
  ]);
  await room.world.app.database.tx(async (queries) => {
    await queries.update(calls).set({ answeredAt, endedAt: answeredAt + 7_200 });
  });
  const viewer = room.as("viewer");
  const [call] = replyOf(findCalls, await viewer.ask("GET", "/calls")).calls;
  const page = await viewer.ask("GET", `/calls/${call?.call_uuid}/details`);
  expect([call?.duration_ms, replyOf(getCallDetails, page).details.duration_ms]).toEqual([
    7_200, 7_200,
  ]);
});
