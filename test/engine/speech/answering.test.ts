/**
 * Answering machine detection on synthesised people and machines in four languages with noise and beeps, with the
 * real voice activity detector. Twice: with a recogniser that understands every word, and with one that
 * understands none. Prints both confusion tables. About 40 s.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import {
  ANSWERING,
  type AnsweredBy,
  AnsweringMachineDetector,
  type AnsweringResult,
} from "../../../src/conversation/answering-machine-detection/detector.ts";
import { greetingKindOf } from "../../../src/conversation/answering-machine-detection/greeting-words.ts";
import { FRAME_MS } from "../../../src/conversation/limits.ts";
import { UtteranceSegmenter } from "../../../src/conversation/turn/utterance-segmenter.ts";
import { createSynthesiser, type Synthesiser } from "../../../src/engine/embedded/synthesiser.ts";
import { loadVad, type VadFactory } from "../../../src/media/audio/vad.ts";
import {
  type Answer,
  answers,
  type Rendered,
  render,
} from "../../support/speech/answering-corpus.ts";

const FRAME_SAMPLES = 160;
const RESULTS: readonly AnsweredBy[] = ["human", "machine", "unknown"];

interface Judged {
  readonly first: AnsweringResult | null;
  readonly last: AnsweringResult | null;
  readonly firstAtMs: number;
  readonly beepAtMs: number | null;
}

let voices: Synthesiser;
let createVad: VadFactory;
beforeAll(async () => {
  [voices, createVad] = await Promise.all([createSynthesiser(), loadVad()]);
}, 60_000);

/** Runs the audio through hearing and detection as a call does, but faster. */
async function judge({ pcm, words }: Rendered, understands: boolean): Promise<Judged> {
  let nowMs = 0;
  let first: AnsweringResult | null = null;
  let firstAtMs = Number.POSITIVE_INFINITY;
  let beepAtMs: number | null = null;
  let last: AnsweringResult | null = null;
  const detection = new AnsweringMachineDetector(
    8_000,
    (result) => {
      if (!first) {
        first = result;
        firstAtMs = nowMs;
      }
      last = result;
    },
    () => {
      beepAtMs = nowMs;
    },
  );
  let beganAtMs = 0;
  const heardBetween = (fromMs: number, toMs: number) =>
    words
      .filter((word) => word.toMs > fromMs && word.fromMs < toMs)
      .map(({ text, ...at }) => {
        const all = text.split(" ");
        const share = Math.min(1, (toMs - at.fromMs) / (at.toMs - at.fromMs));
        return all.slice(0, Math.floor(all.length * share)).join(" ");
      })
      .join(" ");
  const clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    after: () => ({ cancel() {} }),
    every: () => ({ cancel() {} }),
  };
  const hearing: UtteranceSegmenter = new UtteranceSegmenter({
    vad: createVad(),
    stt: {
      capabilities: { partials: false },
      startUtterance() {},
      push() {},
      finalize: async () => ({ text: "", confidence: 0, audioMs: 0 }),
      discard() {},
      onPartial() {},
      expect() {},
    },
    sampleRateHz: 8_000,
    clock,
    endpointingMs: () => ANSWERING.afterGreetingMs,
    events: {
      began: () => {
        beganAtMs = nowMs - 300;
      },
      paused() {},
      wentOn() {},
      dismissed() {},
      endpoint: (utterance) => {
        void hearing.finish();
        detection.utteranceEnded(utterance.speechMs);
        if (understands) detection.words(heardBetween(beganAtMs, nowMs), true);
      },
    },
  });
  for (let start = 0; start + FRAME_SAMPLES <= pcm.length; start += FRAME_SAMPLES) {
    const frame = pcm.subarray(start, start + FRAME_SAMPLES);
    nowMs += FRAME_MS;
    hearing.frame(frame);
    detection.frame(frame, {
      active: hearing.active,
      speechMs: hearing.speechMs,
      silentMs: hearing.silentMs,
      // A recogniser's stable words come about half a second late.
      partial: understands && hearing.active ? heardBetween(beganAtMs, nowMs - 500) : "",
    });
    await Bun.sleep(0);
  }
  return { first, last, firstAtMs, beepAtMs };
}

