/** Deliveries that leave from the webhook worker: over real TLS, also when the worker dies or is closed. */
import { afterAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import type { WebhookSender } from "../../../src/domain/webhook/attempt.ts";
import { createSenderThread } from "../../../src/domain/webhook/sender-thread.ts";
import { verifySignature } from "../../../src/domain/webhook/signature.ts";
import { spawnWebhookWorker } from "../../../src/workers.ts";
import { eventually } from "../../support/eventually.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";
import { answer, httpsReceiver } from "../../support/net/https-receiver.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

const HOST = "127.48.0.12";
const SECRET = "whsec_of_the_test";
const ca = testCa(tempDir());
const receiver = await httpsReceiver(ca.issue([`IP:${HOST}`]), answer(200), HOST);
const spawned: Worker[] = [];
const senders: WebhookSender[] = [];

function senderOf(allowNetworks: readonly string[] = [`${HOST}/32`]) {
  const clock: FakeClock = fakeClock();
  const posted: unknown[] = [];
  const errors: [string, object | undefined][] = [];
  const sender = createSenderThread({
    spawn() {
      const worker = spawnWebhookWorker();
      spawned.push(worker);
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (message: unknown) => {
        posted.push(message);
        post(message);
      };
      return worker;
    },
    settings: { allowNetworks, caPem: ca.caPem, webhookTimeoutMs: 30_000 },
    clock,
    log: { ...silentLog, error: (event, fields) => void errors.push([event, fields]) },
  });
  senders.push(sender);
  return { sender, clock, posted, errors };
}

let lastId = 0;
const attempt = (path = "/hook") => ({
  url: `https://${HOST}:${receiver.port}${path}`,
  secret: SECRET,
  deliveryId: `del_${++lastId}`,
  type: "call.ended",
  body: `{"id":"evt_${lastId}"}`,
});

beforeEach(() => {
  spawned.length = 0;
  receiver.requests.length = 0;
  receiver.respond = answer(200);
});
afterAll(async () => {
  for (const sender of senders) sender.close();
  await receiver.close();
});

test("what is sent in one turn is one message, and each delivery arrives signed and has its own result", async () => {
  const { sender, posted } = senderOf();
  receiver.respond = (request, response) =>
    request.path === "/hook"
      ? answer(200)(request, response)
      : answer(503, "", { "retry-after": "7" })(request, response);
  const attempts = [attempt(), attempt("/busy"), attempt()];
  const results = await Promise.all(attempts.map((one) => sender.send(one)));
  expect(results.map(({ httpStatus }) => httpStatus)).toEqual([200, 503, 200]);
  expect(results.map(({ retryAfterMs }) => retryAfterMs)).toEqual([null, 7000, null]);
  expect(posted).toMatchObject([{ type: "init" }, { type: "send", attempts }]);
  for (const { body, headers } of receiver.requests) {
    const seconds = Number(headers["x-lv-timestamp"]);
    expect(verifySignature(SECRET, String(headers["x-lv-signature"]), body, seconds)).toBe(true);
  }
  expect(receiver.requests.map(({ headers }) => headers["x-lv-delivery-id"]).sort()).toEqual(
    attempts.map(({ deliveryId }) => deliveryId).sort(),
  );
});

test("the worker reaches no network of ours that is not listed", async () => {
  const { sender } = senderOf([]);
  expect(await sender.send(attempt())).toMatchObject({
    delivered: false,
    abandoned: false,
    error: "the address is not allowed",
  });
  expect(receiver.requests).toEqual([]);
});

test("a worker that dies fails what it was sending, and the next delivery has a new one", async () => {
  const { sender, errors } = senderOf();
  receiver.respond = () => {};
  const cut = [sender.send(attempt()), sender.send(attempt())];
  await eventually(() => receiver.requests.length === 2, "both are under way");
  spawned[0]?.terminate();
  for (const result of await Promise.all(cut))
    expect(result).toMatchObject({ delivered: false, abandoned: false, httpStatus: null });
  expect(errors).toMatchObject([["webhook_worker.died", { under_way: 2 }]]);
  receiver.respond = answer(200);
  expect(await sender.send(attempt())).toMatchObject({ delivered: true });
  expect(spawned).toHaveLength(2);
});

test("a thread that cannot be started fails the delivery, which is tried again like every other", async () => {
  const sender = createSenderThread({
    spawn: () => {
      throw new Error("no more threads");
    },
    settings: { allowNetworks: [], caPem: null, webhookTimeoutMs: 1000 },
    clock: fakeClock(),
    log: silentLog,
  });
  expect(await sender.send(attempt())).toMatchObject({ delivered: false, abandoned: false });
});

test("closing abandons what is under way and hangs up; what comes after it is abandoned, too", async () => {
  const { sender, errors } = senderOf();
  const hungUp = Promise.withResolvers<void>();
  receiver.respond = (_request, response) => void response.on("close", hungUp.resolve);
  const cut = sender.send(attempt());
  await eventually(() => receiver.requests.length === 1, "it is under way");
  sender.close();
  expect(await cut).toMatchObject({ delivered: false, abandoned: true });
  await hungUp.promise;
  expect(await sender.send(attempt())).toMatchObject({ abandoned: true });
  sender.close();
  expect(spawned).toHaveLength(1);
  expect(errors).toEqual([]);
});

test("the worker ends when nothing was under way for two minutes, and not before", async () => {
  const { sender, clock, errors } = senderOf();
  await sender.send(attempt());
  await clock.advance(119_999);
  await sender.send(attempt());
  expect(spawned).toHaveLength(1);
  const ended = new Promise((done) => spawned[0]?.addEventListener("close", done));
  await clock.advance(120_000);
  await ended;
  expect(await sender.send(attempt())).toMatchObject({ delivered: true });
  expect(spawned).toHaveLength(2);
  expect(errors).toEqual([]);
});
