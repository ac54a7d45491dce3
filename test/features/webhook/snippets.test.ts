/**
 * The documented snippets with real deliveries: captured from the wire, then replayed unchanged, forged, stale and
 * reordered. (test/http/snippets.test.ts tests the route.)
 */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { transcriptCompleted } from "../../../src/features/webhook/catalogue.ts";
import { DeliveryWorker } from "../../../src/features/webhook/delivery.ts";
import { signatureHeader } from "../../../src/features/webhook/signature.ts";
import { createEventSink } from "../../../src/features/webhook/sink.ts";
import { SNIPPETS } from "../../../src/features/webhook/snippets/index.ts";
import { webhookStores } from "../../../src/features/webhook/webhook-stores.ts";
import { SafeHttpClient } from "../../../src/platform/net/outbound-http.ts";
import { eventually } from "../../support/eventually.ts";
import {
  canRun,
  installSnippet,
  runSnippet,
  SNIPPET_LANGUAGES,
} from "../../support/http/snippet-runners.ts";
import { answer, httpsReceiver } from "../../support/net/https-receiver.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { plainVault } from "../../support/store/plain-vault.ts";
import { insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

const HOST = "127.47.0.1";
const SECRET = "webhook-secret";
const WORDS = [
  "Labas, čia „Klinika“.\n\tAčiū! 👋 \\ \" ' $HOME `id` %s \u2028",
  "Другой разговор.",
];
const directory = tempDir();

interface Captured {
  readonly body: string;
  readonly header: string;
  readonly unixSeconds: number;
}
let first: Captured;
let second: Captured;
let retried: Captured;

/** Two events of two calls; the first is refused once, so that it is repeated after the second. */
beforeAll(async () => {
  const ca = testCa(directory);
  const receiver = await httpsReceiver(ca.issue([`IP:${HOST}`]), answer(200), HOST);
  receiver.respond = (request, response) =>
    answer(receiver.requests.length === 1 ? 500 : 200)(request, response);
  const database = await openTestDatabase(join(directory, "snippets.db"), systemClock.now());
  const shared = { database, stores: webhookStores, clock: systemClock, random: systemRandom };
  const worker = new DeliveryWorker({
    ...shared,
    vault: plainVault,
    log: silentLog,
    timeoutMs: 8000,
    client: new SafeHttpClient({ allowNetworks: [HOST], caPem: ca.caPem }),
  });
  const sink = createEventSink({ ...shared, wake: () => worker.wake() });
  const tenantId = await insertTenant(database);
  const url = `https://${HOST}:${receiver.port}/`;
  await insertWebhook(database, tenantId, { url, events: ["transcript.completed"] });
  worker.start();
  for (const [index, words] of WORDS.entries()) {
    const call = { callUuid: crypto.randomUUID(), agentId: 1, language: "lt" };
    const event = transcriptCompleted(call, words, "");
    await database.tx((queries) => sink.emit(queries, tenantId, event));
    sink.wake();
    await eventually(() => receiver.requests.length === index + 1, "it arrived");
  }
  await eventually(() => receiver.requests.length === 3, "the retry arrived");
  const captured = receiver.requests.map(({ body, headers }) => ({
    body,
    header: String(headers["x-lv-signature"]),
    unixSeconds: Number(headers["x-lv-timestamp"]),
  }));
  await worker.stop();
  await receiver.close();
  await database.close();
  const [one, two, again] = captured;
  if (!one || !two || !again) throw new Error("fewer than three deliveries");
  [first, second, retried] = [one, two, again];
});

const signatureOf = (header: string) => header.split(",v1=")[1] ?? "";
const resigned = (body: string, ageSec: number, secret = SECRET): Captured => {
  const unixSeconds = Math.floor(systemClock.now() / 1000) - ageSec;
  return { body, header: signatureHeader(secret, unixSeconds, body), unixSeconds };
};

type Make = () => Pick<Captured, "body" | "header">;
const TRUE: readonly (readonly [string, Make])[] = [
  ["as it came", () => first],
  ["the other one, which came before the first was accepted", () => second],
  ["its retry, out of order: the same body under a fresh timestamp", () => retried],
];
const FALSE: readonly (readonly [string, Make])[] = [
  ["forged with another secret", () => resigned(first.body, 0, "webhook-secret2")],
  ["forged with no secret", () => resigned(first.body, 0, "")],
  [
    "forged with one digit changed",
    () => ({
      ...first,
      header: first.header.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")),
    }),
  ],
  ["forged with a cut signature", () => ({ ...first, header: first.header.slice(0, -2) })],
  ["forged with more after the signature", () => ({ ...first, header: `${first.header},v1=00` })],
  ["forged with a newline after the signature", () => ({ ...first, header: `${first.header}\n` })],
  ["stale by a second more than five minutes", () => resigned(first.body, 301)],
  [
    "stale, its timestamp made fresh",
    () => {
      const old = resigned(first.body, 900);
      return { ...old, header: `t=${first.unixSeconds},v1=${signatureOf(old.header)}` };
    },
  ],
  ["from the future", () => resigned(first.body, -310)],
  ["reordered: the header of the other delivery", () => ({ ...first, header: second.header })],
  ["reordered: the body of the other delivery", () => ({ ...second, header: first.header })],
  [
    "reordered: the fields of its body",
    () => {
      const fields = Object.entries(JSON.parse(first.body)).reverse();
      return { ...first, body: JSON.stringify(Object.fromEntries(fields)) };
    },
  ],
  [
    "reordered: the parts of its header",
    () => ({
      ...first,
      header: first.header.split(",").reverse().join(","),
    }),
  ],
  ["with a space more in its body", () => ({ ...first, body: `${first.body} ` })],
  ["with its body cut", () => ({ ...first, body: first.body.slice(0, -1) })],
  ["without a body", () => ({ ...first, body: "" })],
];

for (const language of SNIPPET_LANGUAGES) {
  describe.skipIf(!canRun(language))(`the ${language} snippet`, () => {
    beforeAll(() => installSnippet(directory, language, SNIPPETS[language]));

    test.each([...TRUE])("accepts a delivery %s", async (_, make) => {
      const run = await runSnippet(directory, language, { ...make(), secret: SECRET });
      expect(run).toEqual({ status: 0, errors: "" });
    });

    test.each([...FALSE])("refuses a delivery %s", async (_, make) => {
      const run = await runSnippet(directory, language, { ...make(), secret: SECRET });
      expect(run).toEqual({ status: 1, errors: "" });
    });
  });
}

test("the captured deliveries have the expected order and content", () => {
  expect(retried.body).toBe(first.body);
  expect(retried.header).not.toBe(first.header);
  expect(JSON.parse(first.body).data.transcript).toBe(WORDS[0]);
  expect(JSON.parse(second.body).data.transcript).toBe(WORDS[1]);
});
