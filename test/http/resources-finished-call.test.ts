/** A finished call in detail, list, recording, analytics and usage. */
import { beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { callNotesStore } from "../../src/call/store/call-notes-store.ts";
import { microEur } from "../../src/core/money.ts";
import { calls, toolCalls, turns } from "../../src/store/schema/index.ts";
import { type ApiTenant, pick, pickText } from "../support/http/api-server.ts";
import { twoTenants } from "../support/http/two-tenants.ts";
import { insertCall } from "../support/store/stored-rows.ts";

const room = twoTenants();
const { get } = room;

describe("a finished call", () => {
  const uuid = "019aa1b2-0000-7000-8000-00000000aaaa";
  const createdAt = Date.UTC(2026, 10, 2, 10);
  let tenant: ApiTenant;

  beforeAll(async () => {
    tenant = await room.server.tenant();
    await room.server.database.tx(async (q) => {
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
          llmInputTokens: 900,
          llmCachedInputTokens: 640,
          llmOutputTokens: 120,
          discardedTokens: 310,
          discardedCharacters: 42,
          discardedSttSeconds: 1.9,
          costDiscarded: microEur(60),
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

  test("has everything in its detail, and unknown values are null, not missing", async () => {
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
        agent_version: null,
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
          written_off_eur: 0,
        },
        cost_of_goods: {
          stt_eur: 0.0001,
          llm_eur: null,
          tts_eur: 0.00005,
          trunk_eur: null,
          total_eur: 0.00015,
          discarded_eur: 0.00006,
        },
        usage: {
          llm_input_tokens: 900,
          llm_cached_input_tokens: 640,
          llm_output_tokens: 120,
          tts_characters: 0,
          stt_seconds: 0,
          discarded: { llm_tokens: 310, tts_characters: 42, stt_seconds: 1.9 },
        },
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
        tool_limits: [],
        answering: [],
        sip: {
          call_id: "abc@carrier",
          final_code: 200,
          codec: "PCMA",
          packets_lost: null,
          jitter_ms: null,
          sent_packets_lost: null,
          sent_jitter_ms: null,
          round_trip_ms: null,
          mos: null,
          srtp: null,
          line_problems: [],
        },
      },
    });
    expect((await get(`/calls/${uuid}`)).status).toBe(404);
  });

  test("has null, not an empty text, if there is no summary or no recognised word", async () => {
    const silent = "019aa1b2-0000-7000-8000-00000000bbbb";
    const other = await room.server.tenant();
    await insertCall(room.server.database, other.id, silent);
    await room.server.database.tx(async (q) => {
      const [row] = await q
        .update(calls)
        .set({ status: "completed", endedReason: "caller_hangup", summary: "" })
        .where(eq(calls.callUuid, silent))
        .returning({ id: calls.id });
      const said = { text: " ", startMs: 0, endMs: 900, interrupted: false };
      await q
        .insert(turns)
        .values({ callId: row?.id ?? 0, turnIndex: 0, speaker: "customer", ...said });
    });
    const { json } = await get(`/calls/${silent}`, other);
    expect(json).toMatchObject({ call: { summary: null, transcript: null } });
  });

  test("shows both directions of its line, its encryption and bad stretches", async () => {
    const bad = "019aa1b2-0000-7000-8000-00000000cccc";
    const other = await room.server.tenant();
    await insertCall(room.server.database, other.id, bad);
    const measured = { sentPacketsLost: 75, sentJitterMs: 31.5, roundTripMs: 240, mos: 2.1 };
    const note = { kind: "line", atMs: 5000, side: "sent", lossPercent: 30, delayMs: 32 } as const;
    await room.server.database.tx(async (q) => {
      const [row] = await q
        .update(calls)
        .set({ ...measured, srtp: "AES_CM_128_HMAC_SHA1_80" })
        .where(eq(calls.callUuid, bad))
        .returning({ id: calls.id });
      await callNotesStore(q).add(row?.id ?? 0, note);
    });
    const { json } = await get(`/calls/${bad}`, other);
    expect(json).toMatchObject({
      call: {
        sip: {
          sent_packets_lost: 75,
          sent_jitter_ms: 31.5,
          round_trip_ms: 240,
          mos: 2.1,
          srtp: "AES_CM_128_HMAC_SHA1_80",
          line_problems: [{ side: "sent", loss_percent: 30, delay_ms: 32, at_ms: 5000 }],
        },
      },
    });
    const notes = callNotesStore(room.server.database.read);
    expect(await notes.badLines(other.id, 0)).toEqual([{ side: "sent", calls: 1 }]);
    expect(await notes.badLines(other.id, Date.now() + 60_000)).toEqual([]);
    expect(await notes.badLines(tenant.id, 0)).toEqual([]);
  });

  test("is found by its UUID in capitals, too (RFC 9562, 4)", async () => {
    const capitals = await get(`/calls/${uuid.toUpperCase()}`, tenant);
    expect(pick(capitals, "call.call_uuid")).toBe(uuid);
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

  test("has a recording that only the signed link opens, in ranges, and not a second after", async () => {
    await Bun.write(`${room.directory}/call.mp3`, "0123456789");
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
    // A range is for GET only (RFC 9110, 14.2).
    for (const range of ["none", "bytes=2-5", "bytes=10-"]) {
      const head = await fetch(link, { method: "HEAD", headers: { range } });
      const { status } = head;
      expect([status, head.headers.get("content-range"), await head.text()]).toEqual([
        200,
        null,
        "",
      ]);
    }
    // A part is sent only if the client has the same file (RFC 9110, 13.1.5).
    const etag = whole.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w.]+"$/);
    for (const [known, status] of [
      [etag, 206],
      ['"another"', 200],
      [`W/${etag}`, 200],
      [`${etag}, ${etag}`, 200],
      [new Date().toUTCString(), 200],
    ] as const) {
      const headers = { range: "bytes=2-4", "if-range": known };
      const response = await fetch(link, { headers });
      expect([known, response.status, response.headers.get("etag")]).toEqual([known, status, etag]);
      expect(await response.text()).toBe(status === 206 ? "234" : "0123456789");
    }
    await Bun.write(`${room.directory}/call.mp3`, "abcdefghijk");
    const headers = { range: "bytes=2-4", "if-range": etag };
    expect(await (await fetch(link, { headers })).text()).toBe("abcdefghijk");
    await Bun.write(`${room.directory}/call.mp3`, "0123456789");
    const forged = link.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 900}`);
    expect((await fetch(forged)).status).toBe(404);
    const moved = link.replace("aaaa?", "aaab?");
    expect((await fetch(moved)).status).toBe(404);
  });

  test("counts in analytics and usage on the tenant's days", async () => {
    const usage = await get("/usage?year=2026&month=11", tenant);
    expect(pick(usage, "usage")).toMatchObject({
      calls: 1,
      minutes: 1.02,
      billable_seconds: 61,
      cost_eur: 0.002,
      cost_of_goods_eur: 0.00015,
      discarded: { tokens: 310, tts_characters: 42, stt_seconds: 1.9, cost_of_goods_eur: 0.00006 },
      tokens: { input: 900, cached_input: 640, output: 120 },
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
    const none = await get("/analytics", room.other);
    expect([pick(none, "answer_rate"), pick(none, "average_duration_sec")]).toEqual([null, null]);
  });
});
