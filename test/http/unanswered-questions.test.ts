/** Unanswered questions: listed for their own company only, grouped, and turned into knowledge. */
import { beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { FILE_BYTES_MAX } from "../../src/features/knowledge/files.ts";
import { questionKey } from "../../src/features/knowledge/turn-knowledge.ts";
import { calls, turns } from "../../src/store/schema/index.ts";
import { dashboardWorld } from "../support/browser/dashboard-world.ts";
import { newAgent } from "../support/http/two-tenants.ts";
import { storeCalls } from "../support/store/call-history.ts";

const room = dashboardWorld("127.0.8.75");
const ASKED = "Do you sell balcony plants?";
const AGAIN = "Would you sell a balcony plant?";
const call = { direction: "inbound", status: "completed", summary: null } as const;

interface Question {
  readonly key: string;
  readonly question: string;
  readonly variants: readonly string[];
  readonly count: number;
}

const ask = (role: "viewer" | "owner", method: string, path: string, body?: unknown) =>
  room.as(role).ask(method, path, body);

async function listed(): Promise<Question[]> {
  const { json } = await ask("viewer", "GET", "/unanswered-questions");
  return (json as unknown as { questions: Question[] }).questions;
}

beforeAll(async () => {
  const { app } = room.world;
  const now = Date.now();
  await storeCalls(room.world, now, [
    { ...call, number: "+37061000901", said: [ASKED, "Bye"], agoMs: 1_000 },
    { ...call, number: "+37061000902", said: [AGAIN], agoMs: 2_000 },
    { ...call, number: "+37061000903", said: ["Is there a lift?"], agoMs: 3_000 },
  ]);
  await app.database.tx(async (queries) => {
    for (const text of [ASKED, AGAIN, "Is there a lift?"])
      await queries
        .update(turns)
        .set({ unanswered: questionKey(text) })
        .where(eq(turns.text, text));
  });
});

test("equal questions are grouped, the most frequent first, and only its own company sees them", async () => {
  const questions = await listed();
  expect(questions.map(({ question, variants, count }) => [question, variants, count])).toEqual([
    [ASKED, [AGAIN], 2],
    ["Is there a lift?", [], 1],
  ]);
  const { json } = await room.stranger.ask("GET", "/unanswered-questions");
  expect(json).toMatchObject({ questions: [] });
  const entry = { key: questions[0]?.key, question: "x", answer: "y" };
  expect((await room.stranger.ask("POST", "/unanswered-questions/answer", entry)).status).toBe(404);
});

test("an answer becomes an entry of answers.md, and the question leaves the list", async () => {
  const [first] = await listed();
  const entry = {
    key: first?.key,
    variants: first?.variants,
    question: `# ${ASKED}`,
    answer: "# Yes.",
  };
  expect((await ask("viewer", "POST", "/unanswered-questions/answer", entry)).status).toBe(403);
  const { status, json } = await ask("owner", "POST", "/unanswered-questions/answer", entry);
  expect(status).toBe(200);
  const { file_id: id } = json as unknown as { file_id: number };
  const file = await room.world.api("GET", `/files/${id}`);
  const content = `## ${ASKED}\nAlso: ${AGAIN}\nYes.\n`;
  expect(file.body).toMatchObject({ file: { filename: "answers.md", content } });
  expect((await listed()).map(({ question }) => question)).toEqual(["Is there a lift?"]);
});

test("a full file accepts no answer, and a dismissed question is removed", async () => {
  const [left] = await listed();
  const entry = { key: left?.key, question: "Is there a lift?", answer: "Yes" };
  // "\n\n## Is there a lift?\nYes\n"
  const free = Buffer.byteLength("\n\n## Is there a lift?\nYes\n");
  const full = "a".repeat(FILE_BYTES_MAX - free + 1);
  const made = await room.world.api("POST", "/files", { filename: "full.md", content: full });
  const { id } = (made.body as unknown as { file: { id: number } }).file;
  const refused = await ask("owner", "POST", "/unanswered-questions/answer", {
    ...entry,
    file_id: id,
  });
  expect(refused.status).toBe(400);
  await room.world.api("PATCH", `/files/${id}`, { content: full.slice(1) });
  const taken = await ask("owner", "POST", "/unanswered-questions/answer", {
    ...entry,
    file_id: id,
  });
  expect(taken.status).toBe(200);
  expect(await listed()).toEqual([]);
  const gone = await ask("owner", "POST", "/unanswered-questions/dismiss", { key: left?.key });
  expect(gone.status).toBe(404);
});

test("a question to an agent deleted since can be answered", async () => {
  const made = await room.world.api("POST", "/agents", newAgent);
  const { id } = (made.body as unknown as { agent: { id: number } }).agent;
  const text = "Do you sell garden chairs?";
  await storeCalls(room.world, Date.now(), [
    { ...call, number: "+37061000904", said: [text], agoMs: 1_000 },
  ]);
  await room.world.app.database.tx(async (queries) => {
    const [turn] = await queries
      .update(turns)
      .set({ unanswered: questionKey(text) })
      .where(eq(turns.text, text))
      .returning();
    await queries
      .update(calls)
      .set({ agentId: id })
      .where(eq(calls.id, turn?.callId ?? 0));
  });
  await room.world.api("DELETE", `/agents/${id}`);
  const [question] = await listed();
  const entry = { key: question?.key, question: text, answer: "Yes." };
  expect((await ask("owner", "POST", "/unanswered-questions/answer", entry)).status).toBe(200);
});
