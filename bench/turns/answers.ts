/**
 * Answer delay while many callers speak. sipp places the calls; phones in C repeat the same
 * question and measure from its last sound to the answer's first loud packet. The provider is a
 * separate process with fixed delays (target.ts). Measures the values of `[conversation] speculate`
 * one after another. Needs sipp and a C compiler.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConversationSettings } from "../../src/conversation/conversation-settings.ts";
import { createVoices } from "../../src/demo/voices.ts";
import { encodeG711 } from "../../src/platform/audio/g711.ts";
import { type Answers, measureOurs } from "../calls/phones.ts";
import { nativePrograms } from "../media/native.ts";
import { withServers } from "./latency.ts";
import { QUESTION } from "./target.ts";

type Speculate = ConversationSettings["speculate"];

export interface AnswersResult extends Answers {
  readonly callers: number;
  readonly speculate: Speculate;
  /** Percent of one core per call. */
  readonly cpuPercentPerCall: number;
}

interface AnswersOptions {
  readonly callers: number;
  readonly seconds: number;
  readonly values: readonly Speculate[];
}

const CALLER_VOICE = "m3";
/** Time for an answer of two seconds, which must end before the next question. */
const PAUSE_MS = 5_000;
const OCTETS_PER_MS = 8;
const FRAME_OCTETS = 160;
const A_LAW_SILENCE = 0xd5;

/** Returns an empty list without sipp or a C compiler. */
export async function measureAnswers(options: AnswersOptions): Promise<AnswersResult[]> {
  const native = Bun.which("sipp") ? nativePrograms() : null;
  if (!native) return [];
  const directory = mkdtempSync(join(tmpdir(), "linevoice-bench-"));
  try {
    const speech = join(directory, "question.al");
    const questionOctets = await writeQuestion(speech);
    return await withServers(async ({ openai }) => {
      const results: AnswersResult[] = [];
      for (const speculate of options.values) {
        const { answers, cpuPercentPerCall } = await measureOurs(native, {
          calls: options.callers,
          seconds: options.seconds,
          speech,
          questionOctets,
          serveArguments: [openai, speculate],
        });
        results.push({ callers: options.callers, speculate, cpuPercentPerCall, ...answers });
      }
      return results;
    });
  } finally {
    native.remove();
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Writes the question and its pause, in whole frames. Returns the length of the question in octets.
 */
async function writeQuestion(path: string): Promise<number> {
  const voices = await createVoices();
  const pcm = await voices.speak(CALLER_VOICE, QUESTION);
  const octets = Math.ceil((pcm.length + PAUSE_MS * OCTETS_PER_MS) / FRAME_OCTETS) * FRAME_OCTETS;
  const speech = new Uint8Array(octets).fill(A_LAW_SILENCE);
  encodeG711("PCMA", pcm, speech);
  writeFileSync(path, speech);
  return pcm.length;
}

if (import.meta.main) {
  const [callers = "20", seconds = "15", ...values] = process.argv.slice(2) as Speculate[];
  const options = { callers: Number(callers), seconds: Number(seconds) };
  for (const value of values.length > 0 ? values : (["off", "all"] as const))
    console.log(JSON.stringify(await measureAnswers({ ...options, values: [value] })));
}
