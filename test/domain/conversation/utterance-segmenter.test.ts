import { expect, test } from "bun:test";
import type { SttStream } from "../../../src/domain/conversation/engine-port.ts";
import { SpeechDetector } from "../../../src/domain/conversation/speech-detector.ts";
import {
  type Utterance,
  UtteranceSegmenter,
} from "../../../src/domain/conversation/utterance-segmenter.ts";
import { fakeClock } from "../../support/fake-clock.ts";

/** A frame whose every sample is `mark`; marks above 1000 are speech. */
const frame = (mark: number) => new Int16Array(160).fill(mark);
const vad = { process: (pcm: Int16Array) => ((pcm[0] ?? 0) > 1_000 ? 0.9 : 0.1) };

function listen(endpointingMs = 350) {
  const clock = fakeClock();
  const log: string[] = [];
  const utterances: Utterance[] = [];
  let lead: Int16Array = new Int16Array(0);
  let pushed = 0;
  let farEndpoint = () => {};
  const stt: SttStream = {
    capabilities: { partials: true },
    startUtterance(samples) {
      lead = samples;
      log.push("begin");
    },
    push: () => {
      pushed++;
    },
    finalize: async () => ({ text: "hello", confidence: 1, audioMs: 500 }),
    discard: () => log.push("cancel"),
    onPartial() {},
    onEndpoint: (listener) => {
      farEndpoint = listener;
    },
    expect() {},
  };
  const hearing = new UtteranceSegmenter({
    vad,
    stt,
    sampleRateHz: 8000,
    clock,
    endpointingMs: () => endpointingMs,
    events: {
      began: () => log.push("began"),
      paused: () => log.push("paused"),
      wentOn: () => log.push("went on"),
      endpoint(utterance) {
        utterances.push(utterance);
        log.push("endpoint");
        void hearing.finish();
      },
      dismissed: () => log.push("dismissed"),
    },
  });
  async function hear(durationMs: number, mark: number): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += 20) {
      await clock.advance(20);
      hearing.frame(frame(mark));
    }
  }
  return {
    ...{ hear, hearing, log, utterances, lead: () => lead, pushed: () => pushed },
    saysItIsOver: () => farEndpoint(),
  };
}

test("an utterance runs from onset over pauses to its endpoint, with its times", async () => {
  const stt = listen();
  await stt.hear(1_000, 0);
  await stt.hear(600, 9_000);
  await stt.hear(200, 0);
  await stt.hear(400, 9_000);
  await stt.hear(400, 0);
  expect(stt.log).toEqual(["begin", "began", "paused", "went on", "paused", "endpoint"]);
  expect(stt.utterances[0]?.speechMs).toBe(1_000);
  expect(stt.utterances[0]?.beganAt).toBe(1_000);
  expect(stt.utterances[0]?.lastSpeechAt).toBe(2_200);
});

test("the ear gets the half second before the onset, in order, onset included", async () => {
  const stt = listen();
  for (let mark = 1; mark <= 100; mark++) await stt.hear(20, mark);
  for (let mark = 9_001; mark <= 9_003; mark++) await stt.hear(20, mark);
  const marks = [...stt.lead()].filter((_, index) => index % 160 === 0);
  const before = Array.from({ length: 22 }, (_, index) => 79 + index);
  expect(marks).toEqual([...before, 9_001, 9_002, 9_003]);
});

test("a caller who speaks in the very first frame has what there is as lead", async () => {
  const stt = listen();
  await stt.hear(60, 9_000);
  expect(stt.lead().length).toBe(3 * 160);
});

test("where the recogniser says that the caller has finished, 100 ms of silence end the utterance", async () => {
  const stt = listen();
  stt.saysItIsOver();
  await stt.hear(600, 9_000);
  stt.saysItIsOver();
  await stt.hear(80, 0);
  expect(stt.utterances).toHaveLength(0);
  await stt.hear(20, 0);
  expect(stt.utterances).toHaveLength(1);
});

test("a click is no utterance", async () => {
  const stt = listen();
  await stt.hear(500, 0);
  await stt.hear(80, 9_000);
  await stt.hear(600, 0);
  expect(stt.log).toEqual(["begin", "began", "paused", "cancel", "dismissed"]);
});

test("an utterance without end is ended after 30 s", async () => {
  const stt = listen();
  await stt.hear(31_000, 9_000);
  expect(stt.utterances).toHaveLength(1);
});

test("a quiet line costs the ear nothing", async () => {
  const stt = listen();
  await stt.hear(10_000, 0);
  expect(stt.pushed()).toBe(0);
  expect(stt.log).toEqual([]);
});

test("a single frame of noise is no onset, a flicker is no pause", () => {
  let probability = 0;
  const detector = new SpeechDetector({ process: () => probability });
  const feed = (...values: number[]) =>
    values.map((value) => {
      probability = value;
      return detector.process(frame(0));
    });
  expect(feed(0.9, 0.9, 0.1, 0.9, 0.9)).toEqual([null, null, null, null, null]);
  expect(feed(0.9)).toEqual(["began"]);
  expect(feed(0.1, 0.1, 0.1, 0.1, 0.9)).toEqual([null, null, null, null, null]);
  expect(feed(0.1, 0.1, 0.1, 0.1, 0.1)).toEqual([null, null, null, null, "paused"]);
  expect(feed(0.4, 0.9)).toEqual([null, "went_on"]);
});
