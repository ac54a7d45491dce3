/** Delivery as the appliance composes it: sink, worker, client, notice and mail together. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createDelivery } from "../../../src/app/delivery.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { callFailed } from "../../../src/features/webhook/catalogue.ts";
import { webhookStore } from "../../../src/features/webhook/webhook-store.ts";
import { eventually } from "../../support/eventually.ts";
import { answer, httpsReceiver } from "../../support/net/https-receiver.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { plainVault } from "../../support/store/plain-vault.ts";
import { insertTenant, insertWebhook } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(30_000);

const HOST = "127.48.0.1";
const directory = tempDir();
const outboxDir = join(directory, "outbox");
mkdirSync(outboxDir);
const mailLimits = { attachmentBytesMax: 18_000_000, outboxKeepDays: 7 };
const ca = testCa(directory);
const receiver = await httpsReceiver(ca.issue([`IP:${HOST}`]), answer(410), HOST);
const database = await openTestDatabase(join(directory, "wired.db"), systemClock.now());
const delivery = createDelivery(
  {
    httpClient: {
      allowNetworks: [`${HOST}/32`],
      caPem: ca.caPem,
      toolTimeoutMs: 2000,
      toolResultBytesMax: 16_384,
      webhookTimeoutMs: 2000,
    },
    mail: { from: "calls@appliance.example", provider: { kind: "outbox" }, ...mailLimits },
  },
  {
    database,
    vault: plainVault,
    outboxDir,
    recordingsDir: directory,
    recordingLink: () => "",
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  },
);
afterAll(async () => {
  await delivery.stop();
  await receiver.close();
  await database.close();
});

test("an endpoint answering 410 is shown as disabled and its tenant gets a mail", async () => {
  delivery.start();
  const tenantId = await insertTenant(database, { email: "it@clinic.example" });
  const url = `https://${HOST}:${receiver.port}/gone`;
  const webhookId = await insertWebhook(database, tenantId, { url, events: ["call.failed"] });
  const call = {
    callUuid: crypto.randomUUID(),
    direction: "outbound" as const,
    fromNumber: "+37052000000",
    toNumber: "+37060000001",
    agentId: null,
  };
  const event = callFailed(call, { status: "busy", reason: "busy", sipCode: 486 });
  await database.tx((queries) => delivery.events.emit(queries, tenantId, event));
  delivery.events.wake();
  const written = () => Array.fromAsync(new Bun.Glob("*.eml").scan(outboxDir));
  await eventually(async () => (await written()).length === 1, "the mail is there");
  const [name = ""] = await written();
  const mail = await Bun.file(join(outboxDir, name)).text();
  expect(mail).toContain("it@clinic.example");
  expect(mail).toContain(`Webhook ${webhookId} was switched off`);
  expect(await webhookStore(database.read).list(tenantId)).toMatchObject([{ enabled: false }]);
});
