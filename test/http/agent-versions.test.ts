/** Versions of agents: what creates one, its author, its content, and how long it is kept. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { asc, eq, sql } from "drizzle-orm";
import { rehearsalRuns } from "../../src/app/rehearsal-runs.ts";
import { recordFirstVersions } from "../../src/features/agent/agent-version-store.ts";
import { reportJson } from "../../src/features/rehearsal/report.ts";
import { contentHash } from "../../src/features/rehearsal/stored-agent.ts";
import {
  agentFiles,
  agents,
  agentVersions,
  files,
  versionTexts,
} from "../../src/store/schema/index.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pick,
  pickId,
  startApiServer,
} from "../support/http/api-server.ts";
import { insertAgent } from "../support/store/stored-rows.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(30_000);

const directory = tempDir();
let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ directory });
});
afterAll(() => server.stop());

const AGENT = { name: "Reception", prompt: "You answer for a dental clinic." };

async function tenantWithAgent(): Promise<ApiTenant & { readonly agent: number }> {
  const tenant = await server.tenant();
  const agent = pickId(await ask(server, tenant, "POST", "/agents", AGENT), "agent.id");
  return { ...tenant, agent };
}

/** The stored versions, oldest first. */
const stored = (agent: number) =>
  server.database.read
    .select()
    .from(agentVersions)
    .where(eq(agentVersions.agentId, agent))
    .orderBy(asc(agentVersions.number));

const texts = async (tenantId: number) =>
  (
    await server.database.read
      .select({ content: versionTexts.content })
      .from(versionTexts)
      .where(eq(versionTexts.tenantId, tenantId))
  ).map(({ content }) => content);

const tool = (agentId: number | null, name = "find_booking") => ({
  agentId,
  name,
  enabled: true,
  callerLevel: 0 as const,
  secret: "s3cret",
  description: "Finds a booking.",
  secretHeader: "X-Tool-Secret",
  url: "https://example.com/tool",
  parameters: { type: "object", properties: {} },
});

describe("a version is stored", () => {
  test("for a new agent, and for each change of it with its author", async () => {
    const own = await tenantWithAgent();
    const path = `/agents/${own.agent}`;
    const changed = await ask(server, own, "PATCH", path, { prompt: "You answer for a garage." });
    expect(pick(changed, "agent.version")).toBe(2);
    await server.services.agents.update(own.id, own.agent, { maxDurationSeconds: 60 });
    const versions = await stored(own.agent);
    expect(versions.map(({ number, kind }) => [number, kind])).toEqual([
      [1, "published"],
      [2, "published"],
      [3, "published"],
    ]);
    expect(versions.map(({ author }) => author.replace(/\d+$/, "N"))).toEqual([
      "key:N",
      "key:N",
      "operator",
    ]);
    expect(versions.map(({ content }) => content.prompt)).toEqual([
      AGENT.prompt,
      "You answer for a garage.",
      "You answer for a garage.",
    ]);
    expect(versions[2]?.content).toMatchObject({
      maxDurationSeconds: 60,
      transcriptEmailEnabled: false,
      webhookUrl: null,
      files: [],
      tools: [],
    });
    expect(pick(await ask(server, own, "GET", path), "agent.version")).toBe(3);
  });

  test("only if something changes", async () => {
    const own = await tenantWithAgent();
    const same = await ask(server, own, "PATCH", `/agents/${own.agent}`, AGENT);
    expect(pick(same, "agent.version")).toBe(1);
    await ask(server, own, "POST", "/files", { filename: "a.md", content: "Of nobody." });
    expect((await stored(own.agent)).length).toBe(1);
  });

  test("for every agent that uses the changed file, and for no other", async () => {
    const own = await tenantWithAgent();
    const other = pickId(await ask(server, own, "POST", "/agents", AGENT), "agent.id");
    const file = { filename: "prices.md", content: "40 EUR", agent_id: own.agent };
    const id = pickId(await ask(server, own, "POST", "/files", file), "file.id");
    await ask(server, own, "PATCH", `/files/${id}`, { content: "45 EUR" });
    await ask(server, own, "DELETE", `/files/${id}`);
    const versions = await stored(own.agent);
    expect(versions.map(({ content }) => content.files.map(({ filename }) => filename))).toEqual([
      [],
      ["prices.md"],
      ["prices.md"],
      [],
    ]);
    expect(new Set(versions.map(({ content }) => content.files[0]?.sha256)).size).toBe(3);
    expect((await texts(own.id)).sort()).toEqual(["40 EUR", "45 EUR"]);
    expect((await stored(other)).length).toBe(1);
  });

  test("with tools: the agent's own and the shared, if switched on, without secrets", async () => {
    const own = await tenantWithAgent();
    const { tools } = server.services;
    const mine = await tools.create(own.id, tool(own.agent));
    const shared = await tools.create(own.id, tool(null, "opening_hours"));
    await tools.update(own.id, mine.id, { secret: "another" });
    await tools.update(own.id, mine.id, { enabled: false });
    await tools.remove(own.id, shared.id);
    const versions = await stored(own.agent);
    expect(versions.map(({ content }) => content.tools.map(({ name }) => name))).toEqual([
      [],
      ["find_booking"],
      ["find_booking", "opening_hours"],
      ["opening_hours"],
      [],
    ]);
    expect(versions[2]?.content.tools.map((one) => one.shared)).toEqual([false, true]);
    expect(JSON.stringify(versions)).not.toMatch(/s3cret|another/);
  });

  test("for agents from before versions existed, once", async () => {
    const own = await server.tenant();
    const agent = await insertAgent(server.database, own.id, { name: "Old" });
    await server.database.tx(async (queries) => {
      const row = { tenantId: own.id, filename: "old.md", format: "md" as const, content: "Old." };
      const times = { sizeBytes: 4, createdAt: 0, updatedAt: 0 };
      const [file] = await queries
        .insert(files)
        .values({ ...row, ...times })
        .returning();
      await queries.insert(agentFiles).values({ agentId: agent, fileId: file?.id ?? 0 });
    });
    for (let time = 0; time < 2; time++) await recordFirstVersions(server.database, 5);
    const versions = await stored(agent);
    expect(versions).toMatchObject([
      { number: 1, author: "upgrade", content: { name: "Old", files: [{ filename: "old.md" }] } },
    ]);
    expect(await texts(own.id)).toEqual(["Old."]);
  });
});

