/**
 * One spoken question to an agent of the embedded engine: G.711 with faint noise, the voice
 * activity detector and endpointing of a call, the recogniser, and the scripted agent's first
 * reply.
 */

import type { LlmEvent, SttResult } from "../../src/conversation/engine-port.ts";
import { endpointingSilenceMs } from "../../src/conversation/turn/endpointing.ts";
import { UtteranceSegmenter } from "../../src/conversation/turn/utterance-segmenter.ts";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { seededRandom } from "../../src/core/random.ts";
import type { Nearness } from "../../src/engine/embedded/meaning/lessons.ts";
import { CallerSttStream } from "../../src/engine/embedded/recogniser/recogniser.ts";
import { Transcriber } from "../../src/engine/embedded/recogniser/transcriber.ts";
import {
  type KnowledgeEntry,
  parseKnowledge,
} from "../../src/engine/embedded/scripted/knowledge.ts";
import { createScriptedSession } from "../../src/engine/embedded/scripted/scripted-session.ts";
import { lessonOf, Topics, textForMeaning } from "../../src/engine/embedded/scripted/topics.ts";
import { loadVad, type VadFactory } from "../../src/media/audio/vad.ts";
import { decodeG711, encodeG711 } from "../../src/platform/audio/g711.ts";
import type { Faq, Question } from "./faqs/faq.ts";

const TRANSCRIBER = new URL("../../src/worker/transcriber.worker.ts", import.meta.url).href;
const FRAME_SAMPLES = 160;
const FRAME_MS = 20;
/** Interval at which to check whether the agent's topics are learnt. */
const LEARNING_MS = 100;
const LEAD_SAMPLES = 6_400;
const TAIL_SAMPLES = 12_800;
/** −55 dBFS. */
const NOISE = 32_768 * 10 ** (-55 / 20);
const ENDPOINTING = {
  endpointingMs: 350,
  endpointingUnfinishedMs: 900,
  endpointingDictationMs: 1_600,
  endpointingMaxMs: 3_000,
};

/**
 * Result of a question by the first reply. `command`: the agent mistook it for another intent and
 * executed that. `command asked back`: the agent asked whether it was one.
 */
export type Outcome =
  | "right"
  | "wrong"
  | "asked rightly"
  | "asked wrongly"
  | "refused"
  | "command"
  | "command asked back"
  | "call ended";

const ASKS_WHETHER_COMMAND = /^Would you like to (end the call|speak to a person)/;

export interface Hearing {
  /** Joined if endpointing split the caller's utterance. */
  readonly text: string;
  readonly confidence: number;
}

export interface Laboratory {
  hear(pcm: Int16Array, seed: number): Promise<Hearing>;
  reply(faq: Faq, question: Question, hearing: Hearing): Promise<Outcome>;
  close(): void;
}

export async function createLaboratory(): Promise<Laboratory> {
  const createVad = await loadVad();
  const transcriber = new Transcriber({ spawn: () => new Worker(TRANSCRIBER), clock: systemClock });
  transcriber.load();
  return {
    hear: (pcm, seed) => hear(transcriber, createVad, onLine(pcm, seed)),
    reply: (faq, question, hearing) => reply(transcriber, knowledgeOf(faq), question, hearing),
    close: () => transcriber.unload(),
  };
}

/** Audio arrives as fast as it is decoded, so timers up to 1 s fire immediately. */
const IMPATIENT_CLOCK: Clock = {
  ...systemClock,
  after(ms, run) {
    if (ms > 1_000) return { cancel() {} };
    const immediate = setImmediate(run);
    return { cancel: () => clearImmediate(immediate) };
  },
};

const knowledgeOf = (faq: Faq): readonly KnowledgeEntry[] =>
  parseKnowledge([{ filename: "faq.md", format: "md", content: faq.knowledge }]);

/** Encodes to A-law and decodes again, with white noise. */
function onLine(pcm: Int16Array, seed: number): Int16Array {
  const random = seededRandom(seed);
  const line = new Int16Array(LEAD_SAMPLES + pcm.length + TAIL_SAMPLES);
  for (let index = 0; index < line.length; index++) {
    const radius = Math.sqrt(-2 * Math.log(random.float() + 1e-12));
    const noise = NOISE * radius * Math.cos(2 * Math.PI * random.float());
    line[index] = (pcm[index - LEAD_SAMPLES] ?? 0) + noise;
  }
  const octets = new Uint8Array(line.length);
  encodeG711("PCMA", line, octets);
  decodeG711("PCMA", octets, line);
  return line;
}

