/** Semantic search of passages: the knowledge worker with an embedding server on a real socket. */
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../../../src/core/clock.ts";
import { openAiEmbedder } from "../../../../src/engine/openai/embeddings.ts";
import {
  createWorkerIndex,
  type WorkerIndex,
} from "../../../../src/features/knowledge/index/worker-index.ts";
import type { KnowledgeScope } from "../../../../src/features/knowledge/knowledge-index.ts";
import { spawnKnowledgeWorker } from "../../../../src/workers.ts";
import { type EmbeddingServer, embeddingServer } from "../../../support/engine/embedding-server.ts";
import { embeddingSettings } from "../../../support/engine/engine-session.ts";
import { eventually } from "../../../support/eventually.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { answer, httpsReceiver } from "../../../support/net/https-receiver.ts";
import { testCa } from "../../../support/net/test-ca.ts";
import { tempDir } from "../../../support/temp-dir.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const CLINIC = "# Whitening\nIt takes two visits.\n# Parking\nTwo places are behind the house.";
const SHOP = "# Bleaching\nWe sell bottles of it.";
/** Shares no word with the passage that answers it. */
const PARAPHRASE = "My teeth are yellow";

const started = (contents: Readonly<Record<string, string>>, more: Partial<World> = {}) => {
  const { directory = tempDir(), model = "small", clock = systemClock } = more;
  const server = more.server ?? embeddingServer();
  const logged: string[] = [];
  const log = { debug() {}, error() {}, info() {}, warn: (event: string) => logged.push(event) };
  const settings = embeddingSettings(server.url, { embedding_model: model });
  const index = createWorkerIndex({
    spawn: spawnKnowledgeWorker,
    directory,
    clock,
    log: { ...log, child: () => log } as never,
    content: async (tenantId, fileId) => contents[`${tenantId}/${fileId}`],
    embedder: openAiEmbedder(settings, systemClock),
  });
  closing.push(
    () => index.close(),
    () => server.close(),
  );
  return { index, server, logged, directory };
};

interface World {
  readonly directory: string;
  readonly model: string;
  readonly clock: typeof systemClock;
  readonly server: EmbeddingServer;
}

const scopeOf = (tenantId: number, ...ids: number[]): KnowledgeScope => ({
  tenantId,
  files: ids.map((id) => ({ id, filename: `${id}.md`, format: "md", version: 1 })),
});

const headings = async (index: WorkerIndex, scope: KnowledgeScope, question: string) =>
  (await index.search(scope, question)).map(({ heading }) => heading);

const findsByMeaning = (index: WorkerIndex, scope: KnowledgeScope, heading: string) =>
  eventually(
    async () => (await headings(index, scope, PARAPHRASE))[0] === heading,
    "the paraphrase finds its passage",
  );

test("a passage without a common word is found by its meaning, and tokens are reported", async () => {
  const { index, server } = started({ "1/1": CLINIC });
  index.prepare(scopeOf(1, 1));
  await findsByMeaning(index, scopeOf(1, 1), "Whitening");
  expect((await headings(index, scopeOf(1, 1), "parking"))[0]).toBe("Parking");
  let tokens = 0;
  await index.search(scopeOf(1, 1), PARAPHRASE, (used) => {
    tokens += used;
  });
  expect(tokens).toBe(7);
  expect(index.problem()).toBeNull();
  expect(server.seen.flatMap(({ input }) => input)).toContain("Whitening\nIt takes two visits.");
});

test("no passage of another tenant, or of a file outside the scope, is ever found", async () => {
  const { index } = started({ "1/1": CLINIC, "1/2": SHOP, "2/2": SHOP });
  index.prepare(scopeOf(1, 1));
  index.prepare(scopeOf(1, 2));
  index.prepare(scopeOf(2, 2));
  await findsByMeaning(index, scopeOf(2, 2), "Bleaching");
  await findsByMeaning(index, scopeOf(1, 1), "Whitening");
  expect(await headings(index, scopeOf(1, 1), PARAPHRASE)).not.toContain("Bleaching");
  expect(await headings(index, scopeOf(2, 1, 2), PARAPHRASE)).toEqual(["Bleaching"]);
  expect(await headings(index, scopeOf(3, 1, 2), PARAPHRASE)).toEqual([]);
});