test("the 50 newest versions are kept with their texts", async () => {
  const own = await tenantWithAgent();
  const file = { filename: "prices.md", content: "before", agent_id: own.agent };
  const id = pickId(await ask(server, own, "POST", "/files", file), "file.id");
  await server.services.files.update(own.id, id, { content: "after" });
  for (let n = 0; n < 50; n++)
    await server.services.agents.update(own.id, own.agent, { prompt: `Prompt ${n}.` });
  const numbers = (await stored(own.agent)).map(({ number }) => number);
  expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([50, 4, 53]);
  expect(await texts(own.id)).toEqual(["after"]);
});

test("a deleted agent leaves no version and no text", async () => {
  const own = await tenantWithAgent();
  await ask(server, own, "POST", "/files", {
    filename: "prices.md",
    content: "40 EUR",
    agent_id: own.agent,
  });
  expect(await texts(own.id)).toEqual(["40 EUR"]);
  await ask(server, own, "DELETE", `/agents/${own.agent}`);
  expect([await stored(own.agent), await texts(own.id)]).toEqual([[], []]);
  const rows = await server.database.read.select({ n: sql<number>`count(*)` }).from(agents);
  expect(rows[0]?.n).toBeGreaterThan(0);
});

const versionsOf = (own: ApiTenant & { readonly agent: number }, path = "") =>
  `/agents/${own.agent}/versions${path}`;

