/** Heavy requests count for more, and who guesses keys is not looked up any more. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ApiServer, ask, pick, startApiServer } from "../../support/api-server.ts";
import { signedInBrowser } from "../../support/dashboard-session.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";
import { tempDir } from "../../support/temp-dir.ts";

const CSV = { csv: "number\n+37060000001\n", dry_run: true };
const LIMIT = 61;
const IMPORT_WEIGHT = 20;

let clock: FakeClock;
let server: ApiServer;

beforeAll(async () => {
  clock = fakeClock();
  server = await startApiServer({
    directory: tempDir(),
    clock,
    settings: { requestsPerMinute: LIMIT },
  });
});
afterAll(() => server.stop());

describe("an import", () => {
  test("counts for 20 requests of a key, and another tenant's key for none", async () => {
    const [own, other] = [await server.tenant(), await server.tenant()];
    const left = async () => {
      const answer = await ask(server, own, "POST", "/contacts/import", CSV);
      return [answer.status, answer.headers.get("ratelimit-remaining")];
    };
    expect(await left()).toEqual([200, String(LIMIT - IMPORT_WEIGHT)]);
    expect(await left()).toEqual([200, String(LIMIT - 2 * IMPORT_WEIGHT)]);
    expect(await left()).toEqual([200, "1"]);
    const over = await ask(server, own, "POST", "/contacts/import", CSV);
    expect([over.status, pick(over, "error")]).toEqual([429, "rate_limited"]);
    expect(over.headers.get("retry-after")).toBe("60");
    expect((await ask(server, other, "POST", "/contacts/import", CSV)).status).toBe(200);
    await clock.advance(60_001);
    expect(await left()).toEqual([200, String(LIMIT - IMPORT_WEIGHT)]);
  });

  test("counts for 20 of a session's 600", async () => {
    const { id: tenantId } = await server.tenant();
    const browser = await signedInBrowser(server, { tenantId });
    const send = () => browser.fetch("POST", "/api/v1/contacts/import", CSV);
    const statuses = [];
    for (let n = 0; n < 31; n++) statuses.push((await send()).status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(29);
    expect(statuses.at(-1)).toBe(429);
  });
});

test("six imports of one company at once, by whichever sessions and keys; others' are not counted", async () => {
  const [own, other] = [await server.tenant(), await server.tenant()];
  const lines = Array.from({ length: 3_000 }, (_, at) => `+3706${String(1_000_000 + at)}`);
  const body = { csv: `number\n${lines.join("\n")}\n`, dry_run: true };
  const members = await Promise.all(
    [1, 2].map(() => signedInBrowser(server, { tenantId: own.id, role: "member" })),
  );
  const sent = [
    ...members.flatMap((browser) =>
      [1, 2].map(() => browser.fetch("POST", "/api/v1/contacts/import", body)),
    ),
    ...[1, 2, 3].map(() => ask(server, own, "POST", "/contacts/import", body)),
  ];
  const neighbour = ask(server, other, "POST", "/contacts/import", body);
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(6).fill(200), 429]);
  expect(answers.find(({ status }) => status === 429)?.headers.get("retry-after")).toBe("5");
  expect((await neighbour).status).toBe(200);
  const [member] = members;
  expect((await member?.fetch("POST", "/api/v1/contacts/import", CSV))?.status).toBe(200);
});

test("a body above 256 KB counts as heavy, one of that size does not", async () => {
  const own = await server.tenant();
  const browser = await signedInBrowser(server, { tenantId: own.id, role: "member" });
  const { length } = JSON.stringify({ filename: "a.txt", content: "" });
  const statuses = async (bytes: number) => {
    const file = { filename: "a.txt", content: "x".repeat(bytes - length) };
    const sent = Array.from({ length: 7 }, () => browser.fetch("POST", "/api/v1/files", file));
    return (await Promise.all(sent)).map(({ status }) => status).sort();
  };
  expect(await statuses(256 * 1024)).toEqual(Array(7).fill(200));
  expect(await statuses(256 * 1024 + 1)).toEqual([...Array(6).fill(200), 429]);
  expect(await statuses(256 * 1024 + 1)).toEqual([...Array(6).fill(200), 429]);
});

test("a body of no stated length counts when it has become large", async () => {
  const own = await server.tenant();
  const statuses = async (bytes: number) => {
    const body = new TextEncoder().encode(
      JSON.stringify({ filename: "a.txt", content: "x".repeat(bytes) }),
    );
    const sent = Array.from({ length: 7 }, () =>
      fetch(`${server.base}/api/v1/files`, {
        method: "POST",
        headers: { authorization: `Bearer ${own.key}`, "content-type": "application/json" },
        body: new ReadableStream({
          start(controller) {
            controller.enqueue(body);
            controller.close();
          },
        }),
      }),
    );
    return (await Promise.all(sent)).map(({ status }) => status).sort();
  };
  expect(await statuses(1_000)).toEqual(Array(7).fill(200));
  expect(await statuses(300_000)).toEqual([...Array(6).fill(200), 429]);
});

describe("keys that are none", () => {
  const unknown = (n: number) => ({ id: 0, key: `lv_live_${String(n).padStart(64, "0")}` });

  test("120 a minute of one address are looked up; then only a key that was known before", async () => {
    const tenant = await server.tenant();
    expect((await ask(server, tenant, "GET", "/tenant")).status).toBe(200);
    await clock.advance(60_001);
    for (let n = 0; n < 120; n++)
      expect((await ask(server, unknown(n), "GET", "/tenant")).status).toBe(401);
    const over = await ask(server, unknown(120), "GET", "/tenant");
    expect([over.status, pick(over, "error")]).toEqual([429, "rate_limited"]);
    expect((await ask(server, tenant, "GET", "/tenant")).status).toBe(200);
    await clock.advance(60_001);
    expect((await ask(server, unknown(121), "GET", "/tenant")).status).toBe(401);
  });
});
