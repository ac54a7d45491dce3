/** The OpenAPI document: lint-clean, complete, served, shown, and the source of the typed client. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import createClient from "openapi-fetch";
import { breakingChanges } from "../../scripts/openapi-breaking.ts";
import { DOCUMENT_FILE, reviewDocument, reviewText } from "../../scripts/openapi-document.ts";
import { allContracts } from "../../src/app/server/contracts.ts";
import { ONE_LINE } from "../../src/core/one-line.ts";
import type { paths } from "../../src/dashboard/web/api/rest.gen.ts";
import { errorCodes, openApiDocument } from "../../src/http/openapi.ts";
import { type ApiServer, type ApiTenant, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const directory = tempDir();
let server: ApiServer;
let tenant: ApiTenant;

beforeAll(async () => {
  server = await startApiServer({ directory });
  tenant = await server.tenant();
});
afterAll(() => server.stop());

test("passes a public OpenAPI linter without an error or a warning", async () => {
  const file = join(directory, "openapi.json");
  await Bun.write(file, JSON.stringify(openApiDocument(allContracts(), "0.1.0")));
  const redocly = join(import.meta.dir, "../../node_modules/@redocly/cli/bin/cli.js");
  const lint = Bun.spawn(
    ["node", redocly, "lint", file, "--extends=recommended", "--format=json"],
    {
      cwd: directory,
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [output, status] = [await new Response(lint.stdout).text(), await lint.exited];
  const found = JSON.parse(output.slice(output.indexOf("{"))) as { totals: Record<string, number> };
  expect([status, found.totals.errors, found.totals.warnings]).toEqual([0, 0, 0]);
}, 60_000);

test("is served at the root and under both mounts, without a key", async () => {
  const texts = await Promise.all(
    ["/openapi.json", "/api/v1/openapi.json", "/v1/openapi.json"].map(async (path) => {
      const response = await fetch(server.base + path);
      expect(response.headers.get("content-type")).toContain("application/json");
      return response.text();
    }),
  );
  expect(new Set(texts).size).toBe(1);
  expect(JSON.parse(texts[0] ?? "")).toMatchObject({ openapi: "3.1.0" });
  expect(texts[0]).toContain("Brand Sari");
});

test("contains every route of the specification and the decisions", () => {
  const routes = allContracts().map(({ method, path }) => `${method} ${path}`);
  const specified =
    `GET /ping, GET /tenant, GET /agents, POST /agents, GET /agents/{id}, PATCH /agents/{id},
    DELETE /agents/{id}, GET /files, POST /files, GET /files/{id}, PATCH /files/{id}, DELETE /files/{id},
    GET /tools, GET /phone-numbers, POST /phone-numbers, PATCH /phone-numbers/{id}, GET /phone-numbers/{id},
    DELETE /phone-numbers/{id}, GET /calls, GET /calls/{uuid}, POST /calls, POST /calls/{uuid}/transfer,
    POST /calls/{uuid}/hangup, GET /schedules, DELETE /schedules/{id}, GET /analytics, GET /usage, GET /plans,
    POST /topup, POST /checkout, GET /billing/balance, POST /keys, GET /keys, DELETE /keys, POST /webhooks,
    GET /webhooks, DELETE /webhooks/{id}, POST /webhooks/{id}/test, POST /webhooks/{id}/rotate-secret,
    GET /webhooks/{id}/deliveries, GET /webhooks/snippet, POST /webhook-secret/regenerate`
      .split(",")
      .map((route) => route.trim());
  expect(specified.filter((route) => !routes.includes(route))).toEqual([]);
});

describe("every operation", () => {
  test.each(allContracts().map((contract) => [`${contract.method} ${contract.path}`, contract]))(
    "%s is described, with an example for each error it may answer",
    (_, contract) => {
      const document = openApiDocument([contract], "0") as {
        paths: Record<
          string,
          Record<string, { summary: string; responses: Record<string, unknown> }>
        >;
      };
      const operation = document.paths[contract.path]?.[contract.method.toLowerCase()];
      expect(operation?.summary.length).toBeGreaterThan(3);
      const text = JSON.stringify(operation?.responses);
      for (const code of errorCodes(contract)) expect(text).toContain(`"error":"${code}"`);
    },
  );

  test("describes every field, of requests and of answers", () => {
    const missing: string[] = [];
    const walk = (node: unknown, at: string): void => {
      if (typeof node !== "object" || node === null) return;
      const { properties } = node as { properties?: Record<string, Record<string, unknown>> };
      for (const [name, schema] of Object.entries(properties ?? {})) {
        const plain = ["ok", "item"].includes(name) || "$ref" in schema || schema.type === "object";
        const described = JSON.stringify(schema).includes('"description"');
        if (!plain && !described && schema.type !== "array" && !/^(id|deleted|revoked)$/.test(name))
          missing.push(`${at}.${name}`);
      }
      for (const [key, value] of Object.entries(node)) walk(value, `${at}.${key}`);
    };
    walk(openApiDocument(allContracts(), "0"), "");
    expect(missing).toEqual([]);
  });
});

test("lists the headers of answers", async () => {
  const document = openApiDocument(allContracts(), "0") as {
    paths: Record<string, Record<string, { responses: Record<string, { headers: object }> }>>;
  };
  const { agent } = (await (
    await tell("POST", "/agents", { body: { name: "x", prompt: "x" }, key: "once" })
  ).json()) as { agent: { id: number } };
  for (const [method, path, sent, expected] of [
    ["GET", "/agents/{id}", {}, { 200: ["etag"] }],
    ["GET", "/feature-settings", {}, { 200: ["etag"] }],
    ["PUT", "/agents/{id}", {}, { 405: ["allow"] }],
    ["POST", "/agents", { body: { name: "x", prompt: "x" }, key: "once" }, replayed(200)],
    ["POST", "/agents", { body: {}, key: "bad" }, { 400: [] }],
    ["POST", "/agents", { body: {}, key: "bad" }, replayed(400)],
    ["GET", "/agents", { withoutKey: true }, { 401: ["www-authenticate"] }],
    ["GET", "/contacts/export", {}, { 200: ["content-disposition"] }],
    ["POST", "/rehearsals", { body: { suite: "none" } }, { 404: [] }],
  ] as const) {
    const answer = await tell(method, path.replace("{id}", String(agent.id)), sent);
    const [[status, names]] = Object.entries(expected) as [[string, string[]]];
    expect([method, path, answer.status]).toEqual([method, path, Number(status)]);
    const operations = document.paths[path] ?? {};
    const said = operations[method.toLowerCase()] ?? Object.values(operations)[0];
    expect([path, Object.keys(said?.responses ?? {})]).toEqual([
      path,
      expect.arrayContaining([status]),
    ]);
    const described = Object.keys(said?.responses[status]?.headers ?? {}).map((name) =>
      name.toLowerCase(),
    );
    for (const name of names) expect(answer.headers.get(name)).not.toBeNull();
    for (const name of answer.headers.keys())
      if (!PLAIN_HEADERS.has(name)) expect(described).toContain(name);
  }
});

/** Headers of every HTTP answer, or described elsewhere in the document. */
const PLAIN_HEADERS = new Set([
  "cache-control",
  "content-length",
  "content-type",
  "date",
  "transfer-encoding",
  "x-content-type-options",
]);

