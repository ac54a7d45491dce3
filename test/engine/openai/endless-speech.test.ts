/** A voice that never ends its sentence is cut off, in every variant. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { openAiTts } from "../../../src/engine/openai/engine.ts";
import { failureOf, openAiSettings, sessionSettings } from "../../support/engine/engine-session.ts";
import { eventually } from "../../support/eventually.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";

/** Ten characters: 15 s. */
const TEXT = "Good day.!";
const SECOND_BYTES = 48_000;
const DRIP_MS = 5;

let clock: FakeClock;
/** These bytes are sent repeatedly. */
let drip: Uint8Array;
let isOpen = false;
let server: ReturnType<typeof Bun.serve>;

function endless(): Response {
  let timer: NodeJS.Timeout;
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      isOpen = true;
      timer = setInterval(() => stream.enqueue(drip), DRIP_MS);
    },
    cancel() {
      isOpen = false;
      clearInterval(timer);
    },
  });
  return new Response(body, { headers: { "content-type": "audio/pcm" } });
}

beforeEach(() => {
  clock = fakeClock();
  server = Bun.serve({ hostname: "127.0.44.11", port: 0, fetch: endless });
});
afterEach(() => server.stop(true));

function spoken(): { readonly work: Promise<void>; readonly ms: () => number } {
  const settings = openAiSettings(`http://127.0.44.11:${server.port}/v1`);
  const { stream } = openAiTts(settings, { clock, log: silentLog }).open(sessionSettings());
  let samples = 0;
  const speak = async () => {
    for await (const pcm of stream.speak(TEXT, new AbortController().signal)) samples += pcm.length;
  };
  const { sampleRateHz } = sessionSettings();
  return { work: speak(), ms: () => (samples / sampleRateHz) * 1_000 };
}

test("more speech than the text can have ends it", async () => {
  drip = new Uint8Array(SECOND_BYTES);
  const { work, ms } = spoken();
  const failure = await failureOf(work);
  expect([failure.reason, failure.message]).toEqual([
    "protocol",
    expect.stringContaining("speech of more than 15000 ms"),
  ]);
  expect(ms()).toBeGreaterThan(14_000);
  await eventually(() => !isOpen, "the connection is closed");
});

test("a sample now and then does not count as speech", async () => {
  drip = new Uint8Array(24);
  const { work, ms } = spoken();
  let isOver = false;
  const failed = failureOf(work).finally(() => {
    isOver = true;
  });
  await eventually(() => ms() > 0, "it begins");
  for (let passed = 0; passed < 16; passed++) {
    const before = ms();
    await clock.advance(1_000);
    await eventually(() => isOver || ms() > before, "it goes on");
  }
  expect((await failed).message).toContain("speech of more than 15000 ms");
});
