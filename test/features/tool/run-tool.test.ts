import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { OPERATOR } from "../../../src/core/author.ts";
import { silentLog } from "../../../src/core/log.ts";
import { recordVersions } from "../../../src/features/agent/agent-version-store.ts";
import { createArgumentCheck } from "../../../src/features/tool/argument-check.ts";
import { HttpToolRunner } from "../../../src/features/tool/run-tool.ts";
import { toolTargetStore } from "../../../src/features/tool/tool-target-store.ts";
import { SafeHttpClient } from "../../../src/platform/net/outbound-http.ts";
import { tools } from "../../../src/store/schema/index.ts";
import { spawnSchemaWorker } from "../../../src/workers.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { answer, type HttpsReceiver, httpsReceiver } from "../../support/net/https-receiver.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { plainVault } from "../../support/store/plain-vault.ts";
import { insertAgent, insertTenant, insertTool } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const HOST = "127.44.0.1";
const directory = tempDir();
const ca = testCa(directory);
const database = await openTestDatabase(join(directory, "tools.db"), 0);
const argumentCheck = createArgumentCheck(spawnSchemaWorker);
const runner = new HttpToolRunner({
  database,
  targets: toolTargetStore,
  vault: plainVault,
  client: new SafeHttpClient({ allowNetworks: [HOST], caPem: ca.caPem }),
  argumentCheck,
  timeoutMs: 300,
  resultBytesMax: 300,
  log: silentLog,
});

let endpoint: HttpsReceiver;
let tenantId = 0;
beforeAll(async () => {
  endpoint = await httpsReceiver(ca.issue([`IP:${HOST}`]), answer(200), HOST);
});
beforeEach(async () => {
  endpoint.requests.length = 0;
  tenantId = await insertTenant(database);
  await insertTool(database, tenantId, {
    url: `https://${HOST}:${endpoint.port}/book`,
    parameters: {
      type: "object",
      properties: { day: { type: "string" } },
      required: ["day"],
    },
  });
});
afterAll(async () => {
  argumentCheck.close();
  await endpoint.close();
  await database.close();
});

const call = {
  callUuid: "019aa3c1-7a10-7abc-8def-0123456789ab",
  toolCallId: "wish-1",
  tool: "book_visit",
  arguments: { day: "monday" },
  caller: { number: "+37060000001", direction: "inbound" },
};

