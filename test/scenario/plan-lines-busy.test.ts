/** All lines of a plan are busy: the next caller gets 486, and the company sees a missed call with that reason. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { events } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { CallNotAnswered } from "../support/media/phone/phone-call.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const CALLER = "+37061000412";
let world: Appliance;
beforeAll(async () => {
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.8.112",
    agent: { voice: "Nathan", language: "en" },
    settings: (settings) => ({
      ...settings,
      plans: settings.plans.map((plan) => ({ ...plan, maxConcurrentCalls: 1 })),
    }),
  });
});
afterAll(() => world.close());

test("a caller above the plan's concurrent calls gets 486; REST and webhook have the reason", async () => {
  const talking = await (await world.phone("+37061000411")).call(OWN_NUMBER);
  await talking.answered;
  const missed = await (await world.phone(CALLER)).call(OWN_NUMBER);
  const refusal = await missed.answered.catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(CallNotAnswered);
  expect((refusal as CallNotAnswered).end.sipCode).toBe(486);
  const callFrom = async (number: string) => {
    const { body } = await world.api("GET", "/calls");
    return body.calls.find(({ from_number }: { from_number: string }) => from_number === number);
  };
  await eventually(async () => (await callFrom(CALLER)) !== undefined, "the call is stored");
  expect(await callFrom(CALLER)).toMatchObject({
    status: "busy",
    ended_reason: "plan_limit_reached",
  });
  const failed = await world.app.database.read
    .select({ body: events.body })
    .from(events)
    .where(eq(events.type, "call.failed"));
  expect(failed.map(({ body }) => JSON.parse(body))).toMatchObject([
    { data: { ended_reason: "plan_limit_reached" } },
  ]);
  expect((await world.api("GET", "/analytics")).body).toMatchObject({ by_status: { busy: 1 } });
  await talking.hangUp();
  await eventually(
    async () => (await callFrom("+37061000411"))?.status === "completed",
    "the line is free",
  );
  const next = await (await world.phone("+37061000413")).call(OWN_NUMBER);
  await next.answered;
  await next.hangUp();
});