async function hear(
  transcriber: Transcriber,
  createVad: VadFactory,
  line: Int16Array,
): Promise<Hearing> {
  const stream = new CallerSttStream(
    { sampleRateHz: 8000, onPartial() {} },
    { clock: IMPATIENT_CLOCK, transcriber },
  );
  const stt = Object.assign(stream, {
    capabilities: { partials: false },
    onPartial() {},
    expect() {},
  });
  let nowMs = 0;
  const pieces: Promise<SttResult>[] = [];
  const segmenter: UtteranceSegmenter = new UtteranceSegmenter({
    vad: createVad(),
    stt,
    sampleRateHz: 8000,
    clock: { ...IMPATIENT_CLOCK, now: () => nowMs, monotonic: () => nowMs },
    endpointingMs: (partial) =>
      endpointingSilenceMs(ENDPOINTING as Parameters<typeof endpointingSilenceMs>[0], "en", {
        expected: "open",
        partial,
        sttReportsPartials: false,
      }),
    events: {
      began() {},
      paused() {},
      wentOn() {},
      dismissed() {},
      endpoint: () => pieces.push(segmenter.finish()),
    },
  });
  for (let at = 0; at + FRAME_SAMPLES <= line.length; at += FRAME_SAMPLES) {
    segmenter.frame(line.subarray(at, at + FRAME_SAMPLES));
    nowMs += FRAME_MS;
    await new Promise(setImmediate);
  }
  const results = await Promise.all(pieces);
  stream.close();
  const understood = results.filter(({ text }) => text !== "");
  return {
    text: understood.map(({ text }) => text).join(" "),
    confidence: Math.min(1, ...understood.map(({ confidence }) => confidence)),
  };
}

/**
 * Waits until the topics are learnt. In a call, the greeting and the caller's first words take
 * longer.
 */
async function nearnessOnceLearnt(
  transcriber: Transcriber,
  knowledge: readonly KnowledgeEntry[],
  said: string,
): Promise<Nearness> {
  const lesson = lessonOf(knowledge, []);
  for (;;) {
    transcriber.learn(lesson);
    const nearness = await transcriber.compare(lesson.key, textForMeaning(said));
    if (nearness !== null) return nearness;
    await Bun.sleep(LEARNING_MS);
  }
}

async function reply(
  transcriber: Transcriber,
  knowledge: readonly KnowledgeEntry[],
  { entry }: Question,
  { text, confidence }: Hearing,
): Promise<Outcome> {
  const topics = new Topics(knowledge, [], "en");
  const session = createScriptedSession({
    settings: { transferTargets: ["+37060000000"] },
    subject: { callId: "", language: "en", tools: [], knowledge: [], memory: null },
    askTopics: async (_subject, { texts, confidence, nearness, lesson }) => ({
      found: texts.map((text) => {
        const match = topics.match(text);
        return { match, finding: topics.find(text, confidence, nearness) };
      }),
      offered: topics.offered,
      lesson: lesson ? lessonOf(knowledge, []) : null,
    }),
    meanings: {
      learn: () => {},
      compare: (_key, said) => nearnessOnceLearnt(transcriber, knowledge, said),
    },
    clock: systemClock,
    random: seededRandom(1),
  });
  const events: LlmEvent[] = [];
  const input = { type: "utterance", text, confidence } as const;
  for await (const event of session.respond(input, new AbortController().signal))
    events.push(event);
  if (events.some(({ type }) => type === "end_call" || type === "transfer")) return "call ended";
  const said = events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join(" ");
  if (said.startsWith("Sorry, I don't know that")) return "refused";
  const titles = knowledge.flatMap(({ questions }) => questions.slice(0, 1));
  if (said.startsWith("Did you mean")) {
    const offered = titles.filter((title) => said.includes(title));
    return entry !== null && offered.includes(entry) ? "asked rightly" : "asked wrongly";
  }
  if (ASKS_WHETHER_COMMAND.test(said)) return "command asked back";
  const answering = knowledge.find(({ answer }) => answer === said);
  if (answering === undefined) return "command";
  return answering.questions[0] === entry ? "right" : "wrong";
}