describe("the versions of an agent", () => {
  test("are listed, shown and compared word by word", async () => {
    const own = await tenantWithAgent();
    await ask(server, own, "PATCH", `/agents/${own.agent}`, {
      prompt: "You answer for a dental hospital.",
    });
    const file = { filename: "prices.md", content: "Tyres: 40 EUR", agent_id: own.agent };
    await ask(server, own, "POST", "/files", file);
    const listed = await ask(server, own, "GET", versionsOf(own, "?limit=2"));
    expect(pick(listed, "versions")).toMatchObject([
      { number: 3, published: true, changes: ["files"], author: { kind: "key", name: "test" } },
      { number: 2, published: false, changes: ["prompt"] },
    ]);
    const shown = await ask(server, own, "GET", versionsOf(own, "/1"));
    expect(pick(shown, "version")).toMatchObject({ ...AGENT, files: [], max_duration_sec: 600 });
    const compared = await ask(server, own, "GET", `/agents/${own.agent}/comparison?from=1&to=3`);
    expect(pick(compared, "differences")).toEqual([
      {
        part: "prompt",
        name: null,
        segments: [
          { op: "same", text: "You answer for a dental " },
          { op: "removed", text: "clinic" },
          { op: "added", text: "hospital" },
          { op: "same", text: "." },
        ],
      },
      { part: "files", name: "prices.md", segments: [{ op: "added", text: "Tyres: 40 EUR" }] },
    ]);
    expect((await ask(server, own, "GET", versionsOf(own, "/9"))).status).toBe(404);
  });

  test("belong to their tenant only", async () => {
    const [own, other] = [await tenantWithAgent(), await tenantWithAgent()];
    const foreign = { ...other, agent: own.agent };
    const at = `/agents/${own.agent}`;
    await ask(server, own, "PATCH", `${at}/draft`, { prompt: "Of the owner." });
    for (const [method, path] of [
      ["GET", versionsOf(foreign)],
      ["GET", versionsOf(foreign, "/1")],
      ["POST", versionsOf(foreign, "/1/publish")],
      ["GET", `${at}/comparison?from=1&to=draft`],
      ["GET", `${at}/draft`],
      ["PATCH", `${at}/draft`],
      ["DELETE", `${at}/draft`],
      ["POST", `${at}/draft/publish`],
    ] as const) {
      const body = method === "GET" || method === "DELETE" ? undefined : {};
      expect([path, (await ask(server, other, method, path, body)).status]).toEqual([path, 404]);
    }
    expect((await ask(server, own, "GET", `${at}/draft`)).status).toBe(200);
  });
});

describe("publishing a version again", () => {
  test("restores fields, files and own tools, and does not change other agents", async () => {
    const own = await tenantWithAgent();
    const other = pickId(await ask(server, own, "POST", "/agents", AGENT), "agent.id");
    const add = async (filename: string, agents: number[]) => {
      const body = { filename, content: `${filename} before`, agent_id: agents[0] };
      const id = pickId(await ask(server, own, "POST", "/files", body), "file.id");
      await ask(server, own, "PATCH", `/files/${id}`, { agent_ids: agents });
      return id;
    };
    const mine = await add("mine.md", [own.agent]);
    const both = await add("both.md", [own.agent, other]);
    const gone = await add("gone.md", [own.agent]);
    const kept = await server.services.tools.create(own.id, tool(own.agent));
    const dropped = await server.services.tools.create(own.id, tool(own.agent, "dropped"));
    const before = (await stored(own.agent)).at(-1);
    for (const id of [mine, both])
      await ask(server, own, "PATCH", `/files/${id}`, { content: "after" });
    await ask(server, own, "DELETE", `/files/${gone}`);
    await server.services.tools.update(own.id, kept.id, { description: "Other." });
    await server.services.tools.remove(own.id, dropped.id);
    await ask(server, own, "PATCH", `/agents/${own.agent}`, { prompt: "Spoiled.", voice: "Emma" });
    const answer = await ask(server, own, "POST", versionsOf(own, `/${before?.number}/publish`));
    expect(pick(answer, "notes")).toEqual([
      { kind: "file_copied", name: "both.md" },
      { kind: "tool_needs_secret", name: "dropped" },
    ]);
    const now = (await stored(own.agent)).at(-1);
    expect(now).toMatchObject({ number: pick(answer, "version"), restoredFrom: before?.number });
    const { tools, ...content } = before?.content ?? {};
    expect(now?.content).toMatchObject(content);
    expect(now?.content.tools).toEqual((tools ?? []).filter(({ name }) => name !== "dropped"));
    expect((await stored(other)).at(-1)?.content.files.length).toBe(1);
    const foreign = await ask(server, own, "GET", `/files/${both}`);
    expect(pick(foreign, "file")).toMatchObject({ content: "after", agent_ids: [other] });
    const again = await ask(server, own, "POST", versionsOf(own, `/${now?.number}/publish`));
    expect(pick(again, "version")).toBe(now?.number);
  });

  test("never sends a tool's secret to its earlier server", async () => {
    const own = await tenantWithAgent();
    const { tools } = server.services;
    const made = await tools.create(own.id, tool(own.agent));
    await tools.update(own.id, made.id, { url: "https://new.example.com/tool", secret: "new" });
    const answer = await ask(server, own, "POST", versionsOf(own, "/2/publish"));
    expect(pick(answer, "notes")).toEqual([{ kind: "tool_needs_secret", name: "find_booking" }]);
    expect(await tools.get(own.id, made.id)).toMatchObject({
      enabled: false,
      url: "https://example.com/tool",
    });
    // The tool stays off when the same version is published once more.
    const again = await ask(server, own, "POST", versionsOf(own, "/2/publish"));
    expect(pick(again, "notes")).toEqual([{ kind: "tool_needs_secret", name: "find_booking" }]);
    expect(await tools.get(own.id, made.id)).toMatchObject({ enabled: false });
    await tools.update(own.id, made.id, { secret: "entered", enabled: true });
    const entered = await ask(server, own, "POST", versionsOf(own, "/2/publish"));
    expect(pick(entered, "notes")).toEqual([]);
    expect(await tools.get(own.id, made.id)).toMatchObject({ enabled: true });
  });
});

