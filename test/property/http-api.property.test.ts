/**
 * Random requests at every route: each gets an answer in our format within seconds, never a 500, never another
 * tenant's data.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { allContracts } from "../../src/app/server/contracts.ts";
import { notFound } from "../../src/core/errors.ts";
import type { Contract } from "../../src/http/contract.ts";
import { bodyFields } from "../../src/http/contracts/check.ts";
import {
  type Fixtures,
  makeFixtures,
  namesRecord,
  pathOf,
  validBody,
} from "../support/http/api-fixtures.ts";
import { type ApiServer, type ApiTenant, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const MARKER = "zyx-foreign-zyx";
const FOREIGN_NUMBER = "+37052222222";
let server: ApiServer;
let own: ApiTenant;
let mine: Fixtures;
let theirs: Fixtures;
const failures: string[] = [];

beforeAll(async () => {
  const log = {
    debug() {},
    info() {},
    warn() {},
    error: (_: string, fields?: object) => failures.push(JSON.stringify(fields)),
    with: () => log,
  };
  server = await startApiServer({
    directory: tempDir(),
    log,
    // Random webhooks name random hosts: no request may leave this machine.
    dependencies: {
      webhookTester: {
        test: async (_, webhookId) => {
          if (webhookId !== mine.ids.webhook) throw notFound("webhook");
          const never = { httpStatus: null, durationMs: 1, error: "not sent" };
          return { eventId: "evt_0", deliveryId: "del_0", status: "failed", ...never };
        },
        resend: async () => {
          throw notFound("delivery");
        },
      },
    },
  });
  const bystander = await server.tenant();
  own = await server.tenant();
  await server.credit(own.id, 1000);
  mine = await makeFixtures(server, own, "mine", "+37051111111");
  theirs = await makeFixtures(server, bystander, MARKER, FOREIGN_NUMBER);
});
afterAll(() => server.stop());

const contracts = allContracts().filter(({ operationId }) => operationId !== "revokeKey");

const junk = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ maxLength: 300 }),
  fc.constantFrom("", "null", "0", "-1", "1e999", "NaN", "../..", "' OR 1=1 --", "%00", "\u0000"),
  fc.integer().map(String),
);
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  junk,
  fc.double(),
  fc.constantFrom(0, -0, 1e308, 2 ** 53, -1, null, true, "+37060000001", FOREIGN_NUMBER),
);

const requestTo = (contract: Contract) => {
  const known = contract.body ? [...bodyFields(contract.body)] : [];
  const field = fc.oneof(fc.constantFrom("x", ...known, ...known), junk);
  const queryName = fc.oneof(
    fc.constantFrom("x", ...Object.keys(contract.query?.shape ?? {})),
    fc.string({ maxLength: 10 }),
  );
  return fc.record({
    contract: fc.constant(contract),
    id: fc.oneof(fc.constantFrom("mine", "theirs"), junk),
    query: fc.array(fc.tuple(queryName, junk), { maxLength: 4 }),
    fields: fc.array(fc.tuple(field, value), { maxLength: 4 }),
    startValid: fc.boolean(),
    rawBody: fc.option(fc.oneof(junk, fc.json({ maxDepth: 4 })), { freq: 4, nil: null }),
    idempotencyKey: fc.option(fc.constantFrom("a", "b", "c".repeat(300)), { freq: 4 }),
  });
};

const anyRequest = fc.oneof(...contracts.map(requestTo));
type RandomRequest = typeof anyRequest extends fc.Arbitrary<infer T> ? T : never;

async function send(random: RandomRequest) {
  const { contract } = random;
  const noun = contract.noun ?? "";
  // A deleted record cannot be used again: this tenant's records stay for the other routes.
  const kept = contract.method === "DELETE" ? 999_999 : mine.ids[noun];
  const known = { mine: kept, theirs: theirs.ids[noun] }[random.id];
  // Empty ids and dots would name another path (RFC 3986 5.2.4).
  const plain = random.id.toWellFormed().replace(/^\.*$/, "x");
  const id = known ?? encodeURIComponent(plain);
  const query = new URLSearchParams(
    random.query.map(([k, v]) => [k.toWellFormed(), v.toWellFormed()]),
  );
  const takesBody = contract.method === "POST" || contract.method === "PATCH";
  const start = random.startValid ? (validBody(contract, mine) ?? {}) : {};
  const body = random.rawBody ?? JSON.stringify({ ...start, ...Object.fromEntries(random.fields) });
  return fetch(`${server.base}/api/v1${pathOf(contract, id)}?${query}`, {
    method: contract.method,
    headers: {
      authorization: `Bearer ${own.key}`,
      ...(takesBody ? { "content-type": "application/json" } : {}),
      ...(random.idempotencyKey ? { "idempotency-key": random.idempotencyKey } : {}),
    },
    ...(takesBody ? { body } : {}),
    signal: AbortSignal.timeout(10_000),
  });
}

test("no request is answered with a 500, without an answer, or with another tenant's data", async () => {
  await fc.assert(
    fc.asyncProperty(anyRequest, async (random) => {
      const response = await send(random);
      const text = await response.text();
      expect(failures).toEqual([]);
      expect(response.status).toBeLessThan(500);
      if (random.contract.replyType === undefined || response.status >= 400) {
        const json = JSON.parse(text) as Record<string, unknown>;
        if (response.status < 300 && !response.headers.has("idempotency-replayed"))
          random.contract.reply.parse(json);
        else if (response.status >= 400) {
          expect(json.ok).toBe(false);
          expect(Object.keys(json)).toEqual(["ok", "error", "message", "field", "request_id"]);
        }
      }
      expect(text).not.toContain(MARKER);
      if (random.id === "theirs" && namesRecord(random.contract))
        expect([400, 404, 409]).toContain(response.status);
    }),
    { numRuns: 1500, interruptAfterTimeLimit: 25_000 },
  );
}, 60_000);

test("the other tenant's records are unchanged", async () => {
  const { agents, files, phoneNumbers, webhooks } = await import("../../src/store/schema/index.ts");
  const { eq } = await import("drizzle-orm");
  const read = server.database.read;
  const find = async (
    table: typeof agents | typeof files | typeof phoneNumbers | typeof webhooks,
    id: unknown,
  ) =>
    (
      await read
        .select({ id: table.id })
        .from(table)
        .where(eq(table.id, Number(id)))
    ).length;
  expect(await find(agents, theirs.ids.agent)).toBe(1);
  expect(await find(files, theirs.ids.file)).toBe(1);
  expect(await find(phoneNumbers, theirs.ids["phone number"])).toBe(1);
  expect(await find(webhooks, theirs.ids.webhook)).toBe(1);
});
