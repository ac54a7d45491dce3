/** Two versions share an agent's callers: opening, calls, comparison, and closing. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { callSetupStore } from "../../src/call/store/call-setup-store.ts";
import { microEur } from "../../src/core/money.ts";
import { fileStore } from "../../src/features/knowledge/file-store.ts";
import { calls } from "../../src/store/schema/index.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pick,
  pickId,
  startApiServer,
} from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(30_000);

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ directory: tempDir() });
});
afterAll(() => server.stop());

type Own = ApiTenant & { readonly agent: number; readonly at: string };

/** Version 1 is published. */
async function tenantWithAgent(): Promise<Own> {
  const tenant = await server.tenant();
  const body = { name: "Reception", prompt: "You answer for a dental clinic." };
  const agent = pickId(await ask(server, tenant, "POST", "/agents", body), "agent.id");
  return { ...tenant, agent, at: `/agents/${agent}` };
}

/** Versions 1 and 2, and 2 is published. */
async function tenantWithVersions(): Promise<Own> {
  const own = await tenantWithAgent();
  await ask(server, own, "PATCH", own.at, { prompt: "You answer for a garage." });
  return own;
}

const open = (own: Own, body: object) => ask(server, own, "POST", `${own.at}/split`, body);
const close = (own: Own, keep: number) =>
  ask(server, own, "POST", `${own.at}/split/close`, { keep });
const split = async (own: Own, part = "split") =>
  pick(await ask(server, own, "GET", `${own.at}/split`), part);
const shared = async ({ id, agent }: Own) =>
  (await callSetupStore(server.database.read).sharedAgent(id, agent))?.split;

describe("a split", () => {
  test("is opened, read and closed; keeping the other version publishes it", async () => {
    const own = await tenantWithVersions();
    expect(await split(own)).toBeNull();
    const opened = await open(own, { version: 1, percent: 20 });
    expect([opened.status, pick(opened, "split")]).toMatchObject([
      200,
      { version: 1, published_version: 2, percent: 20, ended_at: null },
    ]);
    expect(await shared(own)).toMatchObject({
      version: 1,
      percent: 20,
      content: { prompt: "You answer for a dental clinic." },
    });
    expect((await close(own, 9)).status).toBe(400);
    const kept = await close(own, 1);
    expect([pick(kept, "version"), pick(kept, "notes")]).toEqual([3, []]);
    expect(await split(own, "split.ended_at")).toBeString();
    expect(await shared(own)).toBeNull();
    expect((await close(own, 1)).status).toBe(404);
    await open(own, { version: 1, percent: 50 });
    expect(pick(await close(own, 3), "version")).toBe(3);
  });

  test("is refused with a wrong percentage or version, and while one is open", async () => {
    const own = await tenantWithVersions();
    for (const percent of [0, 100, 1.5, "20", null])
      expect((await open(own, { version: 1, percent })).status).toBe(400);
    for (const version of [0, "newest"])
      expect((await open(own, { version, percent: 20 })).status).toBe(400);
    expect((await open(own, { version: 2, percent: 20 })).status).toBe(400);
    for (const version of [9, "draft"])
      expect((await open(own, { version, percent: 20 })).status).toBe(404);
    expect((await open(own, { version: 1, percent: 99 })).status).toBe(200);
    const second = await open(own, { version: 1, percent: 1 });
    expect([second.status, pick(second, "error")]).toEqual([409, "conflict"]);
  });

  test("belongs to its tenant only", async () => {
    const [own, other] = [await tenantWithVersions(), await tenantWithVersions()];
    await open(own, { version: 1, percent: 20 });
    const foreign = { ...other, agent: own.agent, at: own.at };
    const answers = [
      await ask(server, other, "GET", `${own.at}/split`),
      await open(foreign, { version: 1, percent: 20 }),
      await close(foreign, 1),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await shared(foreign)).toBeUndefined();
    expect(await split(own, "split.ended_at")).toBeNull();
    expect(await split(other)).toBeNull();
  });

  test("is closed by publishing", async () => {
    const own = await tenantWithVersions();
    await open(own, { version: 1, percent: 20 });
    await ask(server, own, "PATCH", own.at, { prompt: "Published meanwhile." });
    expect([await split(own, "split.version"), await shared(own)]).toEqual([1, null]);
    expect(await split(own, "split.ended_at")).toBeString();
  });

  test("of the draft stores it as a version that only the split uses", async () => {
    const own = await tenantWithAgent();
    const files = [{ filename: "a.md", content: "Of the draft." }];
    await ask(server, own, "PATCH", `${own.at}/draft`, { prompt: "Drafted.", files });
    const rule = (isOn: boolean) =>
      server.services.agentVersions.setPublishesRehearsed(own.id, own.agent, isOn);
    await rule(true);
    const unrehearsed = await open(own, { version: "draft", percent: 10 });
    expect([unrehearsed.status, pick(unrehearsed, "error")]).toEqual([409, "conflict"]);
    await rule(false);
    const opened = await open(own, { version: "draft", percent: 10 });
    expect(pick(opened, "split.version")).toBe(2);
    expect(pick(await ask(server, own, "GET", `${own.at}/draft`), "draft")).toBeNull();
    expect(pick(await ask(server, own, "GET", own.at), "agent")).toMatchObject({
      version: 1,
      prompt: "You answer for a dental clinic.",
    });
    expect(pick(await ask(server, own, "GET", `${own.at}/versions`), "versions")).toMatchObject([
      { number: 2, published: false, changes: ["prompt", "files"] },
      { number: 1, published: true },
    ]);
    expect(pick(await close(own, 2), "version")).toBe(3);
    expect(pick(await ask(server, own, "GET", own.at), "agent.prompt")).toBe("Drafted.");
  });
});

