/**
 * Many conversations at once through the composed appliance, with callers and callees who behave like people and
 * phones: hold, mute and a late ACK are included, and a drain comes at the end. Every call ends with its true
 * reason, and no answer keeps a caller waiting for more than 3 s. One conversation of each kind, about a minute;
 * `npm run soak` sets LINEVOICE_CONVERSATIONS.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { withDeadline } from "../../src/conversation/deadline.ts";
import { systemClock } from "../../src/core/clock.ts";
import { type Random, randomInt, seededRandom } from "../../src/core/random.ts";
import { calls as callRows } from "../../src/store/schema/index.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import {
  type Appliance,
  type CallView,
  OWN_NUMBER,
  startAppliance,
} from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import type { CallOptions, Phone } from "../support/media/phone/phone.ts";
import { CallNotAnswered, type PhoneCall } from "../support/media/phone/phone-call.ts";
import { tone } from "../support/media/phone.ts";
import { tempDir } from "../support/temp-dir.ts";

const AT_ONCE = Number(process.env.LINEVOICE_CONVERSATIONS_AT_ONCE ?? 3);
const SILENT_GAP_MS_MAX = 3_000;
/** No conversation takes longer; one that does is a failure like others. */
const ACT_MS_MAX = 150_000;
/** Without RTP and RTCP; shorter than the silence time-out of a caller. */
const RTP_TIMEOUT_MS = 5_000;
/** A hold longer than the RTP time-out. */
const HOLD_MS = 7_000;
const HOLD_TIMEOUT_MS = 16_000;
/** Retransmissions of a 200 come after 0.5 s, 1.5 s and 3.5 s. */
const ACK_DELAY_MS = 1_000;
const QUESTIONS = [
  "What are your opening hours?",
  "Where are you located?",
  "How much does a consultation cost?",
];

let world: Appliance;
/** Each line: a caller, and a person to call or to transfer to. */
let lines: { readonly caller: Phone; readonly other: Phone; readonly number: string }[];

beforeAll(async () => {
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.34.1",
    settings: (settings) => ({
      ...settings,
      plans: settings.plans.map((plan) => ({
        ...plan,
        maxConcurrentCalls: 50,
        includedMinutes: 100_000,
      })),
      callWorker: {
        ...settings.callWorker,
        rtpTimeoutMs: RTP_TIMEOUT_MS,
        holdTimeoutMs: HOLD_TIMEOUT_MS,
        conversation: {
          ...settings.callWorker.conversation,
          idlePromptMs: 2_000,
          silenceTimeoutMs: 7_000,
          disclosure: { ...settings.callWorker.conversation.disclosure, en: "Calls are recorded." },
        },
      },
    }),
  });
  lines = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, index) => {
      const number = `+3706102${String(index).padStart(4, "0")}`;
      const caller = await world.phone(`+3706101${String(index).padStart(4, "0")}`, "m3");
      return { caller, other: await world.phone(number, "m3"), number };
    }),
  );
}, 120_000);

const onEnd: (() => void)[] = [];
afterAll(async () => {
  for (const end of onEnd) end();
  await world.close();
});

interface Outcome {
  readonly act: string;
  readonly uuid: string;
  readonly expected: readonly string[];
}

type Line = (typeof lines)[number];
type Act = (line: Line, random: Random, gaps: number[]) => Promise<Outcome>;

/** From the caller's last sample to the agent's next. */
async function gapAfter(call: PhoneCall): Promise<number> {
  const since = performance.now();
  await eventually(
    () => call.media.lastSpeechAt > since || call.state === "ended",
    "the agent answers",
    20_000,
  );
  return call.state === "ended" ? 0 : call.media.lastSpeechAt - since;
}

async function inbound(
  line: Line,
  options: CallOptions = {},
): Promise<{ call: PhoneCall; uuid: string }> {
  const call = await line.caller.call(OWN_NUMBER, options);
  await call.answered;
  const { body } = await world.api("GET", "/calls?limit=50");
  const mine = body.calls.find(
    (view) => view.from_number === line.caller.number && view.status !== "completed",
  );
  return { call, uuid: mine?.call_uuid ?? "" };
}

async function outbound(line: Line): Promise<{ call: PhoneCall; uuid: string }> {
  const answered = Promise.withResolvers<PhoneCall>();
  line.other.onCall(async (incoming) => {
    await incoming.answer();
    answered.resolve(incoming);
  });
  const { status, body } = await world.api("POST", "/calls", { to_number: line.number });
  if (!body.ok) throw new Error(`the call is refused: ${status} ${body.error}`);
  return { call: await answered.promise, uuid: body.call_uuid };
}

