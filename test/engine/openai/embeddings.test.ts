/** Embeddings from a server on a real socket: requests, validated answers, time-outs. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { systemClock } from "../../../src/core/clock.ts";
import { openAiEmbedder } from "../../../src/engine/openai/embeddings.ts";
import { type EmbeddingServer, embeddingServer } from "../../support/engine/embedding-server.ts";
import { API_KEY, embeddingSettings, failureOf } from "../../support/engine/engine-session.ts";

let server: EmbeddingServer;
beforeEach(() => {
  server = embeddingServer();
});
afterEach(() => server.close());

const embedder = (more = {}) =>
  openAiEmbedder(embeddingSettings(server.url, { embedding_model: "small", ...more }), systemClock);

test("each text has its vector, in the order of the texts, and tokens are counted", async () => {
  const { vectors, tokens } = await embedder().embed(["parking", "price", "car"], "passages");
  expect(vectors.map(({ length }) => length)).toEqual([64, 64, 64]);
  expect(vectors[0]).toEqual(vectors[2] as Float32Array);
  expect(vectors[0]).not.toEqual(vectors[1] as Float32Array);
  expect(tokens).toBe(21);
  expect(server.seen).toEqual([
    { model: "small", input: ["parking", "price", "car"], key: `Bearer ${API_KEY}` },
  ]);
});

test("a separate server gets its own key, never the one of base_url", async () => {
  const own = { base_url: "http://127.0.0.1:1/v1", embedding_base_url: server.url };
  await embedder(own).embed(["parking"], "passages");
  await embedder({ ...own, embedding_api_key: "own" }).embed(["parking"], "passages");
  expect(server.seen.map(({ key }) => key)).toEqual([null, "Bearer own"]);
});

test.each([
  ["another number of vectors", { data: [] }],
  ["vectors of different lengths", { data: [{ embedding: [1, 2] }, { embedding: [1] }] }],
  ["no numbers", { data: [{ embedding: ["a"] }, { embedding: ["b"] }] }],
  ["empty vectors", { data: [{ embedding: [] }, { embedding: [] }] }],
  [
    "a text without a vector",
    {
      data: [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
    },
  ],
  ["no list", { vectors: 1 }],
])("%s: the answer is rejected", async (_, body) => {
  server.script.fault = { body };
  const failure = await failureOf(embedder().embed(["a", "b"], "passages"));
  expect(failure.reason).toBe("protocol");
});

test.each([
  [-5, 0],
  [2.6, 3],
  [1e300, 100_000_000],
])("a server that reports %p tokens counts as %d", async (told, counted) => {
  const data = [{ embedding: [1, 2] }];
  server.script.fault = { body: { data, usage: { total_tokens: told } } };
  expect((await embedder().embed(["a"], "question")).tokens).toBe(counted);
});

test("an answer may be as long as its longest vectors; a longer one is cut off", async () => {
  const longest = Array.from({ length: 4_096 }, () => -0.12345678901234566);
  server.script.fault = { body: { data: [{ embedding: longest }] } };
  expect((await embedder().embed(["a"], "passages")).vectors[0]).toHaveLength(4_096);
  server.script.fault = { body: { data: [{ embedding: longest, more: "a".repeat(300_000) }] } };
  const failure = await failureOf(embedder().embed(["a"], "passages"));
  expect(failure.message).toContain("an answer of more than 229376 bytes");
});

test("a refusal says why, without the key", async () => {
  server.script.fault = { status: 401 };
  const failure = await failureOf(embedder().embed(["a"], "passages"));
  expect(failure.reason).toBe("auth");
  expect(failure.message).not.toContain(API_KEY);
});

test("a question's vector times out before a turn has waited too long", async () => {
  server.script.fault = "hang";
  const failure = await failureOf(embedder().embed(["a"], "question"));
  expect(failure.message).toContain("no answer within 250 ms");
});
