/** Rules for every request: authentication, limits, bodies, methods, shutdown. */
import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { silentLog } from "../../src/core/log.ts";
import { apiKeys as keyTable, tenants } from "../../src/store/schema/index.ts";
import { eventually } from "../support/eventually.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { ask, pick, pickId, pickText, startApiServer } from "../support/http/api-server.ts";
import { keyedTenants } from "../support/http/keyed-tenants.ts";
import { newAgent } from "../support/http/two-tenants.ts";
import { tempDir } from "../support/temp-dir.ts";

const { server, tenant, other, raw, withKey } = await keyedTenants();

describe("authentication", () => {
  test("both header forms are accepted, in any case of the scheme", async () => {
    for (const headers of [
      { authorization: `Bearer ${tenant.key}` },
      { authorization: `bearer ${tenant.key}` },
      { "x-lv-api-key": tenant.key },
      { authorization: "Basic eDp5", "x-lv-api-key": tenant.key },
    ])
      expect((await raw("/v1/tenant", { headers: Object.entries(headers) })).status).toBe(200);
  });

  test("a missing, malformed, unknown or revoked key gets the identical answer", async () => {
    const made = await ask(server, tenant, "POST", "/keys", { label: "x" });
    const revoked = pickText(made, "key.secret");
    await ask(server, tenant, "DELETE", `/keys?id=${pickId(made, "key.id")}`);
    const answers = await Promise.all(
      [
        {},
        { authorization: "Bearer" },
        { authorization: "Bearer nonsense" },
        { "x-lv-api-key": `lv_live_${"0".repeat(64)}` },
        { "x-lv-api-key": `lv_live_${"0".repeat(6400)}` },
        { "x-lv-api-key": revoked },
      ].map(async (headers) => {
        const response = await raw("/api/v1/tenant", {
          headers: { ...(headers as Record<string, string>), "x-request-id": "same" },
        });
        return [response.status, await response.text()];
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.[0]).toBe(401);
    expect((await raw("/api/v1/tenant")).headers.get("www-authenticate")).toBe("Bearer");
  });

  test("comes before everything: without a key, unknown paths, wrong methods and bad bodies are 401", async () => {
    expect((await raw("/api/v1/nowhere")).status).toBe(401);
    expect((await raw("/api/v1/agents", { method: "PUT" })).status).toBe(401);
    expect((await raw("/api/v1/agents", { method: "POST", body: "{" })).status).toBe(401);
  });

  test("a suspended tenant's key is refused after the cache is cleared", async () => {
    const suspended = await server.tenant();
    expect((await ask(server, suspended, "GET", "/tenant")).status).toBe(200);
    await server.database.tx(async (q) => {
      const { eq } = await import("drizzle-orm");
      await q.update(tenants).set({ suspended: true }).where(eq(tenants.id, suspended.id));
    });
    server.services.apiKeys.forget();
    expect((await ask(server, suspended, "GET", "/tenant")).status).toBe(401);
  });

  test("a new key is accepted, however many unknown ones came from its address", async () => {
    const guessed = await startApiServer({ directory: tempDir() });
    const owner = await guessed.tenant();
    const statusWith = async (key: string) =>
      (await fetch(`${guessed.base}/v1/tenant`, { headers: { "x-lv-api-key": key } })).status;
    expect(await statusWith(owner.key)).toBe(200);
    for (let n = 0; n < 120; n++) expect(await statusWith(`lv_live_${n}`)).toBe(401);
    expect(await statusWith("lv_live_121")).toBe(429);
    const made = await ask(guessed, owner, "POST", "/keys", { label: "x" });
    expect(await statusWith(pickText(made, "key.secret"))).toBe(200);
    await guessed.stop();
  });

  test("stores no secret, only its hash", async () => {
    const rows = await server.database.read.select().from(keyTable);
    expect(JSON.stringify(rows)).not.toContain(tenant.key);
  });
});

test("the ping needs no key and returns the same under both mounts", async () => {
  for (const path of ["/api/v1/ping", "/v1/ping", "/v1/ping/"]) {
    const response = await raw(path);
    expect(await response.json()).toEqual({
      ok: true,
      service: "linevoice",
      version: "v1",
      app_version: "0.1.0-test",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
    });
  }
});

describe("rate limit", () => {
  test("120 requests pass in a sliding minute, the next gets 429 with Retry-After 60", async () => {
    const clock = fakeClock();
    const limited = await startApiServer({
      directory: tempDir(),
      clock,
      settings: { requestsPerMinute: 120 },
    });
    const caller = await limited.tenant();
    const first = await ask(limited, caller, "GET", "/tenant");
    expect(first.headers.get("ratelimit-limit")).toBe("120");
    expect(first.headers.get("ratelimit-remaining")).toBe("119");
    expect(first.headers.get("ratelimit-reset")).toBe("60");
    await clock.advance(30_000);
    for (let n = 2; n <= 120; n++)
      expect((await ask(limited, caller, "GET", "/nowhere")).status).toBe(404);
    const over = await ask(limited, caller, "GET", "/tenant");
    expect([over.status, pick(over, "error")]).toEqual([429, "rate_limited"]);
    expect(over.headers.get("retry-after")).toBe("60");
    expect(over.headers.get("ratelimit-remaining")).toBe("0");
    expect(over.headers.get("ratelimit-reset")).toBe("30");
    const neighbour = await limited.tenant();
    expect((await ask(limited, neighbour, "GET", "/tenant")).status).toBe(200);
    await clock.advance(30_000);
    expect((await ask(limited, caller, "GET", "/tenant")).status).toBe(200);
    expect((await ask(limited, caller, "GET", "/tenant")).status).toBe(429);
    await limited.stop();
  });
});

describe("bodies", () => {
  const post = (body: BodyInit | null, headers: Record<string, string> = {}) =>
    raw("/api/v1/agents", {
      method: "POST",
      headers: { ...withKey, "content-type": "application/json", ...headers },
      body,
    });
  const codeOf = async (response: Response) => {
    const json = (await response.json()) as Record<string, unknown>;
    return [response.status, json.error, json.field];
  };

  test.each([
    ["{", "invalid_json"],
    ["", "invalid_json"],
    ["[]", "invalid_json"],
    ["null", "invalid_json"],
    ['"text"', "invalid_json"],
    [`${"[".repeat(200_000)}`, "invalid_json"],
  ])("%p is not a JSON object", async (body, error) => {
    expect(await codeOf(await post(body))).toEqual([400, error, null]);
  });

  test("half of a surrogate pair is refused, a whole pair is accepted", async () => {
    const named = (name: string) => `{"name":"${name}","prompt":"b"}`;
    for (const half of ["\\ud83d", "\\uDE00", "a\\ud83d\\ud83d\\ude00"])
      expect(await codeOf(await post(named(half)))).toEqual([400, "invalid_json", null]);
    const response = await post('{"name":"\\ud83d\\ude00","prompt":"\\\\ud83d"}');
    expect(response.status).toBe(200);
  });

  test("another content type is refused, a charset is accepted", async () => {
    const text = JSON.stringify(newAgent);
    expect(await codeOf(await post(text, { "content-type": "text/plain" }))).toEqual([
      400,
      "invalid_json",
      null,
    ]);
    const response = await post(text, { "content-type": "application/json; charset=utf-8" });
    expect(response.status).toBe(200);
  });

  test("an unknown field is named, also __proto__", async () => {
    const text = '{"name":"a","prompt":"b","__proto__":{"x":1}}';
    expect(await codeOf(await post(text))).toEqual([400, "unknown_field", "__proto__"]);
    const colour = JSON.stringify({ ...newAgent, colour: "red" });
    expect(await codeOf(await post(colour))).toEqual([400, "unknown_field", "colour"]);
  });

  test("a body above the limit is 413 in our format, declared or chunked", async () => {
    const big = JSON.stringify({ ...newAgent, prompt: "x".repeat(2_097_152) });
    expect(await codeOf(await post(big))).toEqual([413, "payload_too_large", null]);
    const chunk = new TextEncoder().encode("x".repeat(65_536));
    let sent = 0;
    const chunked = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ > 64) controller.close();
        else controller.enqueue(chunk);
      },
    });
    expect(await codeOf(await post(chunked as unknown as BodyInit))).toEqual([
      413,
      "payload_too_large",
      null,
    ]);
    expect((await ask(server, tenant, "GET", "/tenant")).status).toBe(200);
  });

  test("a client that sends a whole oversized body before it reads still gets the answer", async () => {
    const body = Buffer.alloc(8 * 1024 * 1024, "x");
    const { hostname, port } = new URL(server.base);
    const lines = [
      "POST /api/v1/agents HTTP/1.1",
      `Host: ${hostname}`,
      `Authorization: Bearer ${tenant.key}`,
      "Content-Type: application/json",
      `Content-Length: ${body.byteLength}`,
    ];
    const socket = connect(Number(port), hostname).pause();
    try {
      socket.write(`${lines.join("\r\n")}\r\n\r\n`);
      await new Promise<void>((sent, failed) => {
        socket.once("error", failed);
        socket.write(body, (error) => (error ? failed(error) : sent()));
      });
      const answer = await new Promise<string>((done) => {
        socket.once("data", (bytes) => done(bytes.toString())).resume();
      });
      expect(answer).toStartWith("HTTP/1.1 413 ");
      expect(answer).toContain("payload_too_large");
    } finally {
      socket.destroy();
    }
  });

  test("a POST without a body schema accepts no body or {}", async () => {
    const made = await ask(server, tenant, "POST", "/webhooks", {
      url: "https://a.example",
      events: ["call.ended"],
    });
    const path = `/webhooks/${pickId(made, "webhook.id")}/rotate-secret`;
    expect((await ask(server, tenant, "POST", path)).status).toBe(200);
    expect((await ask(server, tenant, "POST", path, {})).status).toBe(200);
    expect(pick(await ask(server, tenant, "POST", path, { a: 1 }), "error")).toBe("unknown_field");
  });
});

