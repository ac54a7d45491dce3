/**
 * Embeddings by `POST /embeddings`: OpenAI, and self-hosted servers (Ollama, llama.cpp, vLLM,
 * LocalAI).
 */
import type { Clock } from "../../core/clock.ts";
import { isObject, type JsonValue, parseJson } from "../../core/json.ts";
import type { Embedded, Embedder } from "../../features/knowledge/embedder.ts";
import type { Trust } from "../../platform/net/trust.ts";
import { tokenCount } from "./answer-reader.ts";
import { Service } from "./service.ts";
import { type EmbeddingSettings, embeddingServiceOf } from "./settings.ts";

/** A turn waits 300 ms for its passages, and the search needs some of them. */
const QUESTION_MS_MAX = 250;
const PASSAGES_MS_MAX = 30_000;
const DIMENSIONS_MAX = 4_096;
/** A number as servers write it, also if it is on a separate line. */
const NUMBER_BYTES_MAX = 40;
/** Bytes in addition to the vectors. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** `trust`: if missing, the runtime's certificates. */
export function openAiEmbedder(settings: EmbeddingSettings, clock: Clock, trust?: Trust): Embedder {
  const model = settings.embedding_model ?? "";
  const serviceWithin = (timeoutMs: number) =>
    new Service({ part: "llm", settings: embeddingServiceOf(settings, timeoutMs), clock, trust });
  const services = {
    question: serviceWithin(QUESTION_MS_MAX),
    passages: serviceWithin(PASSAGES_MS_MAX),
  };
  return {
    model,
    async embed(texts, use) {
      const service = services[use];
      const limit = new AbortController();
      const answer = await service.ask({
        path: "/embeddings",
        body: { model, input: texts, encoding_format: "float" },
        accept: "application/json",
        signal: limit.signal,
        pauseMsMax: PASSAGES_MS_MAX,
        bytesMax: ANSWER_BYTES_MAX + texts.length * DIMENSIONS_MAX * NUMBER_BYTES_MAX,
      });
      const read = readEmbeddings(parseJson(await answer.text()), texts.length);
      if (read === null) throw service.fail("protocol", "the answer holds no vectors as asked for");
      return read;
    },
  };
}

/** Null if the answer does not contain one vector per text. */
function readEmbeddings(body: JsonValue | undefined, count: number): Embedded | null {
  if (!isObject(body) || !Array.isArray(body.data) || body.data.length !== count) return null;
  const vectors: Float32Array[] = [];
  for (const [at, item] of body.data.entries()) {
    if (!isObject(item) || !Array.isArray(item.embedding)) return null;
    const index = typeof item.index === "number" ? item.index : at;
    const vector = Float32Array.from(item.embedding, Number);
    if (!vector.every(Number.isFinite)) return null;
    vectors[index] = vector;
  }
  const [first] = vectors;
  const isWhole = Array.from({ length: count }, (_, at) => vectors[at]).every(
    (vector) => vector !== undefined && vector.length === first?.length,
  );
  if (!first || first.length === 0 || first.length > DIMENSIONS_MAX || !isWhole) return null;
  const { usage } = body;
  const tokens = isObject(usage) ? tokenCount(usage.total_tokens ?? usage.prompt_tokens) : 0;
  return { vectors, tokens };
}