describe("a draft", () => {
  test("is a separate copy until it is published", async () => {
    const own = await tenantWithAgent();
    const at = `/agents/${own.agent}`;
    expect(pick(await ask(server, own, "GET", `${at}/draft`), "draft")).toBeNull();
    const files = [{ filename: "a.md", content: "Of the draft." }];
    await ask(server, own, "PATCH", `${at}/draft`, { prompt: "Drafted.", files });
    const draft = await ask(server, own, "PATCH", `${at}/draft`, { language: "lt" });
    expect(pick(draft, "draft")).toMatchObject({
      base_version: 1,
      prompt: "Drafted.",
      language: "lt",
      files: [{ filename: "a.md" }],
    });
    expect(pick(await ask(server, own, "GET", at), "agent")).toMatchObject({
      ...AGENT,
      version: 1,
    });
    const compared = await ask(server, own, "GET", `${at}/comparison?from=1&to=draft`);
    expect(pick(compared, "differences.length")).toBe(3);
    const published = await ask(server, own, "POST", `${at}/draft/publish`, {});
    expect([pick(published, "version"), pick(published, "notes")]).toEqual([2, []]);
    expect(pick(await ask(server, own, "GET", at), "agent.prompt")).toBe("Drafted.");
    expect(pick(await ask(server, own, "GET", "/files"), "files")).toMatchObject([
      { filename: "a.md", agent_ids: [own.agent] },
    ]);
    expect(pick(await ask(server, own, "GET", `${at}/draft`), "draft")).toBeNull();
  });

  test("changed again keeps none of its earlier texts", async () => {
    const own = await tenantWithAgent();
    for (const content of ["First.", "Second.", "Third."])
      await ask(server, own, "PATCH", `/agents/${own.agent}/draft`, {
        files: [{ filename: "a.md", content }],
      });
    expect(await texts(own.id)).toEqual(["Third."]);
  });

  test("of an older version is published only with force; a discarded one keeps no text", async () => {
    const own = await tenantWithAgent();
    const at = `/agents/${own.agent}`;
    const files = [{ filename: "a.md", content: "Of the draft." }];
    await ask(server, own, "PATCH", `${at}/draft`, { files });
    await ask(server, own, "PATCH", at, { prompt: "Published meanwhile." });
    const refused = await ask(server, own, "POST", `${at}/draft/publish`, {});
    expect([refused.status, pick(refused, "error")]).toEqual([409, "conflict"]);
    expect(await texts(own.id)).toEqual(["Of the draft."]);
    expect((await ask(server, own, "DELETE", `${at}/draft`)).status).toBe(200);
    expect(await texts(own.id)).toEqual([]);
    await ask(server, own, "PATCH", `${at}/draft`, { prompt: "Forced." });
    await ask(server, own, "PATCH", at, { prompt: "Again." });
    const forced = await ask(server, own, "POST", `${at}/draft/publish`, { force: true });
    expect(pick(forced, "version")).toBe(4);
    expect(pick(await ask(server, own, "GET", at), "agent.prompt")).toBe("Forced.");
  });

  test("of an agent bound to rehearsals is published if its content's last run passed", async () => {
    const own = await tenantWithAgent();
    const at = `/agents/${own.agent}`;
    const { agentVersions } = server.services;
    let run = 0;
    const rehearsed = async (passed: number) => {
      const draft = await agentVersions.draft(own.id, own.agent);
      if (!draft) throw new Error("there is no draft");
      rehearsalRuns(directory).save(own.id, {
        id: `run-${++run}`,
        suite: "clinic",
        agentId: own.agent,
        agentName: "Reception",
        agentVersion: "draft",
        contentSha256: contentHash(draft.content),
        startedAt: run,
        endedAt: run,
        scenarios: 2,
        passed,
        report: reportJson({ results: [], scenarios: 2, runs: 1, passed }),
      });
    };
    const change = (prompt: string) => ask(server, own, "PATCH", `${at}/draft`, { prompt });
    const publish = () => ask(server, own, "POST", `${at}/draft/publish`, {});
    const bound = await ask(server, own, "PATCH", `${at}/publishing`, {
      publishes_rehearsed: true,
    });
    expect(pick(bound, "publishes_rehearsed")).toBe(true);
    await change("One.");
    const never = await publish();
    expect([never.status, pick(never, "message")]).toEqual([
      409,
      expect.stringContaining("Rehearse the current draft"),
    ]);
    await rehearsed(1);
    expect(pick(await publish(), "message")).toContain("the last rehearsal of this draft failed");
    await rehearsed(2);
    await change("Two.");
    expect((await publish()).status).toBe(409);
    await change("One.");
    expect(pick(await publish(), "version")).toBe(2);
    const atOnce = await ask(server, own, "PATCH", at, { prompt: "At once." });
    expect(pick(atOnce, "agent.version")).toBe(3);
    await ask(server, own, "PATCH", `${at}/publishing`, { publishes_rehearsed: false });
    await change("Unbound.");
    expect(pick(await publish(), "version")).toBe(4);
    const other = await server.tenant();
    const path = `${at}/publishing`;
    const foreign = await ask(server, other, "PATCH", path, { publishes_rehearsed: true });
    expect(foreign.status).toBe(404);
  });
});

