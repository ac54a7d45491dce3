/** Delivery claims: how many at once, lease times, and when the worker checks and stops. */
import { expect, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { DeliveryWorker } from "../../../src/features/webhook/delivery.ts";
import type { Claim } from "../../../src/features/webhook/stores.ts";
import { OutboundHttpError } from "../../../src/platform/net/outbound-http-error.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { plainVault } from "../../support/store/plain-vault.ts";

function world(pauseMs?: number) {
  const clock = fakeClock(0);
  const due: object[] = [];
  const asked: (readonly [atMs: number, most: number])[] = [];
  const leases: number[] = [];
  const signals: AbortSignal[] = [];
  const released: number[] = [];
  const answers: ((status: number) => void)[] = [];
  const never = new Promise(() => {});
  const outbox = {
    async due(nowMs: number, { limit }: Claim) {
      asked.push([nowMs, limit]);
      return { deliveries: due.splice(0, limit), isCrowd: false };
    },
    look: async () => ({ isAny: true, isCrowd: false }),
    lease: async (_ids: number[], _owner: string, untilMs: number) => void leases.push(untilMs),
    release: async (ids: number[]) => void released.push(...ids),
    nextDueAfter: async () => null,
  };
  const subscribers = () => ({
    targets: async (ids: readonly number[]) =>
      ids.map((webhookId) => ({
        webhookId,
        tenantId: 1,
        url: "https://a.example/",
        secretSealed: "",
      })),
  });
  const worker = new DeliveryWorker({
    clock,
    random: systemRandom,
    log: silentLog,
    timeoutMs: 8_000,
    ...(pauseMs === undefined ? {} : { pauseMs }),
    stores: {
      outbox: () => outbox,
      subscribers,
      health: () => ({ of: () => never, failing: () => never }),
    },
    vault: { ...plainVault, open: () => "secret" },
    database: { read: {}, tx: (work: (queries: object) => unknown) => work({}) },
    client: {
      request: ({ signal }: { signal: AbortSignal }) =>
        new Promise((done, fail) => {
          signals.push(signal);
          answers.push((status) => done({ status, headers: {} }));
          signal.addEventListener("abort", () => fail(new OutboundHttpError("aborted", "ended")));
        }),
    },
  } as unknown as ConstructorParameters<typeof DeliveryWorker>[0]);
  const delivery = (webhookId: number, outboxId: number) => ({
    outboxId,
    webhookId,
    legacyUrl: null,
    callUuid: null,
    failingSince: null,
    tenantId: 1,
    type: "t",
    body: "{}",
    eventId: "e",
  });
  return { clock, due, asked, leases, signals, released, answers, outbox, worker, delivery };
}

test("checks every 30 seconds for at most 256", async () => {
  const { clock, asked, worker } = world(0);
  worker.start();
  await eventually(() => asked.length === 1, "the first look");
  await clock.advance(30_000);
  await eventually(() => asked.length === 2, "the second look");
  await clock.advance(30_000);
  await eventually(() => asked.length === 3, "the third look");
  expect(asked).toEqual([0, 30_000, 60_000].map((atMs) => [atMs, 256]));
  await worker.stop();
});

test("a proven endpoint has four deliveries in progress, each leased for its time limit plus half a minute", async () => {
  const { due, leases, worker, delivery, signals, answers } = world(0);
  due.push(delivery(1, 1), delivery(1, 2));
  worker.start();
  await eventually(() => signals.length === 1, "the first is under way");
  expect(leases[0]).toBe(8_000 + 30_000);
  await Bun.sleep(0);
  expect(signals).toHaveLength(1);
  answers[0]?.(200);
  await Bun.sleep(0);
  for (let id = 3; id <= 8; id++) due.push(delivery(1, id));
  worker.wake();
  await eventually(() => signals.length === 4, "four are, one of them not stored yet");
  await Bun.sleep(0);
  expect(signals).toHaveLength(4);
  expect(signals.every(({ aborted }) => !aborted)).toBe(true);
});

test("the worker rests 10 ms after a claim", async () => {
  const { clock, asked, worker } = world();
  worker.start();
  await eventually(() => clock.pendingTimers === 2, "the rest");
  worker.wake();
  await clock.advance(9);
  expect(asked).toHaveLength(1);
  await clock.advance(1);
  await eventually(() => asked.length === 2, "the second claim");
  const stopped = worker.stop();
  await clock.advance(10);
  await stopped;
});

test("at shutdown deliveries have three seconds", async () => {
  const { clock, due, signals, released, worker, delivery } = world(0);
  due.push(delivery(1, 7));
  worker.start();
  await eventually(() => signals.length === 1, "one is under way");
  const stopped = worker.stop();
  await clock.advance(2_999);
  expect(signals[0]?.aborted).toBe(false);
  await clock.advance(1);
  expect(signals[0]?.aborted).toBe(true);
  await stopped;
  expect(released).toEqual([7]);
});

test("with 256 in progress, 32 answers make room for as many before an outcome is stored", async () => {
  const { due, asked, answers, worker, delivery } = world(0);
  for (let id = 1; id <= 300; id++) due.push(delivery(id, id));
  worker.start();
  await eventually(() => answers.length === 256, "all are under way");
  const looks = asked.length;
  for (const answer of answers.slice(0, 31)) answer(200);
  await Bun.sleep(20);
  expect(asked).toHaveLength(looks);
  answers[31]?.(200);
  await eventually(() => answers.length === 256 + 32, "32 more are under way");
  expect(asked.slice(looks)).toEqual([[0, 32]]);
});

test("with fewer in progress, an answer alone starts no check", async () => {
  const { due, asked, answers, worker, delivery } = world(0);
  for (let id = 1; id <= 255; id++) due.push(delivery(id, id));
  worker.start();
  await eventually(() => answers.length === 255, "all are under way");
  const looks = asked.length;
  for (const answer of answers.slice(0, 64)) answer(200);
  await Bun.sleep(20);
  expect(asked).toHaveLength(looks);
});

test("a delivery without a lease takes no slot", async () => {
  const { clock, due, asked, outbox, worker, delivery } = world(0);
  for (let id = 1; id <= 40; id++) due.push(delivery(id, id));
  outbox.lease = () => Promise.reject(new Error("the disk is full"));
  worker.start();
  await eventually(() => asked.length === 1, "the first look");
  await clock.advance(30_000);
  await eventually(() => asked.length === 2, "the second look");
  expect(asked.map(([, most]) => most)).toEqual([256, 256]);
  await worker.stop();
});
