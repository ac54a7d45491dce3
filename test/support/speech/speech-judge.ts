/**
 * Checks what the remote party of a call heard with an independent recogniser (pocketsphinx,
 * wide-band model, audio converted to 16 kHz), which must choose one of the given sentences. For
 * synthetic speech, a forced choice is reliable and free transcription is not. The sentence matcher
 * (src/demo/hearing) checks whether any such sentence was spoken at all.
 *
 * Measured: 8 of 8 sentences in Nathan's voice, including near misses (forty, fifty); 6 of 8 in
 * Sari's.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peerPath } from "../peers.ts";

const MODEL = "/usr/share/pocketsphinx/model/en-us";
const TIMEOUT_MS = 60_000;

/** The best of `sentences`; null if the recogniser found none. 8 kHz. */
export async function chooseSentence(
  pcm8k: Int16Array,
  sentences: readonly string[],
): Promise<string | null> {
  const directory = mkdtempSync(join(tmpdir(), "judge-"));
  const file = (name: string) => join(directory, name);
  try {
    const normalised = sentences.map(wordsOf);
    writeFileSync(
      file("choice.jsgf"),
      `#JSGF V1.0;\ngrammar choice;\npublic <sentence> = ${normalised.join(" | ")};\n`,
    );
    writeFileSync(file("heard.raw"), new Uint8Array(at16k(pcm8k).buffer));
    writeFileSync(file("list"), "heard\n");
    await recognise(directory);
    const hypothesis = await Bun.file(file("result")).text();
    const words = hypothesis.replace(/\s*\(heard .*$/s, "").trim();
    const index = normalised.indexOf(words);
    return sentences[index] ?? null;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function recognise(directory: string): Promise<void> {
  const settings = {
    hmm: join(MODEL, "en-us"),
    dict: join(MODEL, "cmudict-en-us.dict"),
    jsgf: join(directory, "choice.jsgf"),
    ctl: join(directory, "list"),
    cepdir: directory,
    cepext: ".raw",
    adcin: "yes",
    samprate: "16000",
    hyp: join(directory, "result"),
    // Forced choice: no pruning, no noise model.
    beam: "0",
    wbeam: "0",
    pbeam: "0",
    topn: "8",
    remove_noise: "no",
    cmn: "batch",
  };
  const child = Bun.spawn(
    [
      peerPath("pocketsphinx_batch"),
      ...Object.entries(settings).flatMap(([name, value]) => [`-${name}`, value]),
    ],
    { stdin: "ignore", stdout: "ignore", stderr: "pipe", timeout: TIMEOUT_MS },
  );
  const complaint = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`pocketsphinx: ${complaint.slice(-1000)}`);
}

const wordsOf = (sentence: string): string =>
  sentence
    .toLowerCase()
    .replace(/[^a-z' ]/g, "")
    .trim();

/** Doubles the sample rate by interpolation, and adds half a second of room noise at both ends. */
function at16k(pcm8k: Int16Array): Int16Array {
  const margin = 8000;
  const wide = new Int16Array(pcm8k.length * 2 + 2 * margin);
  let noise = 1;
  for (let i = 0; i < wide.length; i++) {
    noise = (noise * 1_103_515_245 + 12_345) & 0x7fffffff;
    const position = (i - margin) / 2;
    const before = pcm8k[Math.floor(position)] ?? 0;
    const after = pcm8k[Math.ceil(position)] ?? 0;
    wide[i] = (before + after) / 2 + (noise % 21) - 10;
  }
  return wide;
}

/** Parts of speech between pauses of at least `pauseMs`, each with 100 ms of margin. 8 kHz. */
export function utterancesOf(pcm8k: Int16Array, pauseMs = 900): Int16Array[] {
  const frame = 160;
  const pauseFrames = pauseMs / 20;
  const found: Int16Array[] = [];
  let first = -1;
  let last = -1;
  const close = () => {
    if (first >= 0) found.push(pcm8k.slice(Math.max(0, first - 800), last + frame + 800));
    first = -1;
  };
  for (let start = 0; start + frame <= pcm8k.length; start += frame) {
    const loud = pcm8k.subarray(start, start + frame).some((sample) => Math.abs(sample) > 500);
    if (loud) {
      if (first < 0) first = start;
      last = start;
    } else if (first >= 0 && start - last > pauseFrames * frame) close();
  }
  close();
  return found;
}
