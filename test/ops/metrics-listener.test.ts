import { expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { startMetricsListener } from "../../src/ops/metrics/listener.ts";
import { createMetrics, type MetricSources } from "../../src/ops/metrics/metrics.ts";
import { withoutNode } from "../support/metric-text.ts";

const HOST = "127.0.8.82";

const sources: MetricSources = {
  liveCalls: () => 3,
  callCapacity: () => 100,
  tooManyTalk: () => true,
  speechLoad: () => ({ waited: 2, lost: 1 }),
  registrations: () => ({ registered: 2, failed: 1 }),
  queues: async () => ({ webhooks: 7 }),
  ledgerDifference: async () => 0,
  diskFreeBytes: () => 1000,
  clockAheadMs: () => 0,
  descriptors: { open: () => 30, limit: () => 1024 },
  ready: async () => true,
};
const about = { node: "a", version: "1.2.3", engine: "embedded" };

test("a taken address is a warning that says how to fix it, never an error", async () => {
  const metrics = createMetrics(sources, about, systemClock);
  const first = startMetricsListener({ host: HOST, port: 0 }, metrics, silentLog);
  const port = first.address?.port ?? 0;
  const second = startMetricsListener({ host: HOST, port }, metrics, silentLog);
  expect(second.address).toBeNull();
  expect(second.warning()).toContain("[server] metrics_listen");
  await Promise.all([first.stop(), second.stop()]);
  metrics.stop();
});

test("a figure that cannot be read is left out and counted; the others are present", async () => {
  const broken: MetricSources = {
    ...sources,
    queues: async () => {
      throw new Error("the store is away");
    },
  };
  const metrics = createMetrics(broken, about, systemClock);
  const text = withoutNode(await metrics.text());
  metrics.stop();
  expect(text).not.toContain("linevoice_queue_depth{");
  expect(text).toContain("linevoice_calls_live 3");
  expect(text).toContain('linevoice_registrations{state="failed"} 1');
});

test("the line of an unused trunk state disappears", async () => {
  let states: Record<string, number> = { failed: 1 };
  const metrics = createMetrics({ ...sources, registrations: () => states }, about, systemClock);
  expect(withoutNode(await metrics.text())).toContain('linevoice_registrations{state="failed"} 1');
  states = { registered: 1 };
  expect(withoutNode(await metrics.text())).not.toContain('state="failed"');
  metrics.stop();
});

test("metrics named total are counters, and every counter is named total", async () => {
  const metrics = createMetrics(sources, about, systemClock);
  const types = [...(await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  metrics.stop();
  expect(types.length).toBeGreaterThan(20);
  const wrong = types.filter(([, name, type]) => name?.endsWith("_total") !== (type === "counter"));
  expect(wrong.map(([line]) => line)).toEqual([]);
});

test("figures are in base units: seconds, ratios", async () => {
  const metrics = createMetrics(sources, about, systemClock);
  metrics.callEnded({
    direction: "outbound",
    reason: "agent_hangup",
    setupMs: 1500,
    answeredMs: 61_000,
    turnLatenciesMs: [400],
    stages: [{ stage: "llm", ms: 120 }],
    engineWork: [{ unit: "tokens", used: 400, discarded: 60 }],
    media: { packetsReceived: 99, packetsLost: 1, jitterMs: 4, mos: 4.2 },
  });
  const text = withoutNode(await metrics.text());
  metrics.stop();
  expect(text).toContain('linevoice_call_setup_seconds_sum{direction="outbound"} 1.5');
  expect(text).toContain("linevoice_call_talk_seconds_sum 61");
  expect(text).toContain("linevoice_turn_latency_seconds_sum 0.4");
  expect(text).toContain('linevoice_turn_stage_seconds_sum{stage="llm"} 0.12');
  expect(text).toContain('linevoice_engine_work_total{unit="tokens"} 400');
  expect(text).toContain('linevoice_engine_work_discarded_total{unit="tokens"} 60');
  expect(text).toContain("linevoice_rtp_loss_ratio_sum 0.01");
  expect(text).toContain("linevoice_rtp_jitter_seconds_sum 0.004");
});
