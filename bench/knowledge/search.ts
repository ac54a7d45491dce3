/**
 * Large knowledge: look-up time per turn, by words and by meaning, through the calls' knowledge
 * worker; and the longest time for which indexing blocks the main thread.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { type Random, seededRandom } from "../../src/core/random.ts";
import { openAiEmbedder } from "../../src/engine/openai/embeddings.ts";
import { createWorkerIndex } from "../../src/features/knowledge/index/worker-index.ts";
import type { KnowledgeScope } from "../../src/features/knowledge/knowledge-index.ts";
import { spawnKnowledgeWorker } from "../../src/workers.ts";
import { embeddingSettings } from "../../test/support/engine/engine-session.ts";
import { percentile } from "../process/percentile.ts";

const FILE_CHARACTERS = 450_000;
const QUESTIONS = 300;
const WORDS_A_QUESTION = 7;
/** The first questions do not count, because they include compilation. */
const WARM_UP = 30;

interface Figures {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

interface KnowledgeResult {
  readonly megabytes: number;
  readonly indexedSeconds: number;
  readonly longestBlockMs: number;
  readonly search: Figures;
}

export async function measureKnowledge(
  megabytes: number,
  byMeaning: boolean,
): Promise<KnowledgeResult> {
  const directory = mkdtempSync(join(tmpdir(), "bench-knowledge-"));
  const server = byMeaning ? new Worker(new URL("./embeddings.worker.ts", import.meta.url)) : null;
  const url = server && (await addressOf(server));
  const words = vocabulary(seededRandom(1));
  const contents = new Map<number, string>();
  const index = createWorkerIndex({
    spawn: spawnKnowledgeWorker,
    directory,
    clock: systemClock,
    log: silentLog,
    content: async (_, fileId) => contents.get(fileId),
    embedder: url
      ? openAiEmbedder(embeddingSettings(url, { embedding_model: "bench" }), systemClock)
      : null,
  });
  const random = seededRandom(2);
  let bytes = 0;
  for (let id = 1; bytes < megabytes * 1e6; id++) {
    const content = fileOf(words, random);
    contents.set(id, content);
    bytes += Buffer.byteLength(content);
  }
  const scope: KnowledgeScope = {
    tenantId: 1,
    files: [...contents.keys()].map((id) => ({
      id,
      filename: `${id}.md`,
      format: "md",
      version: 1,
    })),
  };
  try {
    const watch = watchThread();
    const startedAt = performance.now();
    index.prepare(scope);
    await index.idle();
    await index.embedded();
    const indexedSeconds = (performance.now() - startedAt) / 1_000;
    const longestBlockMs = watch.stop();
    const takenMs: number[] = [];
    for (let at = 0; at < WARM_UP + QUESTIONS; at++) {
      const question = wordsOf(words, random, WORDS_A_QUESTION);
      const askedAt = performance.now();
      await index.search(scope, question);
      if (at >= WARM_UP) takenMs.push(performance.now() - askedAt);
    }
    takenMs.sort((a, b) => a - b);
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(takenMs, share));
    const search = { p50: p50 ?? 0, p95: p95 ?? 0, p99: p99 ?? 0 };
    return { megabytes: bytes / 1e6, indexedSeconds, longestBlockMs, search };
  } finally {
    index.close();
    server?.terminate();
    rmSync(directory, { recursive: true, force: true });
  }
}

const addressOf = (server: Worker): Promise<string> =>
  new Promise((resolve) => {
    server.onmessage = ({ data }) => resolve(data);
  });

/** Measures the longest time for which the thread was blocked. */
function watchThread() {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  return {
    stop() {
      clearInterval(timer);
      return longest;
    },
  };
}

const LETTERS = "abcdefghijklmnoprstuvząčęėįšųū";

function vocabulary(random: Random): string[] {
  const letter = () => LETTERS[Math.floor(random.float() * LETTERS.length)] ?? "a";
  return Array.from({ length: 60_000 }, () =>
    Array.from({ length: 3 + Math.floor(random.float() * 8) }, letter).join(""),
  );
}

/** Random words with a natural frequency distribution (Zipf). */
function wordsOf(words: readonly string[], random: Random, count: number): string {
  const word = () => words[Math.floor(Math.exp(random.float() * Math.log(words.length))) - 1] ?? "";
  return Array.from({ length: count }, word).join(" ");
}

function fileOf(words: readonly string[], random: Random): string {
  const sections: string[] = [];
  for (let length = 0; length < FILE_CHARACTERS; length += sections.at(-1)?.length ?? 1) {
    const body = wordsOf(words, random, 60 + Math.floor(random.float() * 80));
    sections.push(`## ${wordsOf(words, random, 5)}?\n${body}.\n\n`);
  }
  return sections.join("");
}
