/** A tenant's caps apply to transfers too: the real admission, call and store; nothing is dialled. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { Admission } from "../../../src/call/admission/admission.ts";
import { LiveCall } from "../../../src/call/live/live-call.ts";
import { CallRegistry } from "../../../src/call/live/registry.ts";
import { transferCall } from "../../../src/call/live/transfer.ts";
import type { CallContext } from "../../../src/call/service/context.ts";
import { callStores } from "../../../src/call/store/call-stores.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { tenants } from "../../../src/store/schema/index.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";
import { type ApiServer, startApiServer } from "../../support/http/api-server.ts";
import { wideDialing } from "../../support/plans.ts";
import { tempDir } from "../../support/temp-dir.ts";

const DESK = "sip:desk@example.com";

let clock: FakeClock;
let server: ApiServer;

beforeAll(async () => {
  clock = fakeClock();
  server = await startApiServer({ directory: tempDir(), clock });
});
afterAll(() => server.stop());

/** The error code for a transfer of an unanswered call; `conflict` means that no cap refused it. */
async function verdictOf(context: CallContext, tenantId: number, to = DESK): Promise<string> {
  const identity = { tenantId, rowId: 1, callUuid: "0190", direction: "inbound" } as const;
  const call = new LiveCall(identity as unknown as LiveCall["identity"], context, "ringing");
  return transferCall(context, call, to).then(
    () => "begun",
    (error) => (error instanceof AppError ? error.code : String(error)),
  );
}

async function worldOf(changes: Partial<typeof tenants.$inferInsert>) {
  const { id } = await server.tenant();
  await server.database.tx((queries) =>
    queries.update(tenants).set(changes).where(eq(tenants.id, id)),
  );
  const { database } = server;
  const billing = server.billing;
  const admission = new Admission({
    stores: callStores,
    billing,
    clock,
    concurrentCallsMax: 10,
    liveCalls: () => 1,
    dialing: () => wideDialing,
  });
  const parts = {
    database,
    stores: callStores,
    clock,
    admission,
    log: silentLog,
    registry: new CallRegistry(),
  };
  return { id, context: parts as Partial<CallContext> as CallContext };
}

test("a tenant with no money left for the day cannot transfer", async () => {
  const { id, context } = await worldOf({ dailySpendMax: 0 as never });
  expect(await verdictOf(context, id)).toBe("plan_limit_reached");
});

test("a suspended tenant's live call is not transferred", async () => {
  const { id, context } = await worldOf({ suspended: true });
  expect(await verdictOf(context, id)).toBe("plan_limit_reached");
});

test("transfers count as calls of the minute, whatever their outcome", async () => {
  const { id, context } = await worldOf({ callsPerMinuteMax: 2 });
  expect(await verdictOf(context, id, "sip:+8816123456789@example.com")).toBe(
    "destination_not_allowed",
  );
  expect(await verdictOf(context, id)).toBe("conflict");
  expect(await verdictOf(context, id)).toBe("conflict");
  expect(await verdictOf(context, id)).toBe("rate_limited");
  await clock.advance(59_999);
  expect(await verdictOf(context, id)).toBe("rate_limited");
  await clock.advance(1);
  expect(await verdictOf(context, id)).toBe("conflict");
});
