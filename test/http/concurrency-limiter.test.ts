/** Heavy requests count for more, and after many guessed keys of an address no more are looked up. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { AppError } from "../../src/core/errors.ts";
import { ConcurrencyLimiter } from "../../src/http/concurrency-limiter.ts";
import { signedInBrowser } from "../support/browser/dashboard-session.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { type ApiServer, ask, pick, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

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
  test("counts for 20 requests of a key, and for none of another tenant's key", async () => {
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
    expect(pick(over, "message")).toContain(`counts as ${IMPORT_WEIGHT} of them`);
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

describe("heavy requests of a company at once", () => {
  const lines = Array.from({ length: 3_000 }, (_, at) => `+3706${String(1_000_000 + at)}`);
  const IMPORT = { csv: `number\n${lines.join("\n")}\n`, dry_run: true };
  const statusesOf = async (sent: readonly Promise<{ readonly status: number }>[]) =>
    (await Promise.all(sent)).map(({ status }) => status).sort();

  test("six run and twenty wait, over all its sessions and keys, without effect on another company", async () => {
    const [own, other] = [await server.tenant(), await server.tenant()];
    const members = await Promise.all(
      [1, 2].map(() => signedInBrowser(server, { tenantId: own.id, role: "member" })),
    );
    const sent = members.flatMap((browser) =>
      Array.from({ length: 13 }, () => browser.fetch("POST", "/api/v1/contacts/import", IMPORT)),
    );
    const over = ask(server, own, "POST", "/contacts/import", IMPORT);
    const neighbour = ask(server, other, "POST", "/contacts/import", IMPORT);
    expect((await neighbour).status).toBe(200);
    expect(await statusesOf([...sent, over])).toEqual([...Array(26).fill(200), 429]);
    const [member] = members;
    expect((await member?.fetch("POST", "/api/v1/contacts/import", CSV))?.status).toBe(200);
  });

  const START = JSON.stringify({ filename: "a.txt", content: "" }).length;
  const fileOf = (bytes: number) => ({ filename: "a.txt", content: "x".repeat(bytes - START) });

  test.each([
    [256 * 1024, Array(27).fill(200)],
    [256 * 1024 + 1, [...Array(26).fill(200), 429]],
  ])("a body of %d bytes", async (bytes, expected) => {
    const own = await server.tenant();
    const browser = await signedInBrowser(server, { tenantId: own.id, role: "member" });
    const send = () => browser.fetch("POST", "/api/v1/files", fileOf(bytes));
    expect(await statusesOf(Array.from({ length: 27 }, send))).toEqual(expected);
  });

  test.each([
    [1_000, Array(27).fill(200)],
    [300_000, [...Array(26).fill(200), 429]],
  ])("a body of %d bytes without a Content-Length", async (bytes, expected) => {
    const own = await server.tenant();
    const body = new TextEncoder().encode(JSON.stringify(fileOf(bytes)));
    const send = () =>
      fetch(`${server.base}/api/v1/files`, {
        method: "POST",
        headers: { authorization: `Bearer ${own.key}`, "content-type": "application/json" },
        body: new ReadableStream({
          start(controller) {
            controller.enqueue(body);
            controller.close();
          },
        }),
      });
    expect(await statusesOf(Array.from({ length: 27 }, send))).toEqual(expected);
  });

  test("requests wait for a slot in order, for at most 20 s", async () => {
    const requests = new ConcurrencyLimiter(clock);
    const seats = Array.from({ length: 8 }, () => requests.seatOf(1));
    const told: string[] = [];
    for (const [at, seat] of seats.entries())
      void seat.take().then(
        () => told.push(`${at} goes on`),
        ({ code }: AppError) => told.push(`${at} ${code}`),
      );
    await clock.advance(19_999);
    expect(told).toEqual([0, 1, 2, 3, 4, 5].map((at) => `${at} goes on`));
    seats[3]?.leave();
    seats[3]?.leave();
    await clock.advance(1);
    expect(told.slice(6)).toEqual(["6 goes on", "7 rate_limited"]);
    seats[7]?.leave();
    const last = requests.seatOf(1).take();
    await clock.advance(20_000);
    expect(last).rejects.toMatchObject({ code: "rate_limited" });
  });
});

describe("invalid keys", () => {
  const unknown = (n: number) => ({ id: 0, key: `lv_live_${String(n).padStart(64, "0")}` });

  test("120 per minute and address are looked up; then only keys known before", async () => {
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
