/**
 * Complete result lists for questions in four languages: by words (BM25, stems, trigrams), and by words and
 * meaning combined with reciprocal rank fusion, with vectors from an HTTPS server of a private authority. A change
 * of the search changes lists: check each difference before you update it here.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "../../../../src/core/clock.ts";
import { silentLog } from "../../../../src/core/log.ts";
import { openAiEmbedder } from "../../../../src/engine/openai/embeddings.ts";
import {
  createWorkerIndex,
  type WorkerIndex,
} from "../../../../src/features/knowledge/index/worker-index.ts";
import type { KnowledgeScope } from "../../../../src/features/knowledge/knowledge-index.ts";
import { trusting } from "../../../../src/platform/net/trust.ts";
import { spawnKnowledgeWorker } from "../../../../src/workers.ts";
import { embeddingSettings } from "../../../support/engine/engine-session.ts";
import { meaningOf } from "../../../support/engine/meanings.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { type HttpsReceiver, httpsReceiver } from "../../../support/net/https-receiver.ts";
import { testCa } from "../../../support/net/test-ca.ts";
import {
  CLINIC_FILES,
  CLINIC_QUESTIONS,
  type ClinicLanguage,
} from "../../../support/speech/clinic-passages.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import { RESULT_LISTS } from "./result-lists.ts";

const languages = Object.keys(CLINIC_FILES) as ClinicLanguage[];
const contents = Object.values(CLINIC_FILES);
const files = languages.map((language, at) => ({
  id: at + 1,
  filename: `${language}.md`,
  format: "md" as const,
  version: 1,
}));
const scopeOf = (language: ClinicLanguage): KnowledgeScope => ({
  tenantId: 1,
  files: files.filter(({ filename }) => filename === `${language}.md`),
});
/** Only the file of the question's language is in scope. */
const asked = languages.flatMap((language) =>
  CLINIC_QUESTIONS[language].map((question) => ({ language, question })),
);

let server: HttpsReceiver;
let byWords: WorkerIndex;
let byBoth: WorkerIndex;

const indexOf = (embedder: Parameters<typeof createWorkerIndex>[0]["embedder"]) =>
  createWorkerIndex({
    spawn: spawnKnowledgeWorker,
    directory: tempDir(),
    clock: systemClock,
    log: silentLog,
    content: async (_, fileId) => contents[fileId - 1],
    embedder: embedder ?? null,
  });

beforeAll(async () => {
  const ca = testCa(tempDir());
  server = await httpsReceiver(ca.issue(["IP:127.0.0.1"]), ({ body }, response) => {
    const { input } = JSON.parse(body) as { input: string[] };
    const data = input.map((text, index) => ({ index, embedding: meaningOf(text) }));
    response.end(JSON.stringify({ data, usage: { total_tokens: 3 * input.length } }));
  });
  const settings = embeddingSettings(`https://127.0.0.1:${server.port}/v1`, {
    embedding_model: "meanings",
  });
  byWords = indexOf(null);
  // The clock is fake, so that no question's vector is late on a busy machine.
  byBoth = indexOf(openAiEmbedder(settings, fakeClock(), trusting(ca.caPem)));
  for (const index of [byWords, byBoth]) {
    index.prepare({ tenantId: 1, files });
    await index.idle();
    await index.embedded();
  }
}, 30_000);

afterAll(async () => {
  byWords.close();
  byBoth.close();
  await server.close();
});

const named = async (
  index: WorkerIndex,
  { language, question }: (typeof asked)[number],
  used?: (tokens: number) => void,
) => (await index.search(scopeOf(language), question, used)).map(({ heading }) => heading);

test("every question has its lists", () => {
  expect(Object.keys(RESULT_LISTS)).toEqual(asked.map(({ question }) => question));
});

test.each(asked)("$language: $question by words", async (one) => {
  expect(await named(byWords, one)).toEqual([...(RESULT_LISTS[one.question]?.words ?? [])]);
});

test.each(asked)("$language: $question by words and meaning", async (one) => {
  let tokens = 0;
  const found = await named(byBoth, one, (used) => {
    tokens += used;
  });
  expect(tokens).toBe(3);
  expect(found).toEqual([...(RESULT_LISTS[one.question]?.both ?? [])]);
});