/**
 * The caller's behaviour while the call is active, and the hang-up. The side that hung up first sets the reason.
 */
async function talk(
  name: string,
  { call, uuid }: { call: PhoneCall; uuid: string },
  act: (call: PhoneCall) => Promise<void>,
): Promise<Outcome> {
  await act(call).catch((error) => {
    if (call.state !== "ended") throw error;
  });
  const { by } = await call.hangUp();
  return { act: name, uuid, expected: by === "us" ? ["caller_hangup"] : ENDED_BY_AGENT };
}

/** A caller transferred to the line's other phone, over our bridge. */
async function bridged(line: Line) {
  const { call, uuid } = await inbound(line);
  await call.waitForReply();
  line.other.onCall((incoming) => incoming.answer());
  const asked = await world.api("POST", `/calls/${uuid}/transfer`, { to: line.number });
  const active = () => line.other.calls.find(({ state }) => state === "active");
  await eventually(() => active() !== undefined, "the person answers").catch(async (error) => {
    const { body } = await world.api("GET", `/calls/${uuid}`);
    throw new Error(JSON.stringify({ asked, call: body.call }), { cause: error });
  });
  const person = active();
  if (!person) throw new Error("the person is gone");
  return { call, person, uuid };
}

/** How long the machine kept this thread (callers, carrier, signalling) from its work. */
function watchStalls(): { longestMs: number } {
  const seen = { longestMs: 0 };
  let lastAt = systemClock.monotonic();
  const timer = systemClock.every(20, () => {
    const now = systemClock.monotonic();
    seen.longestMs = Math.max(seen.longestMs, Math.round(now - lastAt));
    lastAt = now;
  });
  onEnd.push(() => timer.cancel());
  return seen;
}

/** Each step of an answer is measured, and all of them reach the analytics. */
async function expectMeasures(): Promise<void> {
  const { body } = await world.api("GET", "/analytics?days=1");
  const { stages } = (body as unknown as Analytics).latency;
  console.info(`steps of an answer: ${JSON.stringify(stages)}`);
  expect(Object.keys(stages)).toEqual(["endpoint", "stt", "llm", "tts", "packet"]);
  for (const { p50_ms, p95_ms } of Object.values(stages))
    expect(p95_ms).toBeGreaterThanOrEqual(p50_ms ?? Number.POSITIVE_INFINITY);
  // No answer comes before the silence that ends a sentence.
  expect(stages.endpoint?.p50_ms).toBeGreaterThanOrEqual(300);
}

interface Analytics {
  readonly latency: {
    readonly stages: Readonly<
      Record<string, { readonly p50_ms: number | null; readonly p95_ms: number | null }>
    >;
  };
}

/** The data that shows why a call ended as it did. */
const evidence = (call: CallView & { readonly answering?: unknown }): string => {
  const { call_uuid, answering, turns } = call;
  return JSON.stringify({
    call_uuid,
    answering,
    turns: turns.map((turn) => [turn.speaker, turn.text]),
  });
};

/** A misheard "goodbye" is a true reason too; a broken engine or lost audio would not be. */
const ENDED_BY_AGENT = ["agent_hangup", "silence_timeout"];