describe("methods and paths", () => {
  test("a known path answers other methods with 405 and Allow", async () => {
    const answer = await ask(server, tenant, "PUT", "/agents");
    expect([answer.status, pick(answer, "error")]).toEqual([405, "method_not_allowed"]);
    expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS, POST");
    expect((await ask(server, tenant, "GET", "/webhooks/1")).headers.get("allow")).toBe(
      "DELETE, OPTIONS",
    );
  });

  test("a fixed path next to one with an id is not treated as an id", async () => {
    for (const [method, path, allow] of [
      ["DELETE", "/webhooks/snippet", "GET, HEAD, OPTIONS"],
      ["DELETE", "/webhooks/snippet/", "GET, HEAD, OPTIONS"],
      ["GET", "/files/import", "OPTIONS, POST"],
      ["HEAD", "/files/import", "OPTIONS, POST"],
      ["PATCH", "/contacts/export", "GET, HEAD, OPTIONS"],
      ["DELETE", "/contacts/import", "OPTIONS, POST"],
    ] as const) {
      const answer = await ask(server, tenant, method, path);
      expect([method, path, answer.status, answer.headers.get("allow")]).toEqual([
        ...[method, path, 405, allow],
      ]);
    }
    expect((await ask(server, tenant, "HEAD", "/contacts/export")).status).toBe(200);
  });

  test("OPTIONS returns the allowed methods; HEAD is GET without a body", async () => {
    const options = await ask(server, tenant, "OPTIONS", "/phone-numbers/1");
    expect([options.status, options.headers.get("allow")]).toEqual([
      204,
      "DELETE, GET, HEAD, OPTIONS, PATCH",
    ]);
    const head = await ask(server, tenant, "HEAD", "/tenant");
    expect([head.status, head.text]).toEqual([200, ""]);
    expect((await ask(server, tenant, "HEAD", "/agents/999999")).status).toBe(404);
  });

  test("an unknown path is 404 in our format, with a key and outside the API", async () => {
    const answer = await ask(server, tenant, "GET", "/nowhere");
    expect([answer.status, pick(answer, "error")]).toEqual([404, "not_found"]);
    expect((await raw("/nowhere")).status).toBe(404);
  });

  test("impossible ids get the same answer as unknown ones", async () => {
    const plain = await ask(server, tenant, "GET", "/agents/999999", undefined, {
      "x-request-id": "r",
    });
    for (const id of ["0", "-1", "abc", "1.5", "99999999999999999999", "%zz", "%00"]) {
      const answer = await ask(server, tenant, "GET", `/agents/${id}`, undefined, {
        "x-request-id": "r",
      });
      expect([id, answer.status, answer.text]).toEqual([id, 404, plain.text]);
    }
  });

  test("a foreign id gets the same answer as an unknown one, byte for byte", async () => {
    const foreign = pickId(await ask(server, other, "POST", "/agents", newAgent), "agent.id");
    const header = { "x-request-id": "r" };
    const theirs = await ask(server, tenant, "GET", `/agents/${foreign}`, undefined, header);
    const nobodys = await ask(server, tenant, "GET", "/agents/999999", undefined, header);
    expect(theirs.text).toBe(nobodys.text);
  });
});