const table = (counts: ReadonlyMap<string, number>) =>
  RESULTS.map((truth) =>
    [
      truth.padEnd(8),
      ...RESULTS.map((result) => String(counts.get(`${truth}>${result}`) ?? 0).padStart(8)),
    ].join(""),
  ).join("\n");

const VOICES = ["m3", "f2"];

async function examine(understands: boolean) {
  const counts = new Map<string, number>();
  const wrong: string[] = [];
  const greetedAfterMs: number[] = [];
  const beepDelaysMs: number[] = [];
  const corpus: (Answer & { voice: string })[] = answers().flatMap((answer, index) => [
    { ...answer, voice: VOICES[index % 2] ?? "m3" },
  ]);
  for (let at = 0; at < corpus.length; at += 8) {
    const part = corpus.slice(at, at + 8);
    const judged = await Promise.all(
      part.map(async (answer) => {
        const rendered = await render(answer, voices, answer.voice);
        return { answer, rendered, result: await judge(rendered, understands) };
      }),
    );
    for (const { answer, rendered, result } of judged) {
      const said = result.last?.result ?? "unknown";
      const key = `${answer.truth}>${said}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (said !== answer.truth)
        wrong.push(`${answer.noiseDb} dB ${answer.name} → ${said} (${result.last?.cause})`);
      const spokeUntilMs = rendered.words.at(-1)?.toMs;
      if (answer.truth === "human" && said === "human" && spokeUntilMs !== undefined)
        greetedAfterMs.push(result.firstAtMs - spokeUntilMs);
      if (rendered.beepEndMs !== null && result.beepAtMs !== null)
        beepDelaysMs.push(result.beepAtMs - rendered.beepEndMs);
    }
  }
  const beeps = corpus.filter((answer) => answer.beep).length;
  return { counts, wrong, greetedAfterMs, beepDelaysMs, beeps };
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

describe("answering machine detection", () => {
  test("with perfect recognition people, machines and screening services are distinguished", async () => {
    const { counts, wrong, greetedAfterMs, beepDelaysMs, beeps } = await examine(true);
    console.info(`truth \\ judged   human machine unknown\n${table(counts)}\n${wrong.join("\n")}`);
    console.info(
      `a person waits ${median(greetedAfterMs)} ms (median), ${Math.max(...greetedAfterMs)} ms at most; ` +
        `beep known ${median(beepDelaysMs)} ms after its end (${beepDelaysMs.length} of ${beeps})`,
    );
    expect(wrong).toEqual([]);
    expect(beepDelaysMs).toHaveLength(beeps);
    expect(Math.max(...greetedAfterMs)).toBeLessThan(
      ANSWERING.afterGreetingMs + ANSWERING.wordsWaitMs + 300,
    );
  }, 120_000);

  test("without recognition the beep reveals machines, and people never count as machines", async () => {
    const { counts, wrong } = await examine(false);
    console.info(`truth \\ judged   human machine unknown\n${table(counts)}\n${wrong.join("\n")}`);
    expect(counts.get("human>machine") ?? 0).toBe(0);
    expect(counts.get("machine>human") ?? 0).toBe(0);
  }, 120_000);

  test.each([
    ["After the tone, please leave your message", "machine"],
    ["Šiuo metu negaliu atsiliepti, palikite žinutę", "machine"],
    ["Lūdzu atstājiet ziņu pēc signāla", "machine"],
    ["Оставьте сообщение после сигнала", "machine"],
    ["Please state your name", "screening"],
    ["Kas skambina?", "screening"],
    ["Кто звонит?", "screening"],
    ["Hello, this is Anna speaking", null],
    ["Taip, klausau jūsų", null],
    ["Could you call me tomorrow?", null],
  ] as const)("%s: %s", (text, giveaway) => {
    expect(greetingKindOf(text)).toBe(giveaway);
  });
});
