/**
 * A server that answers `POST /v1/embeddings` on a real socket. Words with the same meaning share a
 * direction; every other word has a different one. Tests set the fault.
 */
const DIMENSIONS = 64;
const MEANINGS = [
  ["whitening", "bleaching", "brighter", "yellow"],
  ["parking", "car", "vehicle"],
  ["price", "cost", "costs", "expensive", "money"],
];

interface SeenRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly key: string | null;
}

export function embeddingServer() {
  const seen: SeenRequest[] = [];
  const script = {
    dimensions: DIMENSIONS,
    /** null: answers normally. */
    fault: null as null | { readonly status: number } | { readonly body: unknown } | "hang",
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { model, input } = (await request.json()) as SeenRequest;
      seen.push({ model, input, key: request.headers.get("authorization") });
      const { fault } = script;
      if (fault === "hang") return await new Promise<Response>(() => {});
      if (fault && "status" in fault)
        return Response.json({ error: { message: "scripted" } }, { status: fault.status });
      if (fault) return Response.json(fault.body);
      const data = input
        .map((text, index) => ({ index, embedding: vectorOf(text, script.dimensions) }))
        .reverse();
      return Response.json({ data, usage: { total_tokens: 7 * input.length } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    seen,
    script,
    close: () => server.stop(true),
  };
}

export type EmbeddingServer = ReturnType<typeof embeddingServer>;

function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const meaning = MEANINGS.findIndex((words) => words.includes(word));
    const seed = meaning >= 0 ? `meaning ${meaning}` : word;
    const weight = meaning >= 0 ? 5 : 0.2;
    for (const at of vector.keys())
      vector[at] = (vector[at] ?? 0) + weight * (Bun.hash(`${seed} ${at}`) % 2n === 0n ? 1 : -1);
  }
  return vector;
}
