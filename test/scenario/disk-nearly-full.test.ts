/** A disk that fills up: recordings stop first, then new calls; live calls continue (appliance.md 5). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { CallNotAnswered } from "../support/media/phone/phone-call.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOST = "127.0.8.61";
const MIB = 1_048_576;

let world: Appliance;
let free = 10_000 * MIB;

beforeAll(async () => {
  world = await startAppliance({ dataDir: tempDir(), host: HOST, freeDiskBytes: () => free });
}, 60_000);

afterAll(() => world.close());

async function readiness() {
  const response = await fetch(`${world.app.addresses.http}/readyz`);
  const body = (await response.json()) as { problems: string[]; warnings: string[] };
  return { status: response.status, ...body };
}

const newestCall = async () => {
  const { body } = await world.api("GET", "/calls?limit=1");
  const uuid = body.calls[0]?.call_uuid ?? "";
  return (await world.api("GET", `/calls/${uuid}`)).body.call;
};

test("recordings stop, then new calls; the live call continues, and everything resumes with free space", async () => {
  expect(await readiness()).toMatchObject({ status: 200, problems: [], warnings: [] });
  const caller = await world.phone("+37061000071");

  free = 400 * MIB;
  await eventually(async () => (await readiness()).warnings.length === 1, "the warning");
  const low = await readiness();
  expect(low.status).toBe(200);
  expect(low.warnings[0]).toContain("400 MiB");
  const live = await caller.call(OWN_NUMBER);
  await live.answered;
  const liveUuid = (await newestCall()).call_uuid;

  free = 50 * MIB;
  await eventually(async () => (await readiness()).status === 503, "the refusal");
  expect((await readiness()).problems[0]).toContain("50 MiB");
  const asked = await world.api("POST", "/calls", {
    to_number: "+37061000072",
    agent_id: world.agentId,
  });
  expect(asked.status).toBe(503);
  expect(asked.body.error).toBe("unavailable");
  const other = await world.phone("+37061000073");
  const refused = await other.call(OWN_NUMBER);
  const refusal = await refused.answered.then(
    () => null,
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(CallNotAnswered);
  if (refusal instanceof CallNotAnswered) expect(refusal.end.sipCode).toBe(503);
  await eventually(async () => (await newestCall()).status === "failed", "it is reported");
  expect(await newestCall()).toMatchObject({ ended_reason: "declined" });

  expect(live.state).toBe("active");
  const talking = await world.callWhen(liveUuid, (call) => call.status === "in_progress");
  expect(talking.recording_status).toBe("none");
  await live.waitForReply();
  await live.hangUp();
  const ended = await world.callWhen(liveUuid, (call) => call.ended_at !== null);
  expect(ended.recording_status).toBe("none");
  expect(ended.transcript).toContain("dental clinic");

  free = 10_000 * MIB;
  await eventually(async () => (await readiness()).status === 200, "room again");
  const again = await caller.call(OWN_NUMBER);
  await again.answered;
  await Bun.sleep(500);
  await again.hangUp();
  const recorded = (await newestCall()).call_uuid;
  await world.callWhen(recorded, (call) =>
    ["ready", "emailed_deleted"].includes(call.recording_status),
  );
}, 60_000);
