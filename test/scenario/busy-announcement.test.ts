/**
 * More callers speak than the embedded engine can recognise: the next one hears that all lines are busy, before an
 * answer and at no cost; outbound calls wait.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { phrasesFor } from "../../src/conversation/speech/phrases.ts";
import { systemClock } from "../../src/core/clock.ts";
import { findSentenceGently } from "../../src/demo/hearing/sentence-matcher.ts";
import { createVoices, type Voices } from "../../src/demo/voices.ts";
import { schedules } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { CallNotAnswered, type PhoneCall } from "../support/media/phone/phone-call.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const HOST = "127.0.8.68";
const CALLEE = "+37061000399";
/** Four are recognised at once; all others wait. */
const TALKERS = 10;
const { linesBusy, idlePrompts, apology } = phrasesFor("en");

let world: Appliance;
let voices: Voices;
let phones = 0;
beforeAll(async () => {
  voices = await createVoices();
  world = await startAppliance({
    dataDir: tempDir(),
    host: HOST,
    agent: { voice: "Nathan", language: "en" },
    settings: (settings) => ({
      ...settings,
      plans: settings.plans.map((plan) => ({ ...plan, maxConcurrentCalls: TALKERS + 2 })),
      metricsListen: { host: HOST, port: 9482 },
      callWorker: {
        ...settings.callWorker,
        conversation: { ...settings.callWorker.conversation, silenceTimeoutMs: 120_000 },
      },
    }),
  });
});
afterAll(() => world.close());

async function placed(): Promise<PhoneCall> {
  const phone = await world.phone(`+3706100040${phones++}`);
  return await phone.call(OWN_NUMBER);
}

async function answered(): Promise<PhoneCall> {
  const call = await placed();
  await call.answered;
  return call;
}

async function hears(call: PhoneCall, text: string): Promise<boolean> {
  const [sentence, ...decoys] = await Promise.all(
    [text, idlePrompts[0], apology].map((line) => voices.speak("Nathan", line)),
  );
  if (!sentence) return false;
  const match = await findSentenceGently(
    { sentence, decoys, recording: call.received() },
    systemClock,
  );
  return match.isFound;
}

const metric = async (line: string) => {
  const text = await (await fetch(`http://${HOST}:9482/metrics`)).text();
  return text.split("\n").find((each) => each.startsWith(line)) ?? "";
};

const isOverloaded = async () => (await metric("linevoice_speech_overloaded")).endsWith(" 1");

test("while too many speak, the next caller hears the busy announcement and pays nothing; outbound calls wait", async () => {
  const callers = await Promise.all(Array.from({ length: TALKERS }, answered));
  const question = await voices.speak("m3", "What are your opening hours on Saturday?");
  const allTalk = () => Promise.all(callers.map((call) => call.play(question)));
  expect(await metric("linevoice_speech_overloaded")).toEndWith(" 0");
  await allTalk();
  // The first utterances come while the engine loads.
  await eventually(isOverloaded, "too many have to wait");

  const next = await placed();
  const failure = await next.answered.then(
    () => null,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(CallNotAnswered);
  expect((failure as CallNotAnswered).end.sipCode).toBe(486);
  expect(await hears(next, linesBusy)).toBe(true);

  const { body } = await world.api("GET", "/calls?status=busy");
  expect(body.calls).toHaveLength(1);
  expect(body.calls[0]).toMatchObject({
    direction: "inbound",
    ended_reason: "busy",
    answered_at: null,
    billable_seconds: 0,
    cost_eur: 0,
  });
  expect(await metric('linevoice_calls_total{direction="inbound",reason="busy"')).toEndWith(" 1");

  const callee = await world.phone(CALLEE);
  let rung = 0;
  callee.onCall((call) => {
    rung++;
    void call.answer().catch(() => undefined);
  });
  const now = await world.api("POST", "/calls", { to_number: CALLEE });
  expect([now.status, now.body.error]).toEqual([403, "plan_limit_reached"]);
  const later = { to_number: CALLEE, schedule_at: new Date(Date.now() + 70_000).toISOString() };
  const { body: scheduled } = await world.api("POST", "/calls", later);
  await allTalk();
  await eventually(isOverloaded, "too many have to wait again");
  await world.app.database.tx((queries) =>
    queries
      .update(schedules)
      .set({ scheduleAt: Date.now() })
      .where(eq(schedules.id, scheduled.schedule_id)),
  );
  for (let look = 0; look < 30; look++) {
    await Bun.sleep(100);
    const rungBefore = rung;
    if (!(await isOverloaded())) break;
    expect(rungBefore).toBe(0);
  }

  await eventually(async () => rung === 1, "the schedule is dialled", 40_000);
  await (await answered()).hangUp();
  await Promise.all(callers.map((call) => call.hangUp()));
});
