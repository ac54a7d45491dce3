/** How long and how many written conversations stay open for the next question. Real SQLite, fake clock. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { callStores } from "../../../src/call/store/call-stores.ts";
import { WrittenAgentChats } from "../../../src/call/web/chat.ts";
import type { ChatEvent, ChatInput } from "../../../src/conversation/chat.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import type { TrialMeter, TrialUse } from "../../../src/features/billing/trials.ts";
import type { KnowledgeIndex } from "../../../src/features/knowledge/knowledge-index.ts";
import type { ToolRunner } from "../../../src/features/tool/ports.ts";
import { agentFiles, files } from "../../../src/store/schema/index.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { insertAgent, insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const directory = tempDir();
const clock = fakeClock();
const database = await openTestDatabase(join(directory, "main.db"), clock.now());
const tenantId = await insertTenant(database);
const agentId = await insertAgent(database, tenantId);
afterAll(() => database.close());

let opened = 0;
let closed = 0;
const heard: unknown[] = [];
let asked = 0;
let toldOfCaller: unknown;
let callsTools = false;
/** Questions that begin with "slow" wait for this promise. */
let held = Promise.withResolvers<void>();
/** Recorded uses, and whether money is left. */
const recorded: TrialUse[] = [];
let hasMoney = true;
const trials: TrialMeter = {
  async require() {
    if (!hasMoney) throw new AppError({ code: "insufficient_balance", publicMessage: "Empty." });
  },
  record: async (_, use) => void recorded.push(use),
};
let chats: WrittenAgentChats;
let replaying: WrittenAgentChats;

beforeEach(() => {
  opened = 0;
  closed = 0;
  heard.length = 0;
  asked = 0;
  callsTools = false;
  recorded.length = 0;
  hasMoney = true;
  const openChat = async () => {
    opened++;
    return {
      opening: "Good morning.",
      async *ask(input: ChatInput): AsyncIterable<ChatEvent> {
        asked++;
        heard.push(input);
        if (callsTools) {
          yield { type: "tool_call", toolCallId: `t${asked}`, tool: "again", arguments: {} };
          yield { type: "done", usage: { inputTokens: 100, outputTokens: 7 } };
          return;
        }
        if (input.type === "utterance" && input.text.startsWith("slow")) await held.promise;
        if (input.type === "utterance") yield { type: "text", text: `You said ${input.text}.` };
        if (input.type === "utterance" && input.text === "fail") throw new Error("no answer");
        yield { type: "done", usage: { inputTokens: 100, outputTokens: 7 } };
      },
      close: () => {
        closed++;
      },
    };
  };
  const result = { ok: true, output: "more", httpStatus: 200, durationMs: 1 };
  const run: ToolRunner["run"] = async (_, { toolCallId, caller }) => {
    toldOfCaller = caller;
    return { ...result, toolCallId };
  };
  const tools = { run, trial: () => Promise.reject(new Error("not asked for here")) };
  const knowledgeIndex = {
    prepare: () => undefined,
    sourcesOf: async (_: unknown, reply: string) => [{ text: `the source of: ${reply}` }],
  } as unknown as KnowledgeIndex;
  const ports = {
    knowledgeIndex,
    database,
    stores: callStores,
    settings: { rtpHost: "127.0.0.1", voiceAliases: {}, callerTagKey: new Uint8Array(32) },
    clock,
    log: silentLog,
    random,
    media: { openChat },
    tools,
  };
  chats = new WrittenAgentChats(ports, { replays: false, trials });
  replaying = new WrittenAgentChats(ports, { replays: true, trials });
});

const first = { role: "agent", text: "Good morning." } as const;
const ask = (message: string | null, lines: readonly (typeof first)[] = []) =>
  chats.ask(tenantId, agentId, lines, message);

test("a conversation continues within five minutes, and starts again after them", async () => {
  await ask(null);
  await clock.advance(5 * 60_000 - 1);
  expect([opened, closed]).toEqual([1, 0]);
  expect((await ask("hello", [first])).reply).toBe("You said hello.");
  expect([opened, closed]).toEqual([1, 0]);
  await clock.advance(5 * 60_000);
  expect([opened, closed]).toEqual([1, 1]);
  await ask("hello", [first]);
  expect(opened).toBe(2);
  chats.close();
});

test("an answer reports how long it took, counted from its question", async () => {
  await clock.advance(7_000);
  expect((await ask("hello")).durationMs).toBe(0);
  chats.close();
});

test("an answer lists its sources; the opening words have none", async () => {
  expect((await ask(null)).sources).toEqual([]);
  const { sources } = await ask("hello", [first]);
  expect(sources).toMatchObject([{ text: "the source of: You said hello." }]);
  chats.close();
});