const replayed = (status: number) => ({ [status]: ["idempotency-replayed"] });

const tell = (
  method: string,
  path: string,
  { body, key, withoutKey }: { body?: object; key?: string; withoutKey?: boolean },
) =>
  fetch(`${server.base}/api/v1${path}`, {
    method,
    headers: {
      ...(withoutKey ? {} : { authorization: `Bearer ${tenant.key}` }),
      ...(body ? { "content-type": "application/json" } : {}),
      ...(key ? { "idempotency-key": key } : {}),
    },
    body: body ? JSON.stringify(body) : null,
  });

test("patterns use only features of all clients' regular expressions, and match like the server's", () => {
  const document = openApiDocument(allContracts(), "0.1.0");
  const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
    ([, text = ""]): string => JSON.parse(text),
  );
  // JSON Schema 2020-12, 6.4. Python's `re` refuses the whole schema for an unknown class.
  expect(patterns.filter((pattern) => /\\p\{/i.test(pattern))).toEqual([]);
  const { schemas } = document.components as {
    schemas: { NewAgent: { properties: { name: { pattern: string } } } };
  };
  const shown = new RegExp(schemas.NewAgent.properties.name.pattern);
  const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  const others = characters.filter((each) => each.isWellFormed());
  expect(others.filter((each) => shown.test(each) !== ONE_LINE.test(each))).toEqual([]);
});