const ACTS: readonly Act[] = [
  async (line, random, gaps) =>
    talk("asks", await inbound(line), async (call) => {
      await call.waitForReply();
      for (let asked = 0; asked <= randomInt(random, 2); asked++) {
        await call.say(QUESTIONS[randomInt(random, QUESTIONS.length)] ?? "");
        gaps.push(await gapAfter(call));
        await call.waitForSilence();
      }
    }),
  async (line, random) =>
    talk("hangs up early", await inbound(line), () => Bun.sleep(randomInt(random, 2_500))),
  async (line) => {
    const { call, uuid } = await inbound(line);
    await call.ended;
    return { act: "says nothing", uuid, expected: ["silence_timeout"] };
  },
  async (line, _, gaps) =>
    talk("interrupts", await inbound(line), async (call) => {
      await call.waitForReply();
      await call.say("What are your opening hours?");
      await call.waitForSpeech();
      await Bun.sleep(700);
      await call.say("Wait please, how much does a consultation cost?");
      gaps.push(await gapAfter(call));
      await call.waitForSilence();
    }),
  async (line, _, gaps) =>
    talk("presses keys", await inbound(line), async (call) => {
      await call.waitForReply();
      await call.press("1#");
      gaps.push(await gapAfter(call));
    }),
  async (line) =>
    talk("says goodbye", await inbound(line), async (call) => {
      await call.waitForReply();
      await call.say("Thank you, goodbye.");
      await Promise.race([call.ended, Bun.sleep(6_000)]);
    }),
  async (line) => {
    const { call, person, uuid } = await bridged(line);
    await Promise.all([call.play(tone(500, 400)), person.play(tone(900, 400))]);
    await person.hangUp();
    await call.ended;
    return { act: "is transferred", uuid, expected: ["transferred"] };
  },
  async (line) => {
    const { call, person, uuid } = await bridged(line);
    await person.hold();
    await Bun.sleep(HOLD_MS);
    if (call.state !== "active") throw new Error("the caller was cut while the person held");
    await person.resume();
    await Promise.all([call.play(tone(500, 400)), person.play(tone(900, 400))]);
    await person.hangUp();
    await call.ended;
    return { act: "is transferred and held", uuid, expected: ["transferred"] };
  },
  async (line, _, gaps) =>
    talk("holds", await inbound(line), async (call) => {
      await call.waitForReply();
      await call.hold();
      await Bun.sleep(HOLD_MS);
      await call.resume();
      await call.say("What are your opening hours?");
      gaps.push(await gapAfter(call));
      await call.waitForSilence();
    }),
  async (line) =>
    talk("hangs up on hold", await inbound(line), async (call) => {
      await call.waitForReply();
      await call.hold();
      await Bun.sleep(1_000);
    }),
  async (line) => {
    const { call, uuid } = await inbound(line);
    await call.waitForReply();
    await call.hold();
    await call.ended;
    return { act: "holds for ever", uuid, expected: ["hold_timeout"] };
  },
  async (line) => {
    const { call, uuid } = await inbound(line);
    await call.waitForReply();
    call.media.mute(true);
    await call.ended;
    return { act: "stays muted", uuid, expected: ["silence_timeout"] };
  },
  async (line) => {
    const { call, uuid } = await inbound(line);
    await call.waitForReply();
    call.media.close();
    await call.ended;
    return { act: "vanishes", uuid, expected: ["media_lost"] };
  },
  async (line, _, gaps) =>
    talk("acknowledges late", await inbound(line, { ackDelayMs: ACK_DELAY_MS }), async (call) => {
      await call.waitForReply();
      await Bun.sleep(ACK_DELAY_MS);
      await call.say("Where are you located?");
      gaps.push(await gapAfter(call));
      await call.waitForSilence();
    }),
  async (line, _, gaps) => {
    const live = await inbound(line);
    return talk("finds them busy", live, async (call) => {
      await call.waitForReply();
      line.other.onCall((incoming) => incoming.reject(486));
      await world.api("POST", `/calls/${live.uuid}/transfer`, { to: line.number });
      gaps.push(await gapAfter(call));
      await call.waitForSilence({ quietMs: 1_200 });
    });
  },
  async (line, random) => {
    const { call, uuid } = await inbound(line);
    await Bun.sleep(randomInt(random, 3_000));
    await world.api("POST", `/calls/${uuid}/hangup`);
    await call.ended;
    return { act: "ended over the API", uuid, expected: ["operator_hangup"] };
  },
  async (line, _, gaps) => {
    const { call, uuid } = await outbound(line);
    return talk("is called", { call, uuid }, async () => {
      await Bun.sleep(300);
      await call.say("Hello?");
      gaps.push(await gapAfter(call));
      await call.waitForSilence();
    });
  },
  async (line) => {
    const { call, uuid } = await outbound(line);
    const machine = async () => {
      await Bun.sleep(400);
      await call.say("You have reached the voicemail of Tom. I cannot take your call right now.");
      await call.say("Please leave a message after the tone.");
      await call.play(tone(1_000, 500));
    };
    await Promise.race([machine().catch(() => {}), call.ended]);
    await call.ended;
    return { act: "machine", uuid, expected: ["voicemail_hangup"] };
  },
  async (line) => {
    line.other.onCall((incoming) => incoming.reject(486));
    const { body } = await world.api("POST", "/calls", { to_number: line.number });
    return { act: "is busy", uuid: body.call_uuid, expected: ["busy"] };
  },
];

const CONVERSATIONS = Number(process.env.LINEVOICE_CONVERSATIONS ?? ACTS.length);
/** Generous: the machine's other work may hold a thread for a moment. */
const TIMEOUT_MS = 60_000 + CONVERSATIONS * 20_000;