test("a valid request id is kept, another is replaced, and errors contain it too", async () => {
  const sane = await ask(server, tenant, "GET", "/nowhere", undefined, { "x-request-id": "abc-1" });
  expect([sane.headers.get("x-request-id"), pick(sane, "request_id")]).toEqual(["abc-1", "abc-1"]);
  const wild = await ask(server, tenant, "GET", "/tenant", undefined, {
    "x-request-id": "a b<script>",
  });
  expect(wild.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
});

test("answers outside the API contain a request id too", async () => {
  const headers = { "x-request-id": "abc-1", accept: "text/html" };
  for (const path of [
    ...["/openapi.json", "/api/v1/openapi.json", "/healthz", "/readyz", "/docs", "/docs/api"],
    ...["/docs/none", "/llms.txt", "/.well-known/security.txt", "/", "/app", "/app/calls"],
    ...["/app/assets/none.js", "/checkout/none", "/nowhere", "/docs/", "/app/"],
  ]) {
    const answer = await raw(path, { headers, redirect: "manual" });
    expect([path, answer.headers.get("x-request-id")]).toEqual([path, "abc-1"]);
  }
});

describe("trouble", () => {
  test("an internal failure reveals no internals", async () => {
    const lines: string[] = [];
    const log = {
      debug() {},
      info() {},
      warn() {},
      error: (event: string) => lines.push(event),
      with: () => log,
    };
    const broken = await startApiServer({
      directory: tempDir(),
      log,
      dependencies: {
        registrations: {
          status() {
            throw new Error("secret detail at /var/lib/linevoice");
          },
        },
      },
    });
    const caller = await broken.tenant();
    const answer = await ask(broken, caller, "GET", "/tenant");
    expect([answer.status, pick(answer, "error")]).toEqual([500, "engine"]);
    expect(answer.text).not.toContain("secret detail");
    expect(answer.text).not.toContain(".ts");
    expect(lines).toContain("http.request_failed");
    await broken.stop();
  });

  test("each answer of the API is logged, also without a route or a key", async () => {
    const answers: unknown[] = [];
    const log = {
      ...silentLog,
      debug: (event: string, fields?: object) => answers.push({ event, ...fields }),
    };
    const logged = await startApiServer({ directory: tempDir(), log });
    const caller = await logged.tenant();
    for (const [method, path, key, status] of [
      ["GET", "/tenant", caller.key, 200],
      ["GET", "/tenant", "lv_live_unknown", 401],
      ["GET", "/nowhere", caller.key, 404],
      ["PUT", "/tenant", caller.key, 405],
    ] as const) {
      await ask(logged, { ...caller, key }, method, path);
      const line = { event: "http.request", method, path: `/api/v1${path}`, status };
      expect(answers.at(-1)).toMatchObject(line);
    }
    await logged.stop();
  });

  test("an unreachable store is 503 with Retry-After", async () => {
    const broken = await startApiServer({
      directory: tempDir(),
      dependencies: {
        registrations: {
          status() {
            throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
          },
        },
      },
    });
    const answer = await ask(broken, await broken.tenant(), "GET", "/tenant");
    expect([answer.status, pick(answer, "error")]).toEqual([503, "unavailable"]);
    expect(answer.headers.get("retry-after")).not.toBeNull();
    await broken.stop();
  });
});

describe("shutdown", () => {
  test("a draining server answers 503 with Retry-After, while its liveness check passes", async () => {
    const leaving = await startApiServer({ directory: tempDir() });
    const caller = await leaving.tenant();
    leaving.server.refuse();
    const answer = await ask(leaving, caller, "GET", "/tenant");
    expect([answer.status, pick(answer, "error")]).toEqual([503, "unavailable"]);
    expect(answer.headers.get("retry-after")).not.toBeNull();
    expect((await fetch(`${leaving.base}/healthz`)).status).toBe(200);
    expect((await fetch(`${leaving.base}/readyz`)).status).toBe(503);
    await leaving.stop();
  });

  test("pending requests are answered, then the port is free; the last use is stored", async () => {
    const leaving = await startApiServer({ directory: tempDir() });
    const caller = await leaving.tenant();
    const last = ask(leaving, caller, "GET", "/tenant");
    await last;
    await leaving.server.stop();
    const [row] = await leaving.database.read.select().from(keyTable);
    expect(row?.lastUsedAt).not.toBeNull();
    await expect(fetch(`${leaving.base}/healthz`)).rejects.toThrow();
    await leaving.database.close();
  });
});

test("a client that disconnects in mid-body affects nobody", async () => {
  const { hostname, port } = new URL(server.base);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.write(
    `POST /api/v1/agents HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.key}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"name":`,
  );
  await eventually(() => socket.bytesWritten > 0, "the half request was sent");
  socket.destroy();
  expect((await ask(server, tenant, "GET", "/tenant")).status).toBe(200);
});