test("a call of the other version has its files and tools, if the tools are still on", async () => {
  const own = await tenantWithAgent();
  const add = async (filename: string) => {
    const body = { filename, content: `${filename} before`, agent_id: own.agent };
    return pickId(await ask(server, own, "POST", "/files", body), "file.id");
  };
  const [same, changed] = [await add("same.md"), await add("changed.md")];
  const tool = (name: string) => ({
    agentId: own.agent,
    name,
    enabled: true,
    callerLevel: 0 as const,
    secret: "s3cret",
    description: "Before.",
    secretHeader: "X-Tool-Secret",
    url: "https://example.com/tool",
    parameters: { type: "object", properties: {} },
  });
  const { tools } = server.services;
  const [kept, off, moved] = [
    await tools.create(own.id, tool("kept")),
    await tools.create(own.id, tool("off")),
    await tools.create(own.id, tool("moved")),
  ];
  const version = Number(pick(await ask(server, own, "GET", own.at), "agent.version"));
  await ask(server, own, "PATCH", `/files/${changed}`, { content: "after" });
  await tools.update(own.id, kept.id, { description: "After." });
  await tools.update(own.id, off.id, { enabled: false });
  await tools.update(own.id, moved.id, { url: "https://other.example.com/tool", secret: "new" });
  await open(own, { version, percent: 50 });
  const running = { id: own.agent, language: "en", version, isStoredVersion: true } as const;
  const known = await callSetupStore(server.database.read).agentContext(own.id, running);
  expect(known.tools).toEqual([
    { name: "kept", description: "Before.", parameters: { type: "object", properties: {} } },
  ]);
  expect(known.files.map(({ filename, content }) => [filename, content])).toEqual([
    ["changed.md", "changed.md before"],
    ["same.md", "same.md before"],
  ]);
  const [old, today] = known.files;
  expect(today?.id).toBe(same);
  const content = fileStore(server.database.read).content(own.id, old?.id ?? 0);
  expect(await content).toBe("changed.md before");
  const foreign = await server.tenant();
  expect(await fileStore(server.database.read).content(foreign.id, old?.id ?? 0)).toBeUndefined();
});

test("the comparison counts the split's own calls, by version", async () => {
  const own = await tenantWithVersions();
  await open(own, { version: 1, percent: 50 });
  const now = Date.now();
  const row = (n: number, changes: Partial<typeof calls.$inferInsert>) => ({
    callUuid: crypto.randomUUID(),
    tenantId: own.id,
    agentId: own.agent,
    agentVersion: 2,
    direction: "inbound" as const,
    fromNumber: `+37060000${n}`,
    toNumber: "+37052000000",
    status: "completed" as const,
    endedReason: "caller_hangup" as const,
    createdAt: now,
    answeredAt: now,
    endedAt: now + 60_000,
    recordingStatus: "none" as const,
    overageRate: microEur(0),
    cost: microEur(250_000),
    ...changes,
  });
  const version = (n: number) => (n % 2 === 0 ? {} : { agentVersion: 1, endedAt: now + 90_000 });
  const counted = Array.from({ length: 20 }, (_, n) => row(n, version(n)));
  const others = [
    row(90, { createdAt: now - 3_600_000 }),
    row(91, { endedAt: null, status: "in_progress", endedReason: null }),
    row(92, { agentVersion: 7 }),
    row(93, { agentId: own.agent + 1000 }),
  ];
  await server.database.tx(async (queries) => {
    await queries.insert(calls).values([...counted, ...others]);
  });
  expect(await split(own, "split.calls")).toEqual({ published: 10, tried: 10 });
  const measures = (await split(own, "split.measures")) as readonly { measure: string }[];
  const of = (name: string) => measures.find(({ measure }) => measure === name);
  expect(of("length_sec")).toMatchObject({
    published: { value: 60 },
    tried: { value: 90 },
    difference: { value: 30 },
    noise: false,
  });
  expect(of("cost")).toMatchObject({ published: { value: 0.25 }, noise: true });
  expect(of("ended_reason")).toMatchObject({ name: "caller_hangup", tried: { value: 1 } });
});

test("the oldest stored version has nothing to compare with, and the answer says so", async () => {
  const own = await tenantWithAgent();
  const oldest = await ask(server, own, "GET", `${own.at}/comparison?from=9&to=1`);
  expect(oldest.status).toBe(404);
  for (let n = 0; n < 50; n++)
    await server.services.agents.update(own.id, own.agent, { prompt: `Prompt ${n}.` });
  const compared = await ask(server, own, "GET", `${own.at}/comparison?from=1&to=2`);
  expect([compared.status, pick(compared, "from")]).toEqual([200, null]);
  expect(pick(compared, "differences")).toContainEqual({
    part: "prompt",
    name: null,
    segments: [{ op: "added", text: "Prompt 0." }],
  });
});
