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