test("lists invalid_json wherever a body can be sent, also if none is needed", () => {
  const changing = allContracts().filter(({ method }) => method === "POST" || method === "PATCH");
  const without = changing.filter((contract) => !errorCodes(contract).includes("invalid_json"));
  expect(without.map(({ operationId }) => operationId)).toEqual([]);
});

test("accepts a file name's extension in capitals, like the server", () => {
  const { components } = openApiDocument(allContracts(), "0") as {
    components: { schemas: Record<string, { properties: Record<string, { pattern: string }> }> };
  };
  const pattern = new RegExp(components.schemas.NewFile?.properties.filename?.pattern ?? "^$");
  for (const name of ["x.txt", "X.TXT", "x.Json", "x.CSV", "x.mD"]) expect(name).toMatch(pattern);
  for (const name of ["x.pdf", "a/b.txt", ".txt"]) expect(name).not.toMatch(pattern);
});

describe("the viewer", () => {
  test("loads nothing from other hosts", async () => {
    const page = await fetch(`${server.base}/docs/viewer`);
    const html = await page.text();
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(html).not.toMatch(/https?:\/\//);
    const paths = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(paths).toHaveLength(3);
    for (const path of paths) {
      const asset = await fetch(server.base + path);
      expect([path, asset.status]).toEqual([path, 200]);
      expect((await asset.arrayBuffer()).byteLength).toBeGreaterThan(50);
      const etag = asset.headers.get("etag") ?? "";
      for (const known of [etag, `W/${etag}`, `"old", ${etag}`, "*"]) {
        const again = await fetch(server.base + path, { headers: { "if-none-match": known } });
        expect([known, again.status]).toEqual([known, 304]);
      }
    }
  });
});

describe("docs/openapi.json", () => {
  test("keeps everything that a client of it uses", async () => {
    expect(breakingChanges(await Bun.file(DOCUMENT_FILE).json(), reviewDocument())).toEqual([]);
  });

  test("is the generated document: npm run docs", async () => {
    expect((await Bun.file(DOCUMENT_FILE).text()) === reviewText()).toBe(true);
  });
});

describe("the typed client", () => {
  test("drives the API", async () => {
    const client = createClient<paths>({
      baseUrl: `${server.base}/api/v1`,
      headers: { authorization: `Bearer ${tenant.key}` },
    });
    const made = await client.POST("/agents", {
      params: {},
      body: { name: "Reception", prompt: "You answer the phone.", language: "lv" },
    });
    const id = made.data?.agent.id ?? 0;
    const one = await client.GET("/agents/{id}", { params: { path: { id } } });
    expect(one.data?.agent.language).toBe("lv");
    const listed = await client.GET("/calls", { params: { query: { limit: 1 } } });
    expect(listed.data).toEqual({ ok: true, calls: [], total: 0 });
    const missing = await client.GET("/agents/{id}", { params: { path: { id: 999_999 } } });
    expect(missing.error?.error).toBe("not_found");
    const gone = await client.DELETE("/agents/{id}", { params: { path: { id } } });
    expect(gone.data?.deleted).toBe(true);
  });
});
