/** Time limit, size limit and cache age of CRM answers. */
import { expect, test } from "bun:test";
import { sleep } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { CrmLookup } from "../../../src/features/contact/crm/lookup.ts";
import type { RemoteParty } from "../../../src/features/contact/ports.ts";
import type { OutboundHttpRequest } from "../../../src/platform/net/outbound-http.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { plainVault } from "../../support/store/plain-vault.ts";

const PARTY: RemoteParty = { number: "+37061000190", direction: "inbound", callUuid: "call" };
const DAY_MS = 86_400_000;

function world(answer: { status: number; afterMs: number; cached?: object }) {
  const clock = fakeClock();
  const requests: OutboundHttpRequest[] = [];
  const cachedDays: number[] = [];
  let stored = 0;
  const records = () => ({
    target: async () => ({ url: "https://crm.example/", secretSealed: null, mapping: {} }),
    async cached(_tenantId: number, _number: string, sinceMs: number) {
      cachedDays.push((clock.now() - sinceMs) / DAY_MS);
      return answer.cached ?? null;
    },
    async putCache() {
      stored++;
    },
  });
  const lookup = new CrmLookup({
    clock,
    records,
    vault: plainVault,
    log: silentLog,
    database: { read: {}, tx: (work: (queries: object) => unknown) => work({}) },
    client: {
      async request(request: OutboundHttpRequest) {
        requests.push(request);
        if (answer.afterMs > 0) await sleep(clock, answer.afterMs);
        const body = Buffer.from(JSON.stringify({ name: "Jonas" }));
        return { status: answer.status, headers: {}, body };
      },
    },
  } as unknown as ConstructorParameters<typeof CrmLookup>[0]);
  /** The facts known after `ms`; null: still waiting. */
  async function factsAfter(ms: number) {
    let facts: readonly unknown[] | null = null;
    void lookup.facts(1, PARTY).then((found) => {
      facts = found;
    });
    await clock.advance(0);
    await clock.advance(ms);
    await Bun.sleep(0);
    return facts as readonly unknown[] | null;
  }
  return { factsAfter, requests, cachedDays, stored: () => stored };
}

test("an answer within 1.5 s counts; after 0.8 s a cached one of the last 90 days is used", async () => {
  const inTime = world({ status: 200, afterMs: 799 });
  expect(await inTime.factsAfter(799)).toHaveLength(1);
  expect(inTime.cachedDays).toEqual([]);
  const late = world({ status: 200, afterMs: 801 });
  expect(await late.factsAfter(800)).toBeNull();
  expect(late.cachedDays).toEqual([90]);
  const known = world({ status: 200, afterMs: 5_000, cached: { name: "Ona" } });
  expect(await known.factsAfter(799)).toBeNull();
  expect(
    await world({ status: 200, afterMs: 5_000, cached: { name: "Ona" } }).factsAfter(800),
  ).toHaveLength(1);
  expect(await world({ status: 200, afterMs: 1_499 }).factsAfter(1_499)).toHaveLength(1);
  expect(await world({ status: 200, afterMs: 5_000 }).factsAfter(1_499)).toBeNull();
  expect(await world({ status: 200, afterMs: 5_000 }).factsAfter(1_500)).toEqual([]);
});

test("the HTTP client gets limits of 1.5 s and 64 KB", async () => {
  const { factsAfter, requests, stored } = world({ status: 200, afterMs: 0 });
  await factsAfter(0);
  expect(requests).toMatchObject([{ timeoutMs: 1_500, responseBytesMax: 65_536, method: "POST" }]);
  expect(stored()).toBe(1);
});

test("200 to 299 are answers, 404 means an unknown number", async () => {
  const facts: Record<string, unknown> = {};
  const storedAt: number[] = [];
  for (const status of [199, 200, 299, 300, 404, 500]) {
    const { factsAfter, stored } = world({ status, afterMs: 0 });
    facts[status] = (await factsAfter(1_500))?.length;
    if (stored() === 1) storedAt.push(status);
  }
  expect(facts).toEqual({ 199: 0, 200: 1, 299: 1, 300: 0, 404: 0, 500: 0 });
  expect(storedAt).toEqual([200, 299]);
});

test("a 404 overrides the cached answer; a failure keeps it", async () => {
  const cached = { name: "Ona" };
  expect(await world({ status: 404, afterMs: 0, cached }).factsAfter(1_500)).toEqual([]);
  expect(await world({ status: 500, afterMs: 0, cached }).factsAfter(1_500)).toHaveLength(1);
});
