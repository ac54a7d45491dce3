/**
 * Due calls wait within their grace window while the trunk is not registered, and are dialled when it is back.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { callerStore } from "../../src/features/contact/caller-store.ts";
import { GRACE_MS } from "../../src/features/schedule/scheduler.ts";
import { calls, schedules } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOST = "127.0.8.99";
const CALLEE = "+37061000190";
/** Caller IDs as the callee saw them. */
const shown: (string | null)[] = [];
let world: Appliance;

beforeAll(async () => {
  world = await startAppliance({ dataDir: tempDir(), host: HOST });
  const phone = await world.phone(CALLEE);
  phone.onCall((call) => {
    shown.push(call.callerNumber);
    call.reject(486);
  });
  await trunk("wrong");
}, 60_000);
afterAll(() => world.close());

const trunk = (password: string, caller_id = OWN_NUMBER) =>
  world.app.ask("trunk.set", {
    tenant: world.tenantId,
    server: HOST,
    port: world.carrier.address.port,
    transport: "udp",
    username: "clinic",
    password,
    realm: null,
    outbound_proxy: null,
    channels: null,
    caller_id,
    register: true,
  });

async function ask(body: Record<string, unknown> = {}): Promise<string> {
  const { body: answer } = await world.api("POST", "/calls", {
    to_number: CALLEE,
    agent_id: world.agentId,
    ...body,
  });
  return answer.call_uuid;
}

const soon = () => ({ schedule_at: new Date(Date.now() + 500).toISOString() });
const database = () => world.app.database;

async function entry(callUuid: string) {
  const [row] = await database()
    .read.select()
    .from(schedules)
    .where(eq(schedules.callUuid, callUuid));
  if (!row) throw new Error("no entry");
  return row;
}

async function call(callUuid: string) {
  const [row] = await database().read.select().from(calls).where(eq(calls.callUuid, callUuid));
  return row;
}

/** Waits for `times` further attempts of the scheduler. */
async function tried(callUuid: string, times = 2): Promise<void> {
  const before = (await entry(callUuid)).leaseToken;
  await eventually(
    async () => (await entry(callUuid)).leaseToken >= before + times,
    "the scheduler has tried it",
  );
}

/** Moves the due time back by `ms`. */
const dueEarlier = (callUuid: string, ms: number) =>
  database().tx(async (queries) => {
    const scheduleAt = Date.now() - ms;
    await queries.update(schedules).set({ scheduleAt }).where(eq(schedules.callUuid, callUuid));
  });

const ended = (callUuid: string) =>
  eventually(async () => (await call(callUuid))?.endedAt != null, "the call has ended");

test("while no trunk is registered, /readyz stays ready and warns", async () => {
  const readyz = async () => {
    const response = await fetch(`${world.app.addresses.http}/readyz`);
    return { status: response.status, text: await response.text() };
  };
  expect(await readyz()).toEqual({
    status: 200,
    text: expect.stringContaining("No trunk is registered"),
  });
});

test("a due call waits for the trunk; after its grace window it fails with the trunk's reason", async () => {
  const uuid = await ask(soon());
  await tried(uuid);
  expect(await entry(uuid)).toMatchObject({ status: "pending", firedAt: null });
  expect(await call(uuid)).toMatchObject({ status: "queued" });
  await dueEarlier(uuid, GRACE_MS - 20_000);
  await tried(uuid);
  expect(await entry(uuid)).toMatchObject({ status: "pending" });
  await dueEarlier(uuid, GRACE_MS + 1_000);
  await ended(uuid);
  expect(await entry(uuid)).toMatchObject({ status: "failed", reason: "unavailable" });
  const row = await call(uuid);
  expect(row).toMatchObject({ status: "failed", endedReason: "trunk_unavailable" });
  expect(row?.endedExplanation).toContain("within 15 minutes");
  expect(row?.endedExplanation).toContain("user name or password");
}, 60_000);

test("an immediate call waits a minute, a campaign's as long as a scheduled one", async () => {
  const [now, campaigns] = [await ask(), await ask()];
  await database().tx((queries) =>
    callerStore(queries).putPurpose(world.tenantId, {
      callUuid: campaigns,
      reason: "Survey",
      origin: "campaign",
      createdAt: Date.now(),
    }),
  );
  for (const uuid of [now, campaigns]) {
    await dueEarlier(uuid, 40_000);
    await tried(uuid);
    expect(await call(uuid)).toMatchObject({ status: "queued" });
  }
  await dueEarlier(now, 61_000);
  await ended(now);
  expect(await call(now)).toMatchObject({ status: "failed", endedReason: "trunk_unavailable" });
  await dueEarlier(campaigns, 61_000);
  await tried(campaigns);
  expect(await call(campaigns)).toMatchObject({ status: "queued" });
}, 60_000);

test("when the trunk is back, waiting calls are dialled once", async () => {
  const uuid = await ask(soon());
  await tried(uuid);
  await trunk("correct horse");
  await ended(uuid);
  expect(await call(uuid)).toMatchObject({ status: "busy", endedReason: "busy" });
  expect(await entry(uuid)).toMatchObject({ status: "fired" });
}, 60_000);

test.each([
  ["its number was deleted", "own number"],
  ["the trunk has another", "caller id"],
])(
  "a scheduled call shows the default caller ID if meanwhile %s",
  async (_, of) => {
    const before = "+37052000077";
    let id = 0;
    if (of === "own number") {
      const made = await world.api("POST", "/phone-numbers", { number_e164: before });
      id = (made.body as unknown as { phone_number: { id: number } }).phone_number.id;
    } else await trunk("correct horse", before);
    const later = { schedule_at: new Date(Date.now() + 600_000).toISOString() };
    const uuid = await ask({ ...later, ...(id > 0 && { from_number: before }) });
    expect(await entry(uuid)).toMatchObject({ fromNumber: before });
    if (id > 0) await world.api("DELETE", `/phone-numbers/${id}`);
    else await trunk("correct horse");
    shown.length = 0;
    await dueEarlier(uuid, 0);
    await ended(uuid);
    expect(await call(uuid)).toMatchObject({ endedReason: "busy", fromNumber: OWN_NUMBER });
    expect(shown).toEqual([OWN_NUMBER]);
  },
  60_000,
);

test("a scheduled call with a deleted agent is placed with no other agent", async () => {
  const made = await world.api("POST", "/agents", { name: "Survey", prompt: "Ask." });
  const { id } = (made.body as unknown as { agent: { id: number } }).agent;
  const uuid = await ask({ agent_id: id, schedule_at: new Date(Date.now() + 600_000) });
  await world.api("DELETE", `/agents/${id}`);
  await dueEarlier(uuid, 0);
  await ended(uuid);
  expect(await entry(uuid)).toMatchObject({ status: "failed", reason: "valid_agent_id_required" });
  expect(await call(uuid)).toMatchObject({
    status: "failed",
    endedReason: "declined",
    answeredAt: null,
    endedExplanation: "The agent of this call was deleted.",
  });
}, 60_000);
