/** A call in monitoring and traces, over HTTP; and a healthy appliance feeds its watchdog. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { hostname } from "node:os";
import { callFailed, callStarted } from "../../src/features/webhook/catalogue.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { eventually } from "../support/eventually.ts";
import { withoutNode } from "../support/metric-text.ts";
import { answer, httpsReceiver } from "../support/net/https-receiver.ts";
import { type OtlpCollector, startOtlpCollector, valuesOf } from "../support/net/otlp-collector.ts";
import { type TestCa, testCa } from "../support/net/test-ca.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOST = "127.0.8.81";
const CALLER = "+37061000091";

const UUID = /^[0-9a-f-]{36}$/;

let world: Appliance;
let receiver: { readonly url: string; readonly paths: string[]; close(): Promise<void> };
let collector: OtlpCollector;

beforeAll(async () => {
  collector = startOtlpCollector(HOST);
  const ca = testCa(tempDir());
  receiver = await startReceiver(ca);
  world = await startAppliance({
    dataDir: tempDir(),
    host: HOST,
    settings: (settings) => ({
      ...settings,
      metricsListen: { host: HOST, port: 0 },
      traces: { url: collector.url, headers: {} },
      httpClient: { ...settings.httpClient, caPem: ca.caPem },
    }),
  });
}, 60_000);

afterAll(async () => {
  await world.close();
  collector.close();
  await receiver.close();
});

/** Answers 200, and 500 at /ill. */
async function startReceiver(ca: TestCa) {
  const paths: string[] = [];
  const server = await httpsReceiver(
    ca.issue([`IP:${HOST}`]),
    (request, response) => {
      paths.push(request.path);
      answer(request.path === "/ill" ? 500 : 200)(request, response);
    },
    HOST,
  );
  return { url: `https://${HOST}:${server.port}`, paths, close: server.close };
}

const address = () => world.app.metricsAddress;
const look = (path = "/metrics") => fetch(`http://${address()?.host}:${address()?.port}${path}`);

/** Value of one line, which also has the node's label; null: there is no such line. */
async function figure(line: string): Promise<number | null> {
  const labelled = await (await look()).text();
  const series = labelled.split("\n").filter((row) => row !== "" && !row.startsWith("#"));
  const own = `node="${hostname()}"`;
  expect(series.filter((row) => !row.includes(own))).toEqual([]);
  const text = withoutNode(labelled);
  const found = text.split("\n").find((row) => row.startsWith(`${line} `));
  return found === undefined ? null : Number(found.slice(line.length + 1));
}

test("a call is shown while it is live and counted by direction and reason when it ended", async () => {
  expect(await figure('linevoice_registrations{state="registered"}')).toBe(1);
  expect(await figure("linevoice_ready")).toBe(1);
  const caller = await world.phone(CALLER);
  const call = await caller.call(OWN_NUMBER);
  await call.answered;
  expect(await figure("linevoice_calls_live")).toBe(1);
  call.hangUp();
  const ended = 'linevoice_calls_total{direction="inbound",reason="caller_hangup"}';
  await eventually(async () => (await figure(ended)) === 1, "the call's end");
  await eventually(async () => (await figure("linevoice_calls_live")) === 0, "no live call");
  expect(await figure('linevoice_call_setup_seconds_count{direction="inbound"}')).toBe(1);
  expect(await figure("linevoice_call_talk_seconds_count")).toBe(1);
  expect(await figure("linevoice_ledger_difference_microeur")).toBe(0);
  expect(await figure('linevoice_queue_depth{queue="schedules"}')).toBe(0);
  expect(await figure("linevoice_metric_read_errors_total")).toBe(0);
});

test("the same call is one trace, under its UUID, from set-up to hang-up", async () => {
  await eventually(() => collector.spans.length > 0, "the trace");
  expect(collector.faults).toEqual([]);
  const { spans } = collector;
  const root = spans.find((span) => span.parentSpanId === undefined);
  const about = valuesOf(root?.attributes ?? []);
  expect(about).toMatchObject({
    "linevoice.ended_reason": "caller_hangup",
    "linevoice.direction": "inbound",
    "sip.call_id": expect.any(String),
  });
  expect(about["linevoice.call_uuid"]).toMatch(UUID);
  expect(spans.every(({ traceId }) => traceId === root?.traceId)).toBe(true);
  const names = spans.map(({ name }) => name);
  for (const name of ["call inbound", "setup", "hang-up"]) expect(names).toContain(name);
  for (const secret of [CALLER, OWN_NUMBER, "Dental clinic", "Good afternoon"])
    expect(JSON.stringify(spans)).not.toContain(secret);
});

test("every delivery attempt of a webhook is counted by its outcome, including retries", async () => {
  for (const [path, type] of [
    ["/ok", "call.started"],
    ["/ill", "call.failed"],
  ] as const)
    await world.api("POST", "/webhooks", { url: `${receiver.url}${path}`, events: [type] });
  const call = {
    callUuid: crypto.randomUUID(),
    direction: "inbound" as const,
    agentId: null,
    fromNumber: CALLER,
    toNumber: OWN_NUMBER,
  };
  await world.app.database.tx(async (queries) => {
    const { events } = world.app;
    await events.emit(queries, world.tenantId, callStarted(call, "ringing"));
    const ending = { status: "failed", reason: "sip_error", sipCode: 500 };
    await events.emit(queries, world.tenantId, callFailed(call, ending));
  });
  world.app.events.wake();
  const attempts = (outcome: string) =>
    figure(`linevoice_webhook_attempts_total{outcome="${outcome}"}`);
  await eventually(async () => (await attempts("failed")) === 2, "the retry after 5 s", 30_000);
  expect(await attempts("delivered")).toBe(1);
  expect(receiver.paths.sort()).toEqual(["/ill", "/ill", "/ok"]);
}, 40_000);

test("exported metrics and traces name no person, number or tenant", async () => {
  const text = await (await look()).text();
  for (const secret of [CALLER, OWN_NUMBER, "Dental clinic", "desk@example.com"])
    expect(text).not.toContain(secret);
});

test("other paths and methods are refused", async () => {
  expect((await look("/")).status).toBe(404);
  const posted = await fetch(`http://${address()?.host}:${address()?.port}/metrics`, {
    method: "POST",
  });
  expect(posted.status).toBe(405);
  expect(posted.headers.get("allow")).toBe("GET, HEAD");
});

test("a healthy appliance has nothing stuck: workers answer, SIP receives, the database reads", async () => {
  expect(await world.app.health.stuck()).toEqual([]);
});
