/**
 * A tenant's configuration (agents, knowledge, tools, numbers): the content of answers, and what they must never
 * contain.
 */
import { describe, expect, test } from "bun:test";
import { e164 } from "../../src/core/e164.ts";
import { tools } from "../../src/store/schema/index.ts";
import { pick, pickId, pickText } from "../support/http/api-server.ts";
import { ISO, newAgent, twoTenants } from "../support/http/two-tenants.ts";

const room = twoTenants();
const { get, post, patch, remove } = room;

describe("tenant", () => {
  test("is exactly the table of the specification, without the SIP password or the secret", async () => {
    const answer = await get("/tenant");
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      ok: true,
      tenant: {
        id: room.own.id,
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
          username: `user${room.own.id}`,
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

  test("shows the trunk's current registration", async () => {
    const trunk = room.own.id;
    room.server.registrations.set(trunk, { name: "registered", expiresAtMs: 0 });
    expect(pick(await get("/tenant"), "tenant.sip.status")).toBe("registered");
    room.server.registrations.delete(trunk);
  });

  test("without a trunk every sip field is null, none is missing", async () => {
    expect(pick(await get("/tenant", room.other), "tenant.sip")).toEqual({
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
  test("creation returns seven fields; one agent's answer has all with defaults", async () => {
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
        send_digits_inbound: false,
        filler_phrases: expect.stringMatching(/^.+\n.+\n.+$/),
        webhook_url: null,
        transcript_email: null,
        transcript_email_enabled: false,
        engine: "embedded",
        created_at: expect.stringMatching(ISO),
        updated_at: expect.stringMatching(ISO),
        version: 1,
        knowledge: { tokens: 0, budget_tokens: 24_000, in_prompt: "whole" },
        capabilities: {
          understands_speech: true,
          follows_prompt: false,
          voices: ["Sari", "Emma", "Nathan", "Adrian", "Brand Sari"],
        },
      },
    });
  });

  test("greeting and fillers default to the agent's language", async () => {
    const created = await post("/agents", { ...newAgent, language: "lt" });
    const one = await get(`/agents/${pickId(created, "agent.id")}`);
    expect(pickText(one, "agent.first_message")).toContain("Kuo galiu");
  });

  test("a whole record can be sent back in a PATCH; read-only fields must be unchanged", async () => {
    const id = pickId(await post("/agents", newAgent), "agent.id");
    const record = pick(await get(`/agents/${id}`), "agent") as Record<string, unknown>;
    const answer = await patch(`/agents/${id}`, { ...record, name: "New" });
    expect(answer.status).toBe(200);
    for (const other of [{ id: 999 }, { engine: "x" }, { version: 7 }])
      expect(pick(await patch(`/agents/${id}`, other), "error")).toBe("unknown_field");
    expect(pick(answer, "agent")).toMatchObject({ id, engine: "embedded", name: "New" });
  });

  test("an empty PATCH changes nothing", async () => {
    const id = pickId(await post("/agents", newAgent), "agent.id");
    const before = pick(await get(`/agents/${id}`), "agent");
    expect(pick(await patch(`/agents/${id}`, {}), "agent")).toEqual(before);
  });

  test("the e-mail cannot be switched on without an address, and its address cannot be removed", async () => {
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

  test("deleting detaches files, numbers and pending schedules, and the rest stays", async () => {
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
  test("size is counted in UTF-8; only a single file's answer has the content", async () => {
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
        in_prompt: {},
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
    "%s with other content than its name says is refused with the line (%#)",
    async (filename, content, line) => {
      const answer = await post("/files", { filename, content });
      expect([answer.status, pick(answer, "error")]).toEqual([400, "valid_content_required"]);
      expect(pickText(answer, "message")).toContain(`line ${line}`);
    },
  );

  test("an error about non-UTF-8 bytes in the content names their line", async () => {
    const body = Buffer.concat([
      Buffer.from('{"filename":"a.txt","content":"one\\ntwo '),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    const response = await fetch(`${room.server.base}/api/v1/files`, {
      method: "POST",
      headers: { "x-lv-api-key": room.own.key, "content-type": "application/json" },
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

  test("renaming to another format checks the existing content", async () => {
    const id = pickId(await post("/files", { filename: "a.txt", content: "not json" }), "file.id");
    const answer = await patch(`/files/${id}`, { filename: "a.json" });
    expect(pick(answer, "error")).toBe("valid_content_required");
  });

  test("another tenant's agent is unknown", async () => {
    const foreign = pickId(await post("/agents", newAgent, room.other), "agent.id");
    const answer = await post("/files", { filename: "a.txt", content: "x", agent_id: foreign });
    expect([answer.status, pick(answer, "error")]).toEqual([404, "not_found"]);
  });
});

describe("tools", () => {
  test("are listed without their secret", async () => {
    await room.server.database.tx(async (q) => {
      await q.insert(tools).values({
        tenantId: room.own.id,
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
    expect(pick(await get("/tools", room.other), "tools")).toEqual([]);
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
        confirmed_at: null,
      },
    });
    const mapped = await patch(`/phone-numbers/${id}`, { agent_id: agent, inbound_enabled: false });
    expect(pick(mapped, "phone_number")).toMatchObject({ agent_id: agent, inbound_enabled: false });
    expect((await remove(`/phone-numbers/${id}`)).json).toEqual({ ok: true, id, deleted: true });
    expect((await get(`/phone-numbers/${id}`)).status).toBe(404);
  });

  test("once confirmed, belong to one tenant on the whole appliance", async () => {
    await post("/phone-numbers", { number_e164: "+37052333333" }, room.other);
    await room.server.services.confirmNumber(room.other.id, e164("+37052333333"));
    const answer = await post("/phone-numbers", { number_e164: "+37052333333" });
    expect([answer.status, pick(answer, "error")]).toEqual([409, "conflict"]);
    expect(answer.text).not.toContain("Other UAB");
  });
});