test("with 33 conversations the oldest is closed", async () => {
  for (let count = 1; count <= 32; count++) await ask(`question ${count}`);
  expect([opened, closed]).toEqual([32, 0]);
  await ask("question 33");
  expect([opened, closed]).toEqual([33, 1]);
  chats.close();
  expect(closed).toBe(33);
  expect(clock.pendingTimers).toBe(0);
});

test("a chain of tool calls and answers ends after eight questions", async () => {
  callsTools = true;
  expect((await ask("hello")).actions).toHaveLength(8);
  expect(asked).toBe(8);
  expect(toldOfCaller).toEqual({ number: "", direction: "inbound", test: true });
  chats.close();
});

test("a tenant may have four questions in progress, and a fifth is refused", async () => {
  const four = [1, 2, 3, 4].map((count) => ask(`question ${count}`));
  await expect(ask("question 5")).rejects.toMatchObject({ code: "plan_limit_reached" });
  await Promise.all(four);
  expect((await ask("question 5")).reply).toBe("You said question 5.");
  chats.close();
});

test("each finished answer makes room for one question", async () => {
  held = Promise.withResolvers();
  const slow = [1, 2, 3].map((count) => ask(`slow ${count}`));
  await ask("quick");
  slow.push(ask("slow 4"));
  await expect(ask("question 5")).rejects.toMatchObject({ code: "plan_limit_reached" });
  held.resolve();
  await Promise.all(slow);
  chats.close();
});

test("an LLM that keeps no history gets the last twenty questions of the customer again", async () => {
  const lines = Array.from({ length: 21 }, (_, at) => [
    { role: "customer", text: `question ${at}` } as const,
    { role: "agent", text: `answer ${at}` } as const,
  ]).flat();
  await replaying.ask(tenantId, agentId, lines, "the next");
  const texts = [...Array.from({ length: 20 }, (_, at) => `question ${at + 1}`), "the next"];
  expect(heard).toMatchObject(texts.map((text) => ({ type: "utterance", text })));
  replaying.close();
});

test("an agent of another company or an unknown agent is not found", async () => {
  const stranger = await insertTenant(database);
  for (const [tenant, agent] of [
    [stranger, agentId],
    [tenantId, agentId + 1_000],
    [tenantId + 1_000, agentId],
  ] as const)
    await expect(chats.ask(tenant, agent, [], null)).rejects.toMatchObject({ code: "not_found" });
});

test("an answer is counted with the tokens of all its rounds, an opening is not counted", async () => {
  await chats.ask(tenantId, agentId, [], null);
  expect(recorded).toEqual([]);
  callsTools = true;
  await chats.ask(tenantId, agentId, [], "again");
  expect(recorded.length).toBe(1);
  expect(recorded[0]).toMatchObject({ llmInputTokens: asked * 100, llmOutputTokens: asked * 7 });
});

test("a failed answer is counted", async () => {
  await expect(chats.ask(tenantId, agentId, [], "fail")).rejects.toThrow();
  expect(recorded.length).toBe(1);
});

test("without free minutes and money the LLM is not asked", async () => {
  hasMoney = false;
  await expect(chats.ask(tenantId, agentId, [], "Hello")).rejects.toMatchObject({
    code: "insufficient_balance",
  });
  expect([asked, recorded.length]).toEqual([0, 0]);
});

test("with 20 MB of knowledge a question takes less than 50 ms, and a change of the last file begins a new conversation", async () => {
  const content = "k".repeat(500_000);
  const texts = { tenantId, format: "txt", content, sizeBytes: content.length } as const;
  const made = await database.tx(async (queries) => {
    const now = clock.now();
    const rows = Array.from({ length: 40 }, (_, at) => ({
      ...texts,
      filename: `${at}.txt`,
      createdAt: now,
      updatedAt: now,
    }));
    const ids = await queries.insert(files).values(rows).returning({ id: files.id });
    await queries.insert(agentFiles).values(ids.map(({ id }) => ({ agentId, fileId: id })));
    return ids;
  });
  await ask(null);
  await ask("hello", [first]);
  await ask(null);
  const before = process.threadCpuUsage();
  await ask("hello", [first]);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(50);
  expect(opened).toBe(2);
  await ask(null);
  const file = made.at(-1);
  await database.tx((queries) =>
    queries
      .update(files)
      .set({ content: "new", updatedAt: clock.now() + 1 })
      .where(eq(files.id, file?.id ?? 0)),
  );
  await ask("hello", [first]);
  expect(opened).toBe(4);
  await database.tx((queries) => queries.delete(files).where(eq(files.tenantId, tenantId)));
});