test(
  `${CONVERSATIONS} conversations end for their true reason, and no answer takes 3 s`,
  async () => {
    const random = seededRandom(20_261_121);
    const gaps: number[] = [];
    const untrue: string[] = [];
    const counts = new Map<string, number>();
    const stalls = watchStalls();
    let next = 0;
    let done = 0;
    const run = async (line: Line) => {
      while (next < CONVERSATIONS) {
        const act = ACTS[next++ % ACTS.length];
        if (!act) return;
        try {
          // A registration lasts five minutes, and phones do not refresh it.
          await Promise.all([line.caller.register(), line.other.register()]);
          const late = () => new Error(`not over after ${ACT_MS_MAX} ms`);
          const played = act(line, random, gaps);
          const outcome = await withDeadline(systemClock, played, ACT_MS_MAX, late);
          const { act: name, uuid, expected } = outcome;
          const call = await world.callWhen(uuid, (view) => view.ended_at !== null, 30_000);
          note(name, call, expected);
        } catch (error) {
          wrong(`act ${ACTS.indexOf(act)} failed: ${String(error)}`);
          line.caller.calls.forEach((call) => void call.hangUp());
        }
        if (++done % 50 === 0)
          console.info(
            `${done} conversations, ${untrue.length} untrue, ${gaps.filter((ms) => ms > SILENT_GAP_MS_MAX).length} late ` +
              `answers; this thread stood still for ${stalls.longestMs} ms at most`,
          );
      }
    };
    const note = (name: string, call: CallView, expected: readonly string[]) => {
      const reason = call.ended_reason ?? "none";
      counts.set(`${name}: ${reason}`, (counts.get(`${name}: ${reason}`) ?? 0) + 1);
      if (!expected.includes(reason)) wrong(`${name} ended as ${reason}: ${evidence(call)}`);
    };
    const wrong = (what: string) => {
      untrue.push(what);
      console.info(`${new Date(systemClock.now()).toISOString()} ${what}`);
    };
    await Promise.all(lines.map(run));
    gaps.sort((a, b) => a - b);
    const at = (share: number) => Math.round(gaps[Math.floor((gaps.length - 1) * share)] ?? 0);
    console.info(
      `${[...counts].map(([what, n]) => `${n} × ${what}`).join("\n")}\n` +
        `answers after ${at(0.5)} ms (p50), ${at(0.95)} ms (p95), ${at(1)} ms (longest of ${gaps.length})`,
    );
    expect(untrue).toEqual([]);
    expect(at(1)).toBeLessThanOrEqual(SILENT_GAP_MS_MAX);
    await expectMeasures();
    await eventually(async () => {
      const { calls } = (await world.api("GET", "/calls?limit=100")).body;
      return calls.every((call) => call.ended_at !== null);
    }, "no call is left");
  },
  { timeout: TIMEOUT_MS, retry: CONVERSATIONS > ACTS.length ? 0 : 2 },
);

/** The appliance's rows, whether it runs or not. */
async function reasonsOf(uuids: readonly string[]): Promise<(string | null | undefined)[]> {
  const database = await openDatabase(join(world.dataDir, "linevoice.db"), systemClock.now());
  try {
    const rows = await database.read.select().from(callRows);
    return uuids.map((uuid) => rows.find((row) => row.callUuid === uuid)?.endedReason);
  } finally {
    await database.close();
  }
}

test("a drain refuses new calls, lets live ones end for their own reason, and a stop ends the rest with its reason", async () => {
  await Promise.all(lines.map((line) => line.caller.register()));
  const live = await Promise.all(lines.map((line) => inbound(line)));
  const draining = world.app.drain();
  const late = lines[0]?.other;
  if (!late) throw new Error("no line");
  const refused = await (await late.call(OWN_NUMBER)).answered.catch((error: unknown) => error);
  // Our code while the carrier still has our registration, then the carrier's own.
  if (!(refused instanceof CallNotAnswered)) throw new Error(`not refused: ${String(refused)}`);
  expect([503, 480]).toContain(Number(refused.end.sipCode));
  const [first, ...others] = live;
  await Promise.all(others.map(({ call }) => call.hangUp()));
  await eventually(() => world.app.liveCalls() === 1, "the others are over");
  expect(first?.call.state).toBe("active");
  await Promise.all([world.app.stop(), draining]);
  expect((await first?.call.ended)?.by).toBe("them");
  expect(await reasonsOf(live.map(({ uuid }) => uuid))).toEqual([
    "operator_hangup",
    ...others.map(() => "caller_hangup"),
  ]);
}, 60_000);
