/** CRM outcome messages, on a real store and real HTTP receivers: a dead CRM delays no other. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import http, { type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Database } from "../../../src/core/database.ts";
import { silentLog } from "../../../src/core/log.ts";
import { systemRandom } from "../../../src/core/random.ts";
import { callerStore } from "../../../src/features/contact/caller-store.ts";
import { CrmOutbox } from "../../../src/features/contact/crm/crm-outbox.ts";
import { crmStore } from "../../../src/features/contact/crm-store.ts";
import { SafeHttpClient } from "../../../src/platform/net/outbound-http.ts";
import { crmPosts } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { plainVault } from "../../support/store/plain-vault.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const HOST = "127.0.8.98";
const START = Date.parse("2026-11-21T04:05:06Z");
const directory = tempDir();
const clock = fakeClock(START);
const client = new SafeHttpClient({ allowNetworks: [`${HOST}/32`], clock });
/** Request paths in order of arrival. */
const asked: string[] = [];
let respond: (path: string, response: ServerResponse) => void = () => {};
const crm = http.createServer((request, response) => {
  const path = request.url ?? "";
  request.resume();
  request.on("end", () => {
    asked.push(path);
    respond(path, response);
  });
});
let stores = 0;

beforeAll(() => new Promise<void>((done) => crm.listen(0, HOST, done)));
afterAll(() => {
  crm.closeAllConnections();
  crm.close();
});
beforeEach(() => {
  asked.length = 0;
});

async function tenantWithCrm(database: Database, path: string): Promise<number> {
  const tenantId = await insertTenant(database);
  const crmUrl = `http://${HOST}:${(crm.address() as AddressInfo).port}${path}`;
  await database.tx((q) => callerStore(q).putFeatureSettings(tenantId, { crmUrl }, START));
  return tenantId;
}

const tell = (database: Database, tenantId: number, callUuid: string) =>
  database.tx((q) => crmStore(q).enqueue(tenantId, callUuid, "{}", clock.now()));

async function world() {
  const database = await openTestDatabase(join(directory, `${++stores}.db`), START);
  const posts = new CrmOutbox({
    database,
    records: crmStore,
    isOn: async () => true,
    vault: plainVault,
    client,
    clock,
    random: systemRandom,
    log: silentLog,
  });
  const statuses = async () =>
    Object.fromEntries(
      (await database.read.select().from(crmPosts)).map((row) => [row.callUuid, row.status]),
    );
  const close = async () => {
    const stopping = posts.stop();
    await clock.advance(15_000);
    await stopping;
    await database.close();
  };
  return { database, posts, statuses, close };
}

const ok = (response: ServerResponse) => response.writeHead(200).end();

test("a CRM that never answers delays no other tenant's", async () => {
  const { database, posts, statuses, close } = await world();
  const dead = await tenantWithCrm(database, "/dead");
  const well = await tenantWithCrm(database, "/well");
  for (const n of [1, 2, 3]) await tell(database, dead, `dead-${n}`);
  for (const n of [1, 2, 3]) await tell(database, well, `well-${n}`);
  respond = (path, response) => {
    if (path === "/well") ok(response);
  };
  posts.start();
  // No time passes: the dead CRM's limit of ten seconds is not over.
  await eventually(async () => {
    const found = await statuses();
    return [1, 2, 3].every((n) => found[`well-${n}`] === "delivered");
  }, "the other tenant's CRM has been told");
  // One at a time per CRM, in order.
  expect(asked.filter((path) => path === "/dead")).toHaveLength(1);
  await close();
});

test("a 200 with an endless body is a success", async () => {
  const { database, posts, statuses, close } = await world();
  await tell(database, await tenantWithCrm(database, "/slow"), "slow-1");
  respond = (_path, response) => {
    response.writeHead(200);
    response.write("stored, still working");
  };
  posts.start();
  await eventually(async () => (await statuses())["slow-1"] === "delivered", "told");
  await clock.advance(60_000);
  expect(asked).toEqual(["/slow"]);
  await close();
});

test("messages go to the maximum number of CRMs at once, and to the next when one has finished", async () => {
  const { database, posts, statuses, close } = await world();
  const held: ServerResponse[] = [];
  respond = (_path, response) => held.push(response);
  for (let n = 0; n < 9; n++)
    await tell(database, await tenantWithCrm(database, `/${n}`), `call-${n}`);
  posts.start();
  await eventually(() => held.length === 8, "eight are under way");
  await database.tx(async () => {});
  expect(held).toHaveLength(8);
  const [first] = held;
  if (first) ok(first);
  await eventually(() => held.length === 9, "the ninth follows");
  for (const response of held.slice(1)) ok(response);
  await eventually(
    async () => Object.values(await statuses()).every((status) => status === "delivered"),
    "all are told",
  );
  await close();
});
