/** Scenarios of every resource: what an answer is, and what must never be in it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { microEur } from "../../../src/core/money.ts";
import { calls, deliveries, toolCalls, tools, turns } from "../../../src/store/schema/index.ts";
import { makeFixtures } from "../../support/api-fixtures.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pick,
  pickId,
  pickText,
  startApiServer,
} from "../../support/api-server.ts";
import { tempDir } from "../../support/temp-dir.ts";

const directory = tempDir();
let server: ApiServer;
let own: ApiTenant;
let other: ApiTenant;

beforeAll(async () => {
  server = await startApiServer({ directory });
  own = await server.tenant();
  other = await server.tenant({ trunk: false, name: "Other UAB" });
  await server.credit(own.id, 20);
});
afterAll(() => server.stop());

const get = (path: string, tenant = own) => ask(server, tenant, "GET", path);
const post = (path: string, body: unknown = {}, tenant = own, headers = {}) =>
  ask(server, tenant, "POST", path, body, headers);
const patch = (path: string, body: unknown, tenant = own) =>
  ask(server, tenant, "PATCH", path, body);
const remove = (path: string, tenant = own) => ask(server, tenant, "DELETE", path);

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/;
const newAgent = { name: "Reception", prompt: "You answer the phone." };

describe("tenant", () => {
  test("is exactly the table of the specification, without the SIP password or the secret", async () => {
    const answer = await get("/tenant");
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      ok: true,
      tenant: {
        id: own.id,
        name: "Dantų klinika",
        email: "owner@clinic.example",
        plan: "start",
        plan_included_minutes: 10,
        overage_eur_per_min: 0.12,
        balance_eur: 20,
        webhook_signing: {
          algorithm: "hmac-sha256",
          header: "X-LV-Signature",
          prefix: expect.stringMatching(/^[0-9a-f]{8}$/),
        },
        sip: {
          server: "sip.carrier.example",
          username: `user${own.id}`,
          port: 5060,
          transport: "udp",
          caller_id: "+37052000000",
          status: "unregistered",
        },
        features: {
          callback_memory: 0,
          named_greeting: 0,
          cli_identity: 0,
          birthday_calls: 0,
          crm_bridge: 0,
        },
      },
    });
    expect(answer.text).not.toContain("password");
  });

  test("shows the trunk's registration as it is now", async () => {
    const trunk = own.id;
    server.registrations.set(trunk, { name: "registered", expiresAtMs: 0 });
    expect(pick(await get("/tenant"), "tenant.sip.status")).toBe("registered");
    server.registrations.delete(trunk);
  });

  test("without a trunk every sip field is null, none is missing", async () => {
    expect(pick(await get("/tenant", other), "tenant.sip")).toEqual({
      server: null,
      username: null,
      port: null,
      transport: null,
      caller_id: null,
      status: null,
    });
  });
});

describe("agents", () => {
  test("creating answers seven fields; one agent's answer has all with defaults", async () => {
    const created = await post("/agents", newAgent);
    const id = pickId(created, "agent.id");
    expect(created.status).toBe(200);
    expect(created.json).toEqual({
      ok: true,
      agent: {
        id,
        name: "Reception",
        language: "en",
        voice: "Sari",
        engine: "embedded",
        max_duration_sec: 600,
        webhook_url: null,
      },
    });
    const one = await get(`/agents/${id}`);
    expect(one.json).toEqual({
      ok: true,
      agent: {
        id,
        ...newAgent,
        first_message: "Hello! How can I help you?",
        first_speaker: "assistant",
        voice: "Sari",
        language: "en",
        max_duration_sec: 600,
        voicemail_action: "hangup",
        filler_phrases: expect.stringMatching(/^.+\n.+\n.+$/),
        webhook_url: null,
        transcript_email: null,
        transcript_email_enabled: false,
        engine: "embedded",
        created_at: expect.stringMatching(ISO),
        updated_at: expect.stringMatching(ISO),
      },
    });
  });

  test("greeting and fillers default to the agent's language", async () => {
    const created = await post("/agents", { ...newAgent, language: "lt" });
    const one = await get(`/agents/${pickId(created, "agent.id")}`);
    expect(pickText(one, "agent.first_message")).toContain("Kuo galiu");
  });

  test("a whole record can be sent back in a PATCH; what only answers carry changes nothing", async () => {
    const id = pickId(await post("/agents", newAgent), "agent.id");
    const record = pick(await get(`/agents/${id}`), "agent") as Record<string, unknown>;
    const answer = await patch(`/agents/${id}`, { ...record, id: 999, engine: "x", name: "New" });
    expect(answer.status).toBe(200);
    expect(pick(answer, "agent")).toMatchObject({ id, engine: "embedded", name: "New" });
  });

  test("an empty PATCH changes nothing", async () => {
    const id = pickId(await post("/agents", newAgent), "agent.id");
    const before = pick(await get(`/agents/${id}`), "agent");
    expect(pick(await patch(`/agents/${id}`, {}), "agent")).toEqual(before);
  });

  test("the e-mail cannot be switched on without an address, nor the address taken away", async () => {
    const refused = await post("/agents", { ...newAgent, transcript_email_enabled: true });
    expect(refused.status).toBe(400);
    expect(pick(refused, "error")).toBe("valid_transcript_email_required");
    const mail = { transcript_email: "a@b.example", transcript_email_enabled: true };
    const id = pickId(await post("/agents", { ...newAgent, ...mail }), "agent.id");
    const taken = await patch(`/agents/${id}`, { transcript_email: null });
    expect(pick(taken, "error")).toBe("valid_transcript_email_required");
  });

  test("a voice is one of the four or an alias of the operator's", async () => {
    const alias = await post("/agents", { ...newAgent, voice: "Brand Sari" });
    expect(pick(alias, "agent.voice")).toBe("Brand Sari");
    const wrong = await post("/agents", { ...newAgent, voice: "Brand Emma" });
    expect([wrong.status, pick(wrong, "error"), pick(wrong, "field")]).toEqual([
      400,
      "valid_voice_required",
      "voice",
    ]);
  });

  test("deleting detaches files, numbers and pending schedules, and the rest goes on", async () => {
    const id = pickId(await post("/agents", newAgent), "agent.id");
    const file = pickId(
      await post("/files", { filename: "a.txt", content: "x", agent_id: id }),
      "file.id",
    );
    const number = pickId(
      await post("/phone-numbers", { number_e164: "+37052111111", agent_id: id }),
      "phone_number.id",
    );
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const call = await post("/calls", {
      to_number: "+37060000009",
      agent_id: id,
      schedule_at: later,
    });
    const gone = await remove(`/agents/${id}`);
    expect(gone.json).toEqual({ ok: true, id, deleted: true });
    expect((await get(`/agents/${id}`)).status).toBe(404);
    expect(pick(await get(`/files/${file}`), "file.agent_ids")).toEqual([]);
    expect(pick(await get(`/phone-numbers/${number}`), "phone_number.agent_id")).toBeNull();
    const entries = pick(await get("/schedules"), "schedules") as {
      id: number;
      agent_id: unknown;
    }[];
    const entry = entries.find(({ id: found }) => found === pick(call, "schedule_id"));
    expect(entry?.agent_id).toBeNull();
  });
});

describe("files", () => {
  test("size is counted in UTF-8; only one file's answer has the content", async () => {
    const created = await post("/files", { filename: "Kainos.md", content: "Kaina: 5 €" });
    const id = pickId(created, "file.id");
    expect(created.json).toEqual({
      ok: true,
      file: {
        id,
        filename: "Kainos.md",
        format: "md",
        size_bytes: 12,
        agent_ids: [],
        created_at: expect.stringMatching(ISO),
        updated_at: expect.stringMatching(ISO),
      },
    });
    expect(pick(await get(`/files/${id}`), "file.content")).toBe("Kaina: 5 €");
    expect((await get("/files")).text).not.toContain("Kaina:");
  });

  test.each([
    ["prices.json", '{"a": 1,\n "b": }', 2],
    ["prices.json", "[1,2\n", 2],
    ["prices.csv", "  \n ", 1],
    ["prices.csv", "name,,price\n1,2,3", 1],
    ["prices.csv", 'name,price\n"open,1\n', 2],
    ["notes.txt", "fine\nbroken \ud800 here", 2],
  ])(
    "%s that is not what it says is refused with the line (%#)",
    async (filename, content, line) => {
      const answer = await post("/files", { filename, content });
      expect([answer.status, pick(answer, "error")]).toEqual([400, "valid_content_required"]);
      expect(pickText(answer, "message")).toContain(`line ${line}`);
    },
  );

  test("bytes that are not UTF-8 inside the content name its line", async () => {
    const body = Buffer.concat([
      Buffer.from('{"filename":"a.txt","content":"one\\ntwo '),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    const response = await fetch(`${server.base}/api/v1/files`, {
      method: "POST",
      headers: { "x-lv-api-key": own.key, "content-type": "application/json" },
      body,
    });
    const json = (await response.json()) as Record<string, unknown>;
    expect([response.status, json.error]).toEqual([400, "valid_content_required"]);
    expect(json.message).toContain("line 2");
  });

  test("512,000 bytes pass, one more does not", async () => {
    const fits = await post("/files", { filename: "a.txt", content: "x".repeat(512_000) });
    expect(fits.status).toBe(200);
    const over = await post("/files", { filename: "a.txt", content: "x".repeat(512_001) });
    expect([over.status, pick(over, "error")]).toEqual([400, "valid_content_required"]);
    const wide = await post("/files", { filename: "a.txt", content: "ž".repeat(256_001) });
    expect([wide.status, pick(wide, "error")]).toEqual([400, "valid_content_required"]);
  });

  test("PATCH attaches one agent, replaces the set, and null detaches from all", async () => {
    const [a, b] = [
      pickId(await post("/agents", newAgent), "agent.id"),
      pickId(await post("/agents", newAgent), "agent.id"),
    ];
    const id = pickId(await post("/files", { filename: "a.txt", content: "x" }), "file.id");
    const agentIds = async (body: unknown) =>
      pick(await patch(`/files/${id}`, body), "file.agent_ids");
    expect(await agentIds({ agent_id: a })).toEqual([a]);
    expect(await agentIds({ agent_id: b })).toEqual([a, b]);
    expect(await agentIds({ agent_ids: [b] })).toEqual([b]);
    expect(await agentIds({ agent_id: null })).toEqual([]);
    expect((await patch(`/files/${id}`, { agent_id: 999_999 })).status).toBe(404);
  });

  test("renaming to another format checks the content that is there", async () => {
    const id = pickId(await post("/files", { filename: "a.txt", content: "not json" }), "file.id");
    const answer = await patch(`/files/${id}`, { filename: "a.json" });
    expect(pick(answer, "error")).toBe("valid_content_required");
  });

  test("another tenant's agent is no agent", async () => {
    const foreign = pickId(await post("/agents", newAgent, other), "agent.id");
    const answer = await post("/files", { filename: "a.txt", content: "x", agent_id: foreign });
    expect([answer.status, pick(answer, "error")]).toEqual([404, "not_found"]);
  });
});

describe("tools", () => {
  test("are listed without their secret", async () => {
    await server.database.tx(async (q) => {
      await q.insert(tools).values({
        tenantId: own.id,
        name: "find_booking",
        description: "Finds a booking.",
        url: "https://tools.example/find",
        secretHeader: "X-Tool-Secret",
        secretSealed: "sealed-tool-secret",
        parameters: { type: "object" },
        createdAt: 0,
        updatedAt: 0,
      });
    });
    const answer = await get("/tools");
    expect(pick(answer, "tools.0")).toMatchObject({ name: "find_booking", agent_id: null });
    expect(answer.text).not.toContain("sealed-tool-secret");
    expect(pick(await get("/tools", other), "tools")).toEqual([]);
    expect((await post("/tools")).status).toBe(405);
  });
});

describe("phone numbers", () => {
  test("are added, mapped, switched off and removed", async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    const created = await post("/phone-numbers", { number_e164: "+37052222222", label: "Desk" });
    const id = pickId(created, "phone_number.id");
    expect(created.json).toEqual({
      ok: true,
      phone_number: {
        id,
        number_e164: "+37052222222",
        label: "Desk",
        agent_id: null,
        inbound_enabled: true,
        created_at: expect.stringMatching(ISO),
      },
    });
    const mapped = await patch(`/phone-numbers/${id}`, { agent_id: agent, inbound_enabled: false });
    expect(pick(mapped, "phone_number")).toMatchObject({ agent_id: agent, inbound_enabled: false });
    expect((await remove(`/phone-numbers/${id}`)).json).toEqual({ ok: true, id, deleted: true });
    expect((await get(`/phone-numbers/${id}`)).status).toBe(404);
  });

  test("belong to one tenant on the whole appliance", async () => {
    await post("/phone-numbers", { number_e164: "+37052333333" }, other);
    const answer = await post("/phone-numbers", { number_e164: "+37052333333" });
    expect([answer.status, pick(answer, "error")]).toEqual([409, "conflict"]);
    expect(answer.text).not.toContain("Other UAB");
  });
});

describe("calls", () => {
  test("at once is queued_immediate, later is scheduled with a space-separated time", async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    const wish = { to_number: "+37060000001", agent_id: agent };
    const now = await post("/calls", wish);
    expect(now.json).toEqual({
      ok: true,
      status: "queued_immediate",
      call_uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      schedule_id: expect.any(Number),
      from_number: "+37052000000",
      scheduled_at: null,
    });
    const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);
    const text = at.toISOString().slice(0, 19);
    const later = await post("/calls", { ...wish, schedule_at: `${text}Z` });
    expect(later.json).toMatchObject({
      status: "scheduled",
      scheduled_at: text.replace("T", " "),
    });
  });

  test.each([
    [{}, "valid_to_number_required"],
    [{ to_number: "060000001" }, "valid_to_number_required"],
    [{ to_number: "+37060000001", from_number: "5" }, "valid_from_number_required"],
    [
      { to_number: "+37060000001", schedule_at: "2026-11-21T04:05:06" },
      "valid_schedule_at_required",
    ],
    [
      { to_number: "+37060000001", schedule_at: "2020-01-01T00:00:00Z" },
      "valid_schedule_at_required",
    ],
    [
      { to_number: "+37060000001", schedule_at: "2199-01-01T00:00:00Z" },
      "valid_schedule_at_required",
    ],
    [{ to_number: "+37060000001", colour: 1 }, "unknown_field"],
  ])("POST /calls %j is 400 %s", async (body, error) => {
    const answer = await post("/calls", body);
    expect([answer.status, pick(answer, "error")]).toEqual([400, error]);
  });

  test("a destination outside the dialling rules and an empty wallet are 403", async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    const abroad = await post("/calls", { to_number: "+12025550123", agent_id: agent });
    expect([abroad.status, pick(abroad, "error")]).toEqual([403, "destination_not_allowed"]);
    const poor = await server.tenant({ plan: "prepaid" });
    await post("/agents", newAgent, poor);
    const broke = await post("/calls", { to_number: "+37060000001" }, poor);
    expect([broke.status, pick(broke, "error")]).toEqual([403, "insufficient_balance"]);
  });

  test("another tenant's agent cannot call for this one", async () => {
    const foreign = pickId(await post("/agents", newAgent, other), "agent.id");
    const answer = await post("/calls", { to_number: "+37060000001", agent_id: foreign });
    expect([answer.status, pick(answer, "error")]).toEqual([404, "not_found"]);
  });

  test("a call that is not live can neither be transferred nor ended", async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    const call = await post("/calls", { to_number: "+37060000001", agent_id: agent });
    const uuid = pickText(call, "call_uuid");
    const moved = await post(`/calls/${uuid}/transfer`, { to: "+37060000002" });
    const ended = await post(`/calls/${uuid}/hangup`);
    expect([moved.status, pick(moved, "error")]).toEqual([409, "conflict"]);
    expect([ended.status, pick(ended, "error")]).toEqual([409, "conflict"]);
    expect((await post(`/calls/${uuid}/hangup`, {}, other)).status).toBe(404);
  });
});

test("what the call desk does with a live call is answered in the shape of the decisions", async () => {
  const asked: unknown[] = [];
  const live = await startApiServer({
    directory: tempDir(),
    dependencies: {
      calls: {
        request: () => Promise.reject(new Error("not asked for here")),
        cancelSchedule: () => Promise.reject(new Error("not asked for here")),
        transfer: async (...wish) => void asked.push(wish),
        hangUp: async (...wish) => void asked.push(wish),
      },
    },
  });
  const tenant = await live.tenant();
  const { ids } = await makeFixtures(live, tenant, "mine", "+37051111111");
  const to = "sip:desk@pbx.example";
  const moved = await ask(live, tenant, "POST", `/calls/${ids.call}/transfer`, { to });
  expect(moved.json).toEqual({ ok: true, call_uuid: ids.call, status: "transferring", to });
  const ended = await ask(live, tenant, "POST", `/calls/${ids.call}/hangup`);
  expect(ended.json).toEqual({ ok: true, call_uuid: ids.call, status: "completed" });
  expect(asked).toEqual([
    [tenant.id, ids.call, to],
    [tenant.id, ids.call],
  ]);
  await live.stop();
});

describe("a finished call", () => {
  const uuid = "019aa1b2-0000-7000-8000-00000000aaaa";
  const createdAt = Date.UTC(2026, 10, 2, 10);
  let tenant: ApiTenant;

  beforeAll(async () => {
    tenant = await server.tenant();
    await server.database.tx(async (q) => {
      const [row] = await q
        .insert(calls)
        .values({
          callUuid: uuid,
          tenantId: tenant.id,
          direction: "inbound",
          fromNumber: "+37060000001",
          toNumber: "+37052000000",
          status: "completed",
          endedReason: "caller_hangup",
          createdAt,
          answeredAt: createdAt + 5000,
          endedAt: createdAt + 66_000,
          answeredBy: "human",
          summary: "The caller asked for the hours.",
          recordingStatus: "ready",
          recordingFile: "call.mp3",
          billableSeconds: 61,
          includedSeconds: 60,
          overageSeconds: 1,
          overageRate: microEur(120_000),
          cost: microEur(2000),
          costStt: microEur(100),
          costTts: microEur(50),
          latencyP50Ms: 600,
          latencyP95Ms: 900,
          sipCallId: "abc@carrier",
          sipFinalCode: 200,
          codec: "PCMA",
        })
        .returning({ id: calls.id });
      const callId = row?.id ?? 0;
      await q.insert(turns).values([
        {
          callId,
          turnIndex: 0,
          speaker: "agent",
          text: "Hello!",
          startMs: 0,
          endMs: 900,
          interrupted: false,
          latencyMs: 600,
        },
        {
          callId,
          turnIndex: 1,
          speaker: "customer",
          text: "When are you open?",
          startMs: 1200,
          endMs: 2500,
          interrupted: false,
        },
      ]);
      await q.insert(toolCalls).values({
        callId,
        tool: "hours",
        arguments: { day: "Monday" },
        ok: true,
        httpStatus: 200,
        durationMs: 80,
        createdAt,
      });
    });
  });

  test("shows everything in its detail, and nothing is missing where nothing is known", async () => {
    const answer = await get(`/calls/${uuid}`, tenant);
    expect(answer.json).toEqual({
      ok: true,
      call: {
        call_uuid: uuid,
        direction: "inbound",
        from_number: "+37060000001",
        to_number: "+37052000000",
        status: "completed",
        billable_seconds: 61,
        cost_eur: 0.002,
        agent_id: null,
        created_at: "2026-11-02T10:00:00+00:00",
        answered_at: "2026-11-02T10:00:05+00:00",
        ended_at: "2026-11-02T10:01:06+00:00",
        ended_reason: "caller_hangup",
        schedule_id: null,
        transcript: "Agent: Hello!\nCustomer: When are you open?",
        turns: [
          {
            speaker: "agent",
            text: "Hello!",
            start_ms: 0,
            end_ms: 900,
            interrupted: false,
            latency_ms: 600,
            measures: null,
          },
          {
            speaker: "customer",
            text: "When are you open?",
            start_ms: 1200,
            end_ms: 2500,
            interrupted: false,
            latency_ms: null,
            measures: null,
          },
        ],
        summary: "The caller asked for the hours.",
        recording_url: expect.stringContaining(`/api/v1/recordings/${uuid}?expires=`),
        recording_status: "ready",
        answered_by: "human",
        billing: {
          billable_seconds: 61,
          included_seconds: 60,
          overage_seconds: 1,
          overage_eur_per_min: 0.12,
          cost_eur: 0.002,
        },
        cost_of_goods: {
          stt_eur: 0.0001,
          llm_eur: null,
          tts_eur: 0.00005,
          trunk_eur: null,
          total_eur: 0.00015,
        },
        usage: { llm_input_tokens: 0, llm_output_tokens: 0, tts_characters: 0, stt_seconds: 0 },
        latency: { p50_ms: 600, p95_ms: 900 },
        tool_calls: [
          {
            tool: "hours",
            arguments: { day: "Monday" },
            ok: true,
            http_status: 200,
            duration_ms: 80,
            created_at: "2026-11-02T10:00:00+00:00",
          },
        ],
        disclosure: null,
        messages: [],
        transfers: [],
        answering: [],
        sip: {
          call_id: "abc@carrier",
          final_code: 200,
          codec: "PCMA",
          packets_lost: null,
          jitter_ms: null,
          mos: null,
        },
      },
    });
    expect((await get(`/calls/${uuid}`)).status).toBe(404);
  });

  test("is listed with its thirteen fields, filtered, counted", async () => {
    const all = await get("/calls", tenant);
    expect(Object.keys(pick(all, "calls.0") as object)).toHaveLength(13);
    expect(pick(all, "total")).toBe(1);
    expect(all.text).not.toContain("When are you open?");
    const counts = async (query: string) => pick(await get(`/calls?${query}`, tenant), "total");
    expect(await counts("status=completed&direction=inbound")).toBe(1);
    expect(await counts("status=busy")).toBe(0);
    expect(await counts("from=2026-11-02&to=2026-11-02")).toBe(1);
    expect(await counts("from=2026-11-03")).toBe(0);
    expect(await counts("to=2026-11-01")).toBe(0);
    expect(await counts("agent_id=1")).toBe(0);
    expect(pick(await get("/calls?offset=1", tenant), "calls")).toEqual([]);
  });

  test("its recording opens with the signed link alone, in ranges, and not a second after", async () => {
    await Bun.write(`${directory}/call.mp3`, "0123456789");
    const link = pickText(await get(`/calls/${uuid}`, tenant), "call.recording_url");
    const whole = await fetch(link);
    expect([whole.status, whole.headers.get("content-type"), await whole.text()]).toEqual([
      200,
      "audio/mpeg",
      "0123456789",
    ]);
    const part = async (range: string) => {
      const response = await fetch(link, { headers: { range } });
      return [response.status, response.headers.get("content-range"), await response.text()];
    };
    expect(await part("bytes=2-4")).toEqual([206, "bytes 2-4/10", "234"]);
    expect(await part("bytes=-3")).toEqual([206, "bytes 7-9/10", "789"]);
    expect(await part("bytes=8-")).toEqual([206, "bytes 8-9/10", "89"]);
    expect(await part("bytes=10-")).toEqual([416, "bytes */10", ""]);
    const head = await fetch(link, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const forged = link.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 900}`);
    expect((await fetch(forged)).status).toBe(404);
    const moved = link.replace("aaaa?", "aaab?");
    expect((await fetch(moved)).status).toBe(404);
  });

  test("analytics and usage count it in the tenant's days", async () => {
    const usage = await get("/usage?year=2026&month=11", tenant);
    expect(pick(usage, "usage")).toMatchObject({
      calls: 1,
      minutes: 1.02,
      billable_seconds: 61,
      cost_eur: 0.002,
      cost_of_goods_eur: 0.00015,
    });
    expect(pick(usage, "usage.by_day") as unknown[]).toHaveLength(30);
    expect(pick(usage, "usage.by_day.1")).toEqual({
      date: "2026-11-02",
      calls: 1,
      answered: 1,
      minutes: 1.02,
      cost_eur: 0.002,
    });
    const days = await get("/analytics?days=365", tenant);
    expect(pick(days, "by_day") as unknown[]).toHaveLength(365);
    expect(pick(days, "totals.calls")).toBe(1);
    expect(pick(days, "by_hour.12")).toBe(1);
    expect(pick(days, "latency")).toMatchObject({ p50_ms: 600, p95_ms: 900 });
    expect(pick(days, "answer_rate")).toBe(1);
    expect(pick(days, "average_duration_sec")).toBe(61);
    const none = await get("/analytics", other);
    expect([pick(none, "answer_rate"), pick(none, "average_duration_sec")]).toEqual([null, null]);
  });
});

describe("schedules", () => {
  test("are listed, cancelled once, and never another tenant's", async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    const at = new Date(Date.now() + 7_200_000).toISOString();
    const call = await post("/calls", {
      to_number: "+37060000001",
      agent_id: agent,
      schedule_at: at,
    });
    const id = pickId(call, "schedule_id");
    expect((await remove(`/schedules/${id}`, other)).status).toBe(404);
    const cancelled = await remove(`/schedules/${id}`);
    expect(pick(cancelled, "schedule")).toMatchObject({ id, status: "cancelled", fired_at: null });
    const again = await remove(`/schedules/${id}`);
    expect([again.status, pick(again, "error")]).toEqual([409, "conflict"]);
    expect(pick(await get("/schedules?status=cancelled"), "schedules.0.id")).toBe(id);
  });

  test("immediate requests are not among them", async () => {
    const agent = pickId(await post("/agents", newAgent), "agent.id");
    const call = await post("/calls", { to_number: "+37060000001", agent_id: agent });
    const entries = pick(await get("/schedules"), "schedules") as { id: number }[];
    expect(entries.map(({ id }) => id)).not.toContain(pickId(call, "schedule_id"));
    expect((await remove(`/schedules/${pickId(call, "schedule_id")}`)).status).toBe(404);
  });
});

describe("billing", () => {
  test("plans say which is the tenant's; the balance is that of GET /tenant", async () => {
    const plans = await get("/plans");
    expect(pick(plans, "plans.0")).toEqual({
      slug: "start",
      name: "Start",
      included_minutes: 10,
      price_eur_per_month: 19,
      overage_eur_per_min: 0.12,
      max_concurrent_calls: 5,
      current: true,
    });
    expect((await get("/billing/balance")).json).toEqual({
      ok: true,
      balance_eur: 20,
      currency: "EUR",
      plan: "start",
      included_seconds_left: 600,
    });
  });

  test.each([
    ["/topup", { amount_eur: 9.99 }, "valid_amount_eur_required"],
    ["/topup", { amount_eur: 1000.01 }, "valid_amount_eur_required"],
    ["/topup", { amount_eur: 10.001 }, "valid_amount_eur_required"],
    ["/topup", { amount_eur: "10" }, "valid_amount_eur_required"],
    ["/checkout", {}, "valid_item_required"],
    ["/checkout", { item: "house" }, "valid_item_required"],
    ["/checkout", { item: "plan" }, "valid_plan_required"],
    ["/checkout", { item: "plan", plan: "none" }, "valid_plan_required"],
    ["/checkout", { item: "retention", blocks: 0 }, "valid_blocks_required"],
    ["/checkout", { item: "retention", blocks: 6 }, "valid_blocks_required"],
    ["/checkout", { item: "crm_bridge", blocks: 1 }, "unknown_field"],
  ])("POST %s %j is 400 %s", async (path, body, error) => {
    const answer = await post(path, body);
    expect([answer.status, pick(answer, "error")]).toEqual([400, error]);
  });

  test.each([
    ["/topup", { amount_eur: 10 }, "topup", 10],
    ["/topup", { amount_eur: 19.99 }, "topup", 19.99],
    ["/topup", { amount_eur: 1000 }, "topup", 1000],
    ["/checkout", { item: "plan", plan: "prepaid" }, "plan", 0],
    ["/checkout", { item: "crm_bridge" }, "crm_bridge", 79],
    ["/checkout", { item: "retention", blocks: 5 }, "retention", 25],
  ])("POST %s %j opens a checkout with a page", async (path, body, kind, amount) => {
    const answer = await post(path, body);
    expect(answer.json).toMatchObject({
      ok: true,
      checkout: { kind, amount_eur: amount, currency: "EUR", status: "open" },
    });
    const page = await fetch(`${server.base}/checkout/${pickText(answer, "checkout.id")}`);
    const html = await page.text();
    expect(html).toContain(`${Number(amount).toFixed(2)} EUR`);
    expect(html).toContain("&#60;operator&#62;");
    expect(html).not.toContain("<operator>");
  });

  test("a payment that does not exist has a page that says so", async () => {
    expect((await fetch(`${server.base}/checkout/chk_0`)).status).toBe(404);
  });
});

describe("keys", () => {
  test("show the secret once, open at once, and open nothing once revoked", async () => {
    const created = await post("/keys", { label: "ERP" });
    const secret = pickText(created, "key.secret");
    expect(Object.keys(pick(created, "key") as object).sort()).toEqual([
      "created_at",
      "id",
      "label",
      "prefix",
      "secret",
    ]);
    expect(secret).toMatch(/^lv_live_[0-9a-f]{64}$/);
    const holder = { id: own.id, key: secret };
    expect((await get("/tenant", holder)).status).toBe(200);
    const listed = await get("/keys");
    expect(listed.text).not.toContain(secret);
    expect(listed.text).not.toContain("hash");
    const keys = pick(listed, "keys") as { id: number; last_used_at: string | null }[];
    const id = pickId(created, "key.id");
    expect(keys.find((key) => key.id === id)?.last_used_at).toMatch(ISO);
    expect((await remove(`/keys?id=${id}`, other)).status).toBe(404);
    expect((await get("/tenant", holder)).status).toBe(200);
    expect((await remove(`/keys?id=${id}`)).json).toEqual({ ok: true, id, revoked: true });
    expect((await get("/tenant", holder)).status).toBe(401);
    expect((await remove(`/keys?id=${id}`)).status).toBe(404);
    expect(pick(await remove("/keys"), "error")).toBe("valid_id_required");
  });
});

describe("webhooks", () => {
  const wish = { url: "https://hooks.example/x", events: ["call.ended", "call.failed"] };

  test("show the signing secret when made and rotated, never in between", async () => {
    const created = await post("/webhooks", wish);
    const id = pickId(created, "webhook.id");
    const secret = pickText(created, "signing_secret");
    expect(pick(created, "webhook")).toEqual({
      id,
      url: wish.url,
      events: wish.events,
      enabled: true,
      created_at: expect.stringMatching(ISO),
    });
    expect((await get("/webhooks")).text).not.toContain(secret);
    const rotated = await post(`/webhooks/${id}/rotate-secret`);
    expect(pickText(rotated, "signing_secret")).toMatch(/^[0-9a-f]{64}$/);
    expect(pickText(rotated, "signing_secret")).not.toBe(secret);
    expect((await post(`/webhooks/${id}/rotate-secret`, {}, other)).status).toBe(404);
    expect((await remove(`/webhooks/${id}`, other)).status).toBe(404);
    expect((await remove(`/webhooks/${id}`)).json).toEqual({ ok: true, id, deleted: true });
  });

  test.each([
    [{ ...wish, url: "http://hooks.example/x" }, "valid_url_required"],
    [{ ...wish, url: "https://u:p@hooks.example/x" }, "valid_url_required"],
    [{ ...wish, events: [] }, "valid_events_required"],
    [{ ...wish, events: ["call.exploded"] }, "valid_events_required"],
    [{ ...wish, secret: "x" }, "unknown_field"],
  ])("POST /webhooks %j is 400 %s", async (body, error) => {
    const answer = await post("/webhooks", body);
    expect([answer.status, pick(answer, "error")]).toEqual([400, error]);
  });

  test("the log shows attempts newest first, without payload, of this tenant only", async () => {
    const id = pickId(await post("/webhooks", wish), "webhook.id");
    await server.database.tx(async (q) => {
      for (const attempt of [1, 2])
        await q.insert(deliveries).values({
          id: `del_${id}${attempt}`,
          tenantId: own.id,
          webhookId: id,
          eventId: "evt_1",
          type: "call.ended",
          attempt,
          status: attempt === 2 ? "delivered" : "failed",
          httpStatus: attempt === 2 ? 204 : null,
          durationMs: 12,
          error: "the connection to 10.0.0.1 was refused",
          createdAt: attempt * 1000,
        });
    });
    const log = await get(`/webhooks/${id}/deliveries`);
    expect(pick(log, "deliveries.0")).toEqual({
      event_id: "evt_1",
      delivery_id: `del_${id}2`,
      type: "call.ended",
      attempt: 2,
      status: "delivered",
      http_status: 204,
      duration_ms: 12,
      created_at: "1970-01-01T00:00:02+00:00",
      next_attempt_at: null,
    });
    expect(
      pick(await get(`/webhooks/${id}/deliveries?limit=1&offset=1`), "deliveries.0.attempt"),
    ).toBe(1);
    expect((await get(`/webhooks/${id}/deliveries`, other)).status).toBe(404);
    expect(log.text).not.toContain("payload");
  });

  test("a test that cannot be delivered is a result, not an error", async () => {
    const unreachable = { url: "https://127.0.0.1:9/x", events: ["call.ended"] };
    const id = pickId(await post("/webhooks", unreachable), "webhook.id");
    const answer = await post(`/webhooks/${id}/test`);
    expect(answer.status).toBe(200);
    expect(pick(answer, "delivery")).toMatchObject({ status: "failed", http_status: null });
    expect(pickText(answer, "delivery.delivery_id")).toMatch(/^del_/);
  });

  test("the legacy secret is made anew with 201, and only its prefix stays visible", async () => {
    const answer = await post("/webhook-secret/regenerate");
    const secret = pickText(answer, "webhook_secret");
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.json as object).sort()).toEqual([
      "note",
      "ok",
      "prefix",
      "webhook_secret",
    ]);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(pick(answer, "prefix")).toBe(secret.slice(0, 8));
    const tenant = await get("/tenant");
    expect(pick(tenant, "tenant.webhook_signing.prefix")).toBe(secret.slice(0, 8));
    expect(tenant.text).not.toContain(secret);
  });
});

test("caps of the plan are 403 plan_limit_reached", async () => {
  const small = await startApiServer({
    directory: tempDir(),
    plans: [
      {
        slug: "start",
        name: "Start",
        includedMinutes: 0,
        pricePerMonth: microEur(0),
        overagePerMinute: microEur(0),
        maxConcurrentCalls: 1,
        maxAgents: 1,
        maxNumbers: 1,
        maxFiles: 1,
        maxWebhooks: 1,
      },
    ],
  });
  const tenant = await small.tenant();
  const wishes: [string, unknown, unknown][] = [
    ["/agents", newAgent, newAgent],
    ["/files", { filename: "a.txt", content: "x" }, { filename: "b.txt", content: "x" }],
    ["/phone-numbers", { number_e164: "+37052000001" }, { number_e164: "+37052000002" }],
    [
      "/webhooks",
      { url: "https://a.example", events: ["call.ended"] },
      { url: "https://b.example", events: ["call.ended"] },
    ],
  ];
  for (const [path, first, second] of wishes) {
    expect((await ask(small, tenant, "POST", path, first)).status).toBe(200);
    const over = await ask(small, tenant, "POST", path, second);
    expect([path, over.status, pick(over, "error")]).toEqual([path, 403, "plan_limit_reached"]);
  }
  await small.stop();
});
