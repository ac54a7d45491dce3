/**
 * A replica of the libSQL server takes over as in docs/nodes.md: after a request, with all data that had reached
 * it.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock as clock } from "../../../src/core/clock.ts";
import { systemRandom as random } from "../../../src/core/random.ts";
import { openRemoteDatabase } from "../../../src/store/libsql/database.ts";
import { tenants } from "../../../src/store/schema/index.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort, type SqldServer, startSqld } from "../../support/store/sqld-server.ts";
import { insertTenant } from "../../support/store/stored-rows.ts";

setDefaultTimeout(120_000);

const servers: SqldServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.stop())));

async function started(...more: string[]): Promise<SqldServer> {
  const server = await startSqld({ more });
  servers.push(server);
  return server;
}

const opened = ({ url, token }: SqldServer) =>
  openRemoteDatabase({ url, authToken: token }, { clock, random, owner: "test" });

/** The request of docs/nodes.md, to that server. */
async function ask({ url, token }: SqldServer): Promise<string> {
  const page = readFileSync(join(import.meta.dir, "../../../docs/nodes.md"), "utf8");
  const body = /-d '([^']+)' http:\/\/127\.0\.0\.1:8089\/v2\/pipeline/.exec(page)?.[1] ?? "";
  const response = await fetch(`${url}/v2/pipeline`, {
    method: "POST",
    body,
    headers: { authorization: `Bearer ${token}` },
  });
  return await response.text();
}

/** Before it has caught up, it forwards queries to the primary, and has read no row itself. */
async function showsItself(replica: SqldServer, count: number): Promise<boolean> {
  const answer = await ask(replica);
  return answer.includes(`"value":"${count}"`) && !answer.includes('"rows_read":0');
}

test("a replica asked after its start has the primary's data", async () => {
  const grpc = freePort("127.0.0.1");
  const primary = await started("--grpc-listen-addr", `127.0.0.1:${grpc}`);
  const replica = await started("--primary-grpc-url", `http://127.0.0.1:${grpc}`);
  const before = await opened(primary);
  await insertTenant(before, { name: "before" });
  await eventually(() => showsItself(replica, 1), "the first tenant");
  await insertTenant(before, { name: "after" });
  await eventually(() => showsItself(replica, 2), "the second tenant");
  await before.close();
  await primary.kill();
  await replica.kill("SIGTERM");
  await replica.start([]);
  const promoted = await opened(replica);
  const rows = await promoted.read.select({ name: tenants.name }).from(tenants);
  await promoted.close();
  expect(rows.map(({ name }) => name)).toEqual(["before", "after"]);
});
