/** Traces to a collector on a real socket: their format, and a failing collector. */
import { afterEach, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import type { Log } from "../../src/core/log.ts";
import { silentLog } from "../../src/core/log.ts";
import { systemRandom } from "../../src/core/random.ts";
import { createTraceExporter, type TraceExporter } from "../../src/ops/tracing/exporter.ts";
import type { Trace } from "../../src/ops/tracing/span.ts";
import { eventually } from "../support/eventually.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type OtlpCollector, startOtlpCollector, valuesOf } from "../support/net/otlp-collector.ts";

const HOST = "127.0.8.91";
let collector: OtlpCollector | null = null;
let exporter: TraceExporter | null = null;

afterEach(async () => {
  await exporter?.stop();
  collector?.close();
});

function logOf(lines: string[]): Log {
  const note = (event: string) => void lines.push(event);
  return { ...silentLog, info: note, warn: note, error: note };
}

function start({ url, clock = systemClock, log = silentLog }: Partial<Parts> & { url: string }) {
  exporter = createTraceExporter(
    {
      url,
      headers: { "x-tenant": "voice" },
      caPem: null,
      version: "1.2.3",
      resource: { "service.name": "linevoice", "service.instance.id": "node-1" },
    },
    { clock, random: systemRandom, log },
  );
  return exporter;
}
interface Parts {
  readonly clock: typeof systemClock;
  readonly log: Log;
}

const trace = (number: number): Trace => ({
  traceId: number.toString(16).padStart(32, "0"),
  spans: [
    {
      name: "call inbound",
      kind: "server",
      startMs: 1_795_000_000_000.25,
      error: "engine",
      endMs: 1_795_000_010_000,
      parent: null,
      attributes: { text: "ä", whole: 5, part: 4.25, yes: true, none: null },
    },
    {
      name: "setup",
      kind: "internal",
      startMs: 1_795_000_000_000,
      error: null,
      endMs: 1_795_000_001_000,
      parent: 0,
      attributes: {},
    },
  ],
});

test("a trace arrives in OTLP format, children under their parents", async () => {
  collector = startOtlpCollector(HOST);
  start({ url: collector.url }).submit(trace(1));
  await eventually(() => collector?.spans.length === 2, "the trace");
  const [root, setup] = collector.spans;
  expect(collector.faults).toEqual([]);
  expect(setup?.parentSpanId).toBe(root?.spanId ?? "");
  expect(root).toMatchObject({
    kind: 2,
    startTimeUnixNano: "1795000000000250000",
    status: { code: 2 },
  });
  expect(valuesOf(root?.attributes ?? [])).toEqual({
    text: "ä",
    whole: "5",
    part: 4.25,
    yes: true,
  });
  expect(collector.resources[0]).toMatchObject({ "service.name": "linevoice" });
  expect(collector.headers[0]?.get("x-tenant")).toBe("voice");
});

test("with a failing collector memory does not grow, one error is logged, and later traces arrive", async () => {
  collector = startOtlpCollector(HOST);
  collector.answer = 503;
  const lines: string[] = [];
  const sick = start({ url: collector.url, log: logOf(lines) });
  for (let number = 1; number <= 1_000; number++) sick.submit(trace(number));
  // 500 wait, plus the batch in progress.
  expect(sick.lost).toBeGreaterThanOrEqual(1_000 - 525);
  expect(lines).toEqual(["traces.dropped"]);
  await eventually(() => collector?.headers.length === 1, "the first request");
  collector.answer = 200;
  await eventually(() => (collector?.spans.length ?? 0) >= 2 * 500, "what waited");
  expect(lines).toEqual(["traces.dropped", "traces.resumed"]);
});

test("a collector that never answers times out, and stopping waits at most two seconds", async () => {
  collector = startOtlpCollector(HOST);
  collector.answer = "silence";
  const clock = fakeClock(1_795_000_000_000);
  const silent = start({ url: collector.url, clock });
  silent.submit(trace(1));
  await eventually(() => collector?.headers.length === 1, "the request");
  const stopped = silent.stop();
  await clock.advance(2_000);
  await stopped;
  expect(silent.lost).toBe(1);
  silent.submit(trace(2));
  expect(collector.headers).toHaveLength(1);
});

test("traces refused by a collector are not repeated; an unreachable collector throws nothing", async () => {
  collector = startOtlpCollector(HOST);
  collector.answer = 400;
  const refused = start({ url: collector.url });
  refused.submit(trace(1));
  await eventually(() => refused.lost === 1, "the refusal");
  expect(collector.headers).toHaveLength(1);
  await refused.stop();
  const clock = fakeClock(1_795_000_000_000);
  const nobody = start({ url: `http://${HOST}:1/v1/traces`, clock });
  nobody.submit(trace(2));
  await eventually(async () => {
    await clock.advance(60_000);
    return nobody.lost === 1;
  }, "the giving up");
});
