/** Requests of CRM messages to the store and the HTTP client, and their time limits. */
import { expect, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { CrmOutbox } from "../../../src/features/contact/crm/crm-outbox.ts";
import type {
  OutboundHttpRequest,
  OutboundHttpResponse,
} from "../../../src/platform/net/outbound-http.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { plainVault } from "../../support/store/plain-vault.ts";

const POST = { id: 7, tenantId: 1, callUuid: "call", body: "{}", attempts: 0 };

function world(answer: (request: OutboundHttpRequest) => Promise<OutboundHttpResponse>) {
  const clock = fakeClock(0);
  const due: (typeof POST)[] = [];
  const claims: (readonly [nowMs: number, leasedUntilMs: number, busy: readonly number[]])[] = [];
  const outcomes: object[] = [];
  const requests: OutboundHttpRequest[] = [];
  const records = () => ({
    async claim(nowMs: number, _owner: string, untilMs: number, busy: readonly number[]) {
      claims.push([nowMs, untilMs, busy]);
      return due.shift() ?? null;
    },
    async settle(_id: number, _owner: string, outcome: object) {
      outcomes.push(outcome);
    },
    nextDueAfter: async () => null,
    target: async () => ({ url: "https://crm.example/", secretSealed: null, mapping: {} }),
  });
  const posts = new CrmOutbox({
    clock,
    records,
    vault: plainVault,
    log: silentLog,
    random: { ...seededRandom(1), float: () => 0.5 },
    isOn: async () => true,
    database: { read: {}, tx: (work: (queries: object) => unknown) => work({}) },
    client: {
      request(request: OutboundHttpRequest) {
        requests.push(request);
        return answer(request);
      },
    },
  } as unknown as ConstructorParameters<typeof CrmOutbox>[0]);
  return { clock, due, claims, outcomes, requests, posts };
}
/** Lets pending promises settle, without advancing the clock. */
const settled = () => Bun.sleep(0);
const answered = (status: number) => async () => ({ status, headers: {}, body: Buffer.alloc(0) });
const outcomeOf = async (answer: () => Promise<OutboundHttpResponse>, attempts = 0) => {
  const { due, posts, outcomes } = world(answer);
  due.push({ ...POST, attempts });
  posts.start();
  await eventually(() => outcomes.length > 0, "an outcome");
  await posts.stop();
  return outcomes[0];
};

test("checks every 30 seconds and leases for 60, without tenants whose message is in progress", async () => {
  const { clock, claims, due, posts, requests } = world(() => new Promise(() => {}));
  posts.start();
  await clock.advance(29_999);
  expect(claims).toEqual([[0, 60_000, []]]);
  due.push(POST);
  await clock.advance(1);
  expect(claims.slice(1)).toEqual([
    [30_000, 90_000, []],
    [30_000, 90_000, [1]],
  ]);
  expect(requests).toMatchObject([
    { method: "POST", timeoutMs: 10_000, responseBytesMax: 16_384, statusOnly: true },
  ]);
});

test("eight tenants are served at once", async () => {
  const { due, posts, requests } = world(() => new Promise(() => {}));
  for (let tenantId = 1; tenantId <= 9; tenantId++) due.push({ ...POST, tenantId });
  posts.start();
  await eventually(() => requests.length >= 8, "eight requests");
  await settled();
  expect(requests).toHaveLength(8);
});

test("200 to 299 count as delivered", async () => {
  const statuses = { 199: "pending", 200: "delivered", 299: "delivered", 300: "pending" };
  for (const [httpStatus, status] of Object.entries(statuses))
    expect(await outcomeOf(answered(Number(httpStatus)))).toMatchObject({
      status,
      attempts: 1,
      httpStatus: Number(httpStatus),
      nextAttemptAt: status === "delivered" ? 0 : 5_000,
      error: status === "delivered" ? null : `the CRM answered HTTP ${httpStatus}`,
    });
});

test("the eighth failure is the last, and 300 characters of an error are stored", async () => {
  const fails = () => Promise.reject(new Error("x".repeat(400)));
  const last = await outcomeOf(fails, 7);
  expect(last).toMatchObject({ status: "failed", attempts: 8, httpStatus: null });
  expect((last as { error: string }).error).toHaveLength(300);
  expect(await outcomeOf(fails, 6)).toMatchObject({ status: "pending", attempts: 7 });
});

test("at shutdown a message has three seconds, and is then not counted", async () => {
  const { clock, due, posts, requests, outcomes } = world(
    ({ signal }) =>
      new Promise((_, fail) => signal?.addEventListener("abort", () => fail(new Error("stopped")))),
  );
  due.push(POST);
  posts.start();
  await eventually(() => requests.length > 0, "a request");
  const stopped = posts.stop();
  await settled();
  await clock.advance(2_999);
  expect(requests[0]?.signal?.aborted).toBe(false);
  await clock.advance(1);
  await settled();
  expect(requests[0]?.signal?.aborted).toBe(true);
  await stopped;
  expect(outcomes).toEqual([]);
});