describe("running a tool", () => {
  test("reports its duration, measured from the request", async () => {
    const clock = fakeClock();
    await clock.advance(5_000);
    const find = () => clock.advance(70).then(() => null);
    const measured = new HttpToolRunner({
      database,
      vault: plainVault,
      argumentCheck,
      log: silentLog,
      clock,
      timeoutMs: 300,
      resultBytesMax: 300,
      client: new SafeHttpClient({ allowNetworks: [] }),
      targets: (queries) => ({ ...toolTargetStore(queries), find }),
    });
    expect((await measured.run(tenantId, call)).durationMs).toBe(70);
  });

  test("by hand is marked as a trial", async () => {
    endpoint.respond = answer(200, '{"booked":true}');
    const tool = { url: `https://${HOST}:${endpoint.port}/book`, name: "tried" };
    const toolId = await insertTool(database, tenantId, tool);
    const { callUuid } = call;
    const result = await runner.trial(tenantId, toolId, { callUuid, arguments: {} });
    expect(result).toMatchObject({ toolCallId: "trial", ok: true, output: { booked: true } });
    expect(JSON.parse(endpoint.requests[0]?.body ?? "{}").caller).toEqual({
      number: "",
      direction: "inbound",
      test: true,
      verified: false,
      level: 0,
    });
  });

  test("returns an answer nested thousands deep as text: parsing it would take seconds", async () => {
    const deep = `${"[ ".repeat(16_000)}${"] ".repeat(16_000)}`;
    endpoint.respond = answer(200, deep);
    const { ok, output } = await runner.run(tenantId, call);
    expect([ok, output]).toEqual([true, `${"[ ".repeat(145)}[… [cut]`]);
    endpoint.respond = answer(200, "null");
    expect((await runner.run(tenantId, call)).output).toBeNull();
  });

  test.each(["windows-1257", '"windows-1257"', "utf-8"])(
    "decodes an answer in the charset %s",
    async (charset) => {
      const bytes = Buffer.from('{"name":"\xd0arka"}', "latin1");
      const body = charset === "utf-8" ? Buffer.from('{"name":"Šarka"}') : bytes;
      endpoint.respond = (_, response) => {
        response.writeHead(200, { "content-type": `application/json; charset=${charset}` });
        response.end(body);
      };
      expect((await runner.run(tenantId, call)).output).toEqual({ name: "Šarka" });
    },
  );

  test.each([
    [299, true],
    [300, false],
  ])("with answer HTTP %d counts as success: %p", async (httpStatus, ok) => {
    endpoint.respond = answer(httpStatus, '{"booked":true}');
    expect(await runner.run(tenantId, call)).toMatchObject({ httpStatus, ok });
  });

  test("posts call, arguments and caller with the secret header, and reads JSON back", async () => {
    endpoint.respond = answer(200, '{"booked":true,"at":"9:30"}');
    const result = await runner.run(tenantId, call);
    expect(result).toMatchObject({
      toolCallId: "wish-1",
      ok: true,
      httpStatus: 200,
      output: { booked: true, at: "9:30" },
    });
    expect(result.durationMs).toBeGreaterThanOrEqual(0);
    const [request] = endpoint.requests;
    expect(request).toMatchObject({ method: "POST", path: "/book" });
    expect(request?.headers["x-tool-secret"]).toBe("tool-secret");
    expect(request?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(request?.body ?? "")).toEqual({
      call_id: call.callUuid,
      tool: "book_visit",
      arguments: { day: "monday" },
      caller: { number: "+37060000001", direction: "inbound", verified: false, level: 0 },
    });
  });

  test("uses the tool of the call's version, unless it was switched off or its secret belongs to another server", async () => {
    const endpointUrl = `https://${HOST}:${endpoint.port}`;
    const agentId = await insertAgent(database, tenantId);
    const toolId = await insertTool(database, tenantId, {
      name: "moved",
      url: `${endpointUrl}/before`,
      agentId,
    });
    const note = { author: OPERATOR, nowMs: 1 };
    await database.tx((queries) => recordVersions(queries, tenantId, agentId, note));
    const change = (changes: Partial<typeof tools.$inferInsert>) =>
      database.tx((queries) => queries.update(tools).set(changes).where(eq(tools.id, toolId)));
    const version = { agentId, number: 1 };
    const run = async (during: object) => {
      endpoint.requests.length = 0;
      endpoint.respond = answer(200, "{}");
      await runner.run(tenantId, { ...call, tool: "moved", ...during });
      return endpoint.requests.map(({ path }) => path);
    };
    await change({ url: `${endpointUrl}/after`, secretHeader: "X-Other" });
    expect([await run({ version }), await run({})]).toEqual([["/before"], ["/after"]]);
    await change({ url: "https://elsewhere.test/after" });
    expect(await run({ version })).toEqual([]);
    await change({ url: `${endpointUrl}/after`, enabled: false });
    expect(await run({ version })).toEqual([]);
  });

  test.each([
    [1, 0, 0, false],
    [1, 1, 1, true],
    [2, 1, 1, false],
    [2, 1, 2, true],
    [2, 0, 2, true],
  ] as const)(
    "a tool of level %d for a caller of level %d, raised to %d",
    async (needed, level, raised, runs) => {
      const name = `level_${needed}_${level}_${raised}`;
      const url = `https://${HOST}:${endpoint.port}/book`;
      await insertTool(database, tenantId, { name, url, callerLevel: needed });
      endpoint.respond = answer(200, "{}");
      let asked = 0;
      const raise = async () => {
        asked++;
        return raised;
      };
      const result = await runner.run(tenantId, { ...call, tool: name, level, raise });
      expect(result.ok).toBe(runs);
      expect(asked).toBe(level < needed ? 1 : 0);
      expect(endpoint.requests).toHaveLength(runs ? 1 : 0);
      if (!runs) expect(result.output).toMatch(/could not be verified/);
      else
        expect(JSON.parse(endpoint.requests[0]?.body ?? "").caller).toMatchObject({
          verified: true,
          level: raised,
        });
    },
  );

  test("does not run a tool that needs a level if the caller cannot be asked", async () => {
    const url = `https://${HOST}:${endpoint.port}/book`;
    await insertTool(database, tenantId, { name: "private", url, callerLevel: 1 });
    const result = await runner.run(tenantId, { ...call, tool: "private" });
    expect(result).toMatchObject({ ok: false, httpStatus: null });
    expect(endpoint.requests).toEqual([]);
  });

  test("returns text other than JSON as text", async () => {
    endpoint.respond = answer(200, "  booked \n");
    expect((await runner.run(tenantId, call)).output).toBe("booked");
  });

  // Around 300 bytes; the mark takes 9 of them.
  test.each([
    ["text below the bound", "x".repeat(299), "x".repeat(299)],
    ["text at the bound", "x".repeat(300), "x".repeat(300)],
    ["text above the bound", "x".repeat(301), `${"x".repeat(291)}… [cut]`],
    ["text whose letters take two bytes", "ā".repeat(200), `${"ā".repeat(145)}… [cut]`],
    ["JSON at the bound", { a: "x".repeat(292) }, { a: "x".repeat(292) }],
    ["JSON above the bound", { a: "x".repeat(293) }, `{"a":"${"x".repeat(285)}… [cut]`],
  ])("returns %s unchanged or cut", async (_, given, output) => {
    endpoint.respond = answer(
      200,
      typeof given === "string" ? given : JSON.stringify(given, null, 9),
    );
    expect(await runner.run(tenantId, call)).toMatchObject({ ok: true, httpStatus: 200, output });
  });

  test("with invalid arguments sends nothing", async () => {
    const result = await runner.run(tenantId, { ...call, arguments: { day: 1 } });
    expect(result).toMatchObject({ ok: false, httpStatus: null });
    expect(String(result.output)).toContain("day");
    expect(endpoint.requests).toEqual([]);
  });

  test("reports an unknown, disabled or foreign tool as unknown", async () => {
    const unknown = await runner.run(tenantId, { ...call, tool: "fly" });
    expect(unknown).toMatchObject({ ok: false, output: "There is no tool named fly." });
    await insertTool(database, tenantId, { name: "off", enabled: false });
    expect((await runner.run(tenantId, { ...call, tool: "off" })).ok).toBe(false);
    const stranger = await insertTenant(database);
    expect((await runner.run(stranger, call)).ok).toBe(false);
    expect(endpoint.requests).toEqual([]);
  });

  test("returns an error status, a redirect, a time-out and a flood as failures that the agent can mention", async () => {
    endpoint.respond = answer(500);
    expect(await runner.run(tenantId, call)).toMatchObject({
      ok: false,
      httpStatus: 500,
      output: "The tool answered HTTP 500.",
    });
    endpoint.respond = answer(409, '{"reason":"taken"}');
    expect(await runner.run(tenantId, call)).toMatchObject({
      ok: false,
      httpStatus: 409,
      output: { reason: "taken" },
    });
    endpoint.respond = answer(307, "", { location: "https://10.0.0.1/" });
    expect(await runner.run(tenantId, call)).toMatchObject({ ok: false, httpStatus: 307 });
    endpoint.respond = () => {};
    expect(await runner.run(tenantId, call)).toMatchObject({
      ok: false,
      httpStatus: null,
      output: "The tool failed: no answer within 300 ms.",
    });
    endpoint.respond = answer(200, "x".repeat(64 * 1024 + 1));
    const flood = await runner.run(tenantId, call);
    expect(String(flood.output)).toContain("larger than 65536 bytes");
  });

  test("fails without a request for a private address or an undecryptable secret", async () => {
    await insertTool(database, tenantId, { name: "inside", url: "https://192.168.0.1/" });
    const inside = await runner.run(tenantId, { ...call, tool: "inside" });
    expect(inside).toMatchObject({ ok: false, httpStatus: null });
    expect(String(inside.output)).toContain("not allowed");
    await insertTool(database, tenantId, { name: "spoiled", secretSealed: "elsewhere" });
    const spoiled = await runner.run(tenantId, { ...call, tool: "spoiled" });
    expect(spoiled).toMatchObject({ ok: false, output: "The tool could not be run." });
  });
});