test("with a failed server the search uses words, logs it once, and tries again later", async () => {
  const clock = fakeClock();
  const { index, server, logged } = started({ "1/1": CLINIC }, { clock });
  server.script.fault = { status: 500 };
  index.prepare(scopeOf(1, 1));
  await eventually(() => index.problem() !== null, "the failure is noticed");
  const asked = server.seen.length;
  for (let turn = 0; turn < 5; turn++)
    expect(await headings(index, scopeOf(1, 1), "whitening")).toEqual(["Whitening"]);
  // One question was tried; then the server was no longer asked.
  expect(server.seen.length).toBe(asked + 1);
  expect(logged).toEqual(["knowledge.embeddings_fail", "knowledge.embeddings_fail"]);
  expect(index.problem()).toContain('embedding_model "small"');
  server.script.fault = null;
  await clock.advance(10_000);
  await findsByMeaning(index, scopeOf(1, 1), "Whitening");
  expect(index.problem()).toBeNull();
});

test("another model, or another vector length, rebuilds all vectors", async () => {
  const { index, server, directory } = started({ "1/1": CLINIC });
  index.prepare(scopeOf(1, 1));
  await findsByMeaning(index, scopeOf(1, 1), "Whitening");
  const indexed = () => server.seen.filter(({ input }) => input.length > 1);
  expect(indexed().length).toBe(1);
  index.close();
  const same = started({ "1/1": CLINIC }, { directory, server });
  same.index.prepare(scopeOf(1, 1));
  await findsByMeaning(same.index, scopeOf(1, 1), "Whitening");
  expect(indexed().length).toBe(1);
  same.index.close();
  server.script.dimensions = 32;
  const other = started({ "1/1": CLINIC }, { directory, server, model: "large" });
  other.index.prepare(scopeOf(1, 1));
  await findsByMeaning(other.index, scopeOf(1, 1), "Whitening");
  expect(indexed().map(({ model }) => model)).toEqual(["small", "large"]);
});

test("a deleted file is no longer found by its meaning", async () => {
  const { index } = started({ "1/1": CLINIC, "1/2": SHOP });
  index.prepare(scopeOf(1, 1, 2));
  await eventually(
    async () => (await headings(index, scopeOf(1, 2), PARAPHRASE)).includes("Bleaching"),
    "the second file is found",
  );
  index.retain(1, [1]);
  await eventually(
    async () => !(await headings(index, scopeOf(1, 1, 2), PARAPHRASE)).includes("Bleaching"),
    "the second file is gone",
  );
});

test("over HTTPS a server with a private authority is asked only if the operator trusts that authority", async () => {
  const directory = tempDir();
  const certificate = testCa(directory).issue(["IP:127.0.0.1"]);
  const body = JSON.stringify({ data: [{ embedding: [0.25, -1] }], usage: { total_tokens: 5 } });
  const server = await httpsReceiver(certificate, answer(200, body));
  closing.push(() => void server.close());
  const said = async (trusted: Record<string, string>) => {
    const script = join(import.meta.dir, "../../../support/engine/embed-once.ts");
    const child = Bun.spawn([process.execPath, script, `https://127.0.0.1:${server.port}/v1`], {
      env: { ...process.env, ...trusted },
      stderr: "inherit",
    });
    return JSON.parse(await new Response(child.stdout).text());
  };
  expect(await said({})).toEqual({ failure: expect.stringContaining("certificate") });
  expect(server.requests).toEqual([]);
  const trusted = await said({ NODE_EXTRA_CA_CERTS: join(directory, "ca.pem") });
  expect(trusted).toEqual({ vectors: [[0.25, -1]], tokens: 5 });
  const [request] = server.requests;
  expect([request?.path, request?.headers.authorization]).toEqual([
    "/v1/embeddings",
    "Bearer key-1",
  ]);
});
