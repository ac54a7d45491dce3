/** The doctor's check of the embedding server. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { loadConfig } from "../../src/ops/config/load.ts";
import { knowledgeSearch } from "../../src/ops/doctor/embedding-check.ts";
import { type EmbeddingServer, embeddingServer } from "../support/engine/embedding-server.ts";
import { tempDir } from "../support/temp-dir.ts";

let server: EmbeddingServer;
beforeEach(() => {
  server = embeddingServer();
});
afterEach(() => server.close());

async function check(model: string) {
  const cwd = tempDir();
  const env = {
    LINEVOICE_ENGINE__OPENAI__EMBEDDING_MODEL: model,
    LINEVOICE_ENGINE__OPENAI__EMBEDDING_BASE_URL: server.url,
  };
  const { config } = loadConfig({ env, cwd, systemPath: `${cwd}/none.toml` });
  const appliance = { config, clock: systemClock };
  return await knowledgeSearch.run(
    appliance as unknown as Parameters<typeof knowledgeSearch.run>[0],
  );
}

test("without a model the check is skipped", async () => {
  expect((await check("")).result).toBe("skipped");
  expect(server.seen).toEqual([]);
});

test("a server that answers in time passes", async () => {
  expect(await check("small")).toMatchObject({
    result: "ok",
    finding: expect.stringMatching(/^small converts a question into a vector in \d+ ms\.$/),
  });
});

test("a server that does not know the model: the failure, its effect, and what to do", async () => {
  server.script.fault = { status: 404 };
  const { result, finding, remedy } = await check("small");
  expect(result).toBe("failed");
  expect(finding).toContain("Knowledge search uses only words.");
  expect(remedy).toContain("[engine.openai] embedding_model");
});
