/** The share of the prompt that an agent's files take, and what its engine can do, as the API shows them. */
import { afterAll, expect, test } from "bun:test";
import { ask, pick, pickId, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const BUDGET_TOKENS = 24_000;
const BUDGET_BYTES = BUDGET_TOKENS * 4;

const server = await startApiServer({
  directory: tempDir(),
  dependencies: {
    engineCapabilities: (language) => ({
      understandsSpeech: language === "en",
      followsPrompt: language === "lt",
    }),
  },
});
afterAll(() => server.stop());
const own = await server.tenant();
const neighbour = await server.tenant({ trunk: false });

const send = (method: string, path: string, body?: unknown, tenant = own) =>
  ask(server, tenant, method, path, body);
const makeAgent = async (language = "en", tenant = own) =>
  pickId(await send("POST", "/agents", { name: "a", prompt: "p", language }, tenant), "agent.id");
const makeFile = (agentId: number | null, bytes: number, tenant = own) =>
  send(
    "POST",
    "/files",
    { filename: "a.txt", content: "k".repeat(bytes), agent_id: agentId },
    tenant,
  );
const knowledgeOf = async (agentId: number) =>
  pick(await send("GET", `/agents/${agentId}`), "agent.knowledge");

test("a file is whole in the prompt up to the budget of its agent, and in passages above it", async () => {
  const agent = await makeAgent();
  const first = await makeFile(agent, BUDGET_BYTES - 1);
  expect(pick(first, "file.in_prompt")).toEqual({ [agent]: "whole" });
  expect(await knowledgeOf(agent)).toEqual({
    tokens: BUDGET_TOKENS,
    budget_tokens: BUDGET_TOKENS,
    in_prompt: "whole",
  });
  const second = await makeFile(agent, 1);
  expect(pick(second, "file.in_prompt")).toEqual({ [agent]: "whole" });
  const third = await makeFile(agent, 1);
  expect(pick(third, "file.in_prompt")).toEqual({ [agent]: "passages" });
  const path = `/files/${pickId(first, "file.id")}`;
  expect(pick(await send("GET", path), "file.in_prompt")).toEqual({ [agent]: "passages" });
  expect(await knowledgeOf(agent)).toEqual({
    tokens: BUDGET_TOKENS + 1,
    budget_tokens: BUDGET_TOKENS,
    in_prompt: "passages",
  });
});

test("a file of several agents has an entry per agent, and none without agents", async () => {
  const [small, full] = [await makeAgent(), await makeAgent()];
  await makeFile(full, BUDGET_BYTES);
  const file = pickId(await makeFile(small, 100), "file.id");
  const patched = await send("PATCH", `/files/${file}`, { agent_ids: [small, full] });
  expect(pick(patched, "file.in_prompt")).toEqual({ [small]: "whole", [full]: "passages" });
  expect(pick(await makeFile(null, 500_000), "file.in_prompt")).toEqual({});
});

test("the files of another company do not count", async () => {
  const agent = await makeAgent();
  await makeFile(await makeAgent("en", neighbour), 500_000, neighbour);
  expect(await knowledgeOf(agent)).toMatchObject({ tokens: 0, in_prompt: "whole" });
});

test("an agent shows what the engine can do in its language, also after a change of the language", async () => {
  const agent = await makeAgent("en");
  const capabilities = (answer: Parameters<typeof pick>[0]) => pick(answer, "agent.capabilities");
  const voices = ["Sari", "Emma", "Nathan", "Adrian", "Brand Sari"];
  const english = await send("GET", `/agents/${agent}`);
  expect(capabilities(english)).toEqual({
    understands_speech: true,
    follows_prompt: false,
    voices,
  });
  const lithuanian = await send("PATCH", `/agents/${agent}`, { language: "lt" });
  expect(capabilities(lithuanian)).toEqual({
    understands_speech: false,
    follows_prompt: true,
    voices,
  });
  expect((await send("GET", `/agents/${agent}`)).headers.get("etag")).toBe(
    lithuanian.headers.get("etag"),
  );
});

test("capabilities and knowledge are ignored if sent back, and rejected with another value", async () => {
  const agent = await makeAgent();
  const record = pick(await send("GET", `/agents/${agent}`), "agent") as object;
  expect((await send("PATCH", `/agents/${agent}`, record)).status).toBe(200);
  expect((await send("POST", "/agents", record)).status).toBe(200);
  for (const field of ["knowledge", "capabilities"]) {
    const answer = await send("PATCH", `/agents/${agent}`, { [field]: {} });
    expect([pick(answer, "error"), pick(answer, "field")]).toEqual(["unknown_field", field]);
  }
});
