/**
 * An embeddings server on a separate thread: vectors of 200 topics, with as many dimensions as
 * OpenAI's small model.
 */
import { seededRandom } from "../../src/core/random.ts";

declare const self: Worker;

const DIMENSIONS = 1_536;
const TOPICS = 200;
const random = seededRandom(1);
const vectors = Array.from({ length: TOPICS }, () =>
  JSON.stringify(
    Array.from({ length: DIMENSIONS }, () => Number((random.float() - 0.5).toFixed(6))),
  ),
);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { input } = (await request.json()) as { readonly input: readonly string[] };
    const data = input.map(
      (text, index) =>
        `{"index":${index},"embedding":${vectors[Number(Bun.hash(text) % BigInt(TOPICS))]}}`,
    );
    const body = `{"data":[${data.join()}],"usage":{"total_tokens":${input.length}}}`;
    return new Response(body, { headers: { "content-type": "application/json" } });
  },
});
self.postMessage(`http://127.0.0.1:${server.port}/v1`);