describe("versions and drafts from before a field existed", () => {
  /** Removes fields from the stored versions and drafts, as if they were older than the fields. */
  async function olderWorld() {
    const { agent, ...tenant } = await tenantWithAgent();
    await server.services.tools.create(tenant.id, tool(agent));
    const patch = (body: unknown) => ask(server, tenant, "PATCH", `/agents/${agent}`, body);
    const get = async (path: string) => await ask(server, tenant, "GET", `/agents/${agent}${path}`);
    await ask(server, tenant, "PATCH", `/agents/${agent}/draft`, { prompt: "Drafted." });
    for (const table of ["agent_versions", "agent_drafts"])
      await server.database.tx((queries) =>
        queries.run(
          sql`UPDATE ${sql.identifier(table)} SET content = json_remove(content,
            '$.sendDigitsInbound', '$.webhookUrl', '$.tools[0].callerLevel')
            WHERE agent_id = ${agent}`,
        ),
      );
    const numbers = async () => (await stored(agent)).map(({ number }) => number);
    return { tenant, agent, patch, get, numbers };
  }

  test("an empty change creates no version, and a change of the new field creates one", async () => {
    const { patch, numbers } = await olderWorld();
    const before = await numbers();
    await patch({ name: AGENT.name, send_digits_inbound: false, webhook_url: null });
    expect(await numbers()).toEqual(before);
    await patch({ send_digits_inbound: true });
    expect((await numbers()).length).toBe(before.length + 1);
    await patch({ send_digits_inbound: true });
    expect((await numbers()).length).toBe(before.length + 1);
  });

  test("a rollback sets the field back to its default", async () => {
    const { tenant, agent, patch, get, numbers } = await olderWorld();
    const newest = (await numbers()).at(-1);
    await patch({ send_digits_inbound: true, webhook_url: "https://example.com/x" });
    await ask(server, tenant, "POST", `/agents/${agent}/versions/${newest}/publish`, {});
    expect(pick(await get(""), "agent")).toMatchObject({
      send_digits_inbound: false,
      webhook_url: null,
    });
  });

  test("REST shows every field with its default, in a version, the draft and a comparison", async () => {
    const { get, numbers, patch } = await olderWorld();
    const newest = (await numbers()).at(-1) ?? 0;
    const filled = { send_digits_inbound: false, webhook_url: null };
    expect(pick(await get(`/versions/${newest}`), "version")).toMatchObject({
      ...filled,
      tools: [{ caller_level: 0 }],
    });
    expect(pick(await get("/draft"), "draft")).toMatchObject({
      ...filled,
      tools: [{ caller_level: 0 }],
    });
    await patch({ send_digits_inbound: true });
    const compared = await get(`/comparison?from=${newest}&to=${newest + 1}`);
    expect(pick(compared, "differences")).toEqual([
      {
        part: "send_digits_inbound",
        name: null,
        segments: [
          { op: "removed", text: "false" },
          { op: "added", text: "true" },
        ],
      },
    ]);
  });
});
