/**
 * The appliance's Prometheus metrics. Counters and histograms are updated by events; gauges are read on each
 * scrape. No label contains a number, a name or a tenant, so the number of series is bounded. Every series
 * has the label `node` to distinguish nodes with a shared store.
 *
 * Names and units follow Prometheus' rules: base units (seconds), `_total` for counters.
 */
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";
import type { Clock, Timer } from "../../core/clock.ts";
import type { Descriptors } from "../descriptor-watch.ts";
import { uncaughtErrors } from "../uncaught-errors.ts";

interface EndedCall {
  readonly direction: "inbound" | "outbound";
  readonly reason: string;
  /** From the INVITE to the answer, ms; null: never answered. */
  readonly setupMs: number | null;
  readonly answeredMs: number;
  /** Turn latencies, ms. */
  readonly turnLatenciesMs: readonly number[];
  /** Duration of each step of those turns, ms: endpointing, stt, llm, tts, playout. */
  readonly stages: readonly { readonly stage: string; readonly ms: number }[];
  /** Engine usage by unit, and its discarded part. */
  readonly engineWork: readonly {
    readonly unit: "tokens" | "characters" | "speech_seconds";
    readonly used: number;
    readonly discarded: number;
  }[];
  /** null: the call had no media. */
  readonly media: {
    readonly packetsReceived: number;
    readonly packetsLost: number;
    readonly jitterMs: number;
    readonly packetsSent?: number;
    /** Missing or null: the provider sent no receiver reports. */
    readonly reported?: { readonly packetsLost: number; readonly jitterMs: number } | null;
    readonly roundTripMs?: number | null;
    readonly mos: number;
  } | null;
}

/** Read on each scrape. A source that throws omits its gauge and counts as an error. */
export interface MetricSources {
  liveCalls(): number;
  /** Maximum number of calls for the port range. */
  callCapacity(): number;
  /** True if too many callers speak for the embedded engine. */
  tooManyTalk(): boolean;
  /** Utterances that waited for a free decoder of the embedded engine, and dropped ones. */
  speechLoad(): Readonly<Record<"waited" | "lost", number>>;
  /** Number of trunks per registration state. */
  registrations(): Readonly<Record<string, number>>;
  /** Rows waiting, by queue. */
  queues(): Promise<Readonly<Record<string, number>>>;
  /** Sum of debits minus sum of credits, micro-euro: 0 unless the ledger is inconsistent. */
  ledgerDifference(): Promise<number>;
  diskFreeBytes(): number;
  /** Milliseconds by which the wall clock is ahead of the expected time; 0: it is trusted. */
  clockAheadMs(): number;
  readonly descriptors: Descriptors;
  /** 1: ready, 0: not ready. */
  ready(): Promise<boolean>;
}

const LATENCY_BUCKETS_SECONDS = [0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5, 10];
const STAGE_BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2, 3, 5];
const SETUP_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 35];
const ANSWERED_BUCKETS_SECONDS = [15, 30, 60, 120, 300, 600, 1800, 3600];
const JITTER_BUCKETS_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
const LOSS_BUCKETS_RATIO = [0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3];
const ROUND_TRIP_BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.5];
const MOS_BUCKETS = [1.5, 2, 2.5, 3, 3.5, 4, 4.3, 4.5];
const LAG_POLL_MS = 500;
const LAG_BUCKETS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

export interface Metrics {
  callEnded(call: EndedCall): void;
  webhookAttempted(delivered: boolean): void;
  toolCalled(ok: boolean, durationMs: number): void;
  /** The Prometheus text format, version 0.0.4. */
  text(): Promise<string>;
  readonly contentType: string;
  stop(): void;
}

interface MeasuredNode {
  /** Node name as in `linevoice nodes`. */
  readonly node: string;
  readonly version: string;
  readonly engine: string;
}

export function createMetrics(sources: MetricSources, about: MeasuredNode, clock: Clock): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ node: about.node });
  const calls = callFigures(registry);
  const media = mediaFigures(registry);
  const { deliveries, tools, lag } = processFigures(registry);
  registerReadOnScrape(registry, sources, about, clock);
  const lagTimer = watchLag(lag, clock);
  return {
    callEnded(call) {
      const { direction, reason, setupMs, answeredMs } = call;
      calls.ended.inc({ direction, reason });
      if (setupMs !== null) calls.setup.observe({ direction }, setupMs / 1000);
      if (answeredMs > 0) calls.answered.observe(answeredMs / 1000);
      for (const latencyMs of call.turnLatenciesMs) calls.turns.observe(latencyMs / 1000);
      for (const { stage, ms } of call.stages) calls.stageTimes.observe({ stage }, ms / 1000);
      for (const { unit, used, discarded } of call.engineWork) {
        calls.engineWork.inc({ unit }, used);
        calls.discardedWork.inc({ unit }, discarded);
      }
      const measured = call.media;
      if (!measured || measured.packetsReceived === 0) return;
      media.jitter.observe(measured.jitterMs / 1000);
      media.loss.observe(measured.packetsLost / (measured.packetsLost + measured.packetsReceived));
      media.mos.observe(measured.mos);
      const { reported, roundTripMs, packetsSent = 0 } = measured;
      if (reported) media.sentJitter.observe(reported.jitterMs / 1000);
      if (reported && packetsSent > 0) media.sentLoss.observe(reported.packetsLost / packetsSent);
      if (typeof roundTripMs === "number") media.roundTrip.observe(roundTripMs / 1000);
    },
    webhookAttempted: (delivered) =>
      deliveries.inc({ outcome: delivered ? "delivered" : "failed" }),
    toolCalled: (ok, durationMs) => tools.observe({ ok: String(ok) }, durationMs / 1000),
    text: () => registry.metrics(),
    contentType: registry.contentType,
    stop: () => lagTimer.cancel(),
  };
}

/** Histograms of one registry. */
const histogramsOf =
  (registry: Registry) =>
  <Label extends string>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: Label[] = [],
  ) =>
    new Histogram({ name, help, buckets: [...buckets], labelNames, registers: [registry] });

/** Metrics of a finished call and its turns. */
function callFigures(registry: Registry) {
  const registers = [registry];
  const histogram = histogramsOf(registry);
  const ended = new Counter({
    name: "linevoice_calls_total",
    help: "Calls that ended.",
    registers,
    labelNames: ["direction", "reason"] as const,
  });
  const setup = histogram(
    "linevoice_call_setup_seconds",
    "Time from INVITE to answer.",
    SETUP_BUCKETS_SECONDS,
    ["direction"],
  );
  const answered = histogram(
    "linevoice_call_talk_seconds",
    "Time from answer to end.",
    ANSWERED_BUCKETS_SECONDS,
  );
  const turns = histogram(
    "linevoice_turn_latency_seconds",
    "Time from the end of the caller's speech to the agent's first audio.",
    LATENCY_BUCKETS_SECONDS,
  );
  const stageTimes = histogram(
    "linevoice_turn_stage_seconds",
    "Duration of each step of an answer.",
    STAGE_BUCKETS_SECONDS,
    ["stage"],
  );
  const engineWork = new Counter({
    name: "linevoice_engine_work_total",
    help: "Work of the engine.",
    registers,
    labelNames: ["unit"] as const,
  });
  const discardedWork = new Counter({
    name: "linevoice_engine_work_discarded_total",
    registers,
    help: "Engine work started at the caller's first silence, discarded because the caller continued to speak.",
    labelNames: ["unit"] as const,
  });
  return { ended, setup, answered, turns, stageTimes, engineWork, discardedWork };
}

/** Media metrics of a call, in both directions. */
function mediaFigures(registry: Registry) {
  const histogram = histogramsOf(registry);
  const jitter = histogram(
    "linevoice_rtp_jitter_seconds",
    "Received RTP jitter per call.",
    JITTER_BUCKETS_SECONDS,
  );
  const loss = histogram(
    "linevoice_rtp_loss_ratio",
    "Share of expected packets lost per call.",
    LOSS_BUCKETS_RATIO,
  );
  const sentJitter = histogram(
    "linevoice_rtp_sent_jitter_seconds",
    "Jitter of our audio at the provider, from its receiver reports.",
    JITTER_BUCKETS_SECONDS,
  );
  const sentLoss = histogram(
    "linevoice_rtp_sent_loss_ratio",
    "Share of our packets lost per call, from the provider's receiver reports.",
    LOSS_BUCKETS_RATIO,
  );
  const roundTrip = histogram(
    "linevoice_rtp_round_trip_seconds",
    "Network delay to the provider and back.",
    ROUND_TRIP_BUCKETS_SECONDS,
  );
  const mos = histogram(
    "linevoice_rtp_mos",
    "Estimated quality of a call in its worse direction.",
    MOS_BUCKETS,
  );
  return { jitter, loss, sentJitter, sentLoss, roundTrip, mos };
}

/** Metrics of deliveries, tools and the main thread. */
function processFigures(registry: Registry) {
  const registers = [registry];
  const histogram = histogramsOf(registry);
  const deliveries = new Counter({
    name: "linevoice_webhook_attempts_total",
    help: "By outcome.",
    registers,
    labelNames: ["outcome"] as const,
  });
  const tools = histogram("linevoice_tool_call_seconds", "Tool calls.", LATENCY_BUCKETS_SECONDS, [
    "ok",
  ]);
  const lag = histogram(
    "linevoice_event_loop_lag_seconds",
    "Delay of the main thread's timers.",
    LAG_BUCKETS_SECONDS,
  );
  return { deliveries, tools, lag };
}

function watchLag(lag: Histogram, clock: Clock): Timer {
  let expectedAt = clock.monotonic() + LAG_POLL_MS;
  return clock.every(LAG_POLL_MS, () => {
    const now = clock.monotonic();
    lag.observe(Math.max(0, now - expectedAt) / 1000);
    expectedAt = now + LAG_POLL_MS;
  });
}

/** Values by label. */
type LabelledReader = () =>
  | Readonly<Record<string, number>>
  | Promise<Readonly<Record<string, number>>>;

/** Gauges of one registry that are read on each scrape. */
function gaugesOnScrape(registry: Registry) {
  const registers = [registry];
  const failures = new Counter({
    name: "linevoice_metric_read_errors_total",
    registers,
    help: "Metrics that could not be read when they were requested.",
  });
  async function reportErrors(gauge: { reset(): void }, read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch {
      gauge.reset();
      failures.inc();
    }
  }

  const gauge = (
    name: string,
    help: string,
    read: () => number | Promise<number>,
    labels: Readonly<Record<string, string>> = {},
  ) =>
    new Gauge({
      name,
      help,
      registers,
      labelNames: Object.keys(labels),
      async collect() {
        await reportErrors(this, async () => this.set(labels, await read()));
      },
    });
  const readInto = (
    metric: { reset(): void },
    read: LabelledReader,
    put: (key: string, value: number) => void,
  ) =>
    reportErrors(metric, async () => {
      const values = Object.entries(await read());
      metric.reset();
      for (const [key, value] of values) put(key, value);
    });
  const gaugeOf = (name: string, help: string, label: string, read: LabelledReader) =>
    new Gauge({
      name,
      help,
      registers,
      labelNames: [label],
      collect() {
        return readInto(this, read, (key, value) => this.set({ [label]: key }, value));
      },
    });
  return { gauge, gaugeOf, readInto };
}

/** The same for counters that other code maintains since the start. */
function countersOnScrape(
  registry: Registry,
  { readInto }: Pick<ReturnType<typeof gaugesOnScrape>, "readInto">,
) {
  const registers = [registry];
  const counterOf = (name: string, help: string, label: string, read: LabelledReader) =>
    new Counter({
      name,
      help,
      registers,
      labelNames: [label],
      collect() {
        return readInto(this, read, (key, value) => this.inc({ [label]: key }, value));
      },
    });
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  return { counter, counterOf };
}

function registerReadOnScrape(
  registry: Registry,
  sources: MetricSources,
  about: MeasuredNode,
  clock: Clock,
): void {
  const gauges = gaugesOnScrape(registry);
  const figures = { ...gauges, ...countersOnScrape(registry, gauges) };
  registerProcessFigures(figures, sources, clock);
  const { gauge, gaugeOf, counterOf } = figures;
  gauge("linevoice_info", "Version and engine.", () => 1, {
    version: about.version,
    engine: about.engine,
  });
  gauge("linevoice_calls_live", "Calls under way.", sources.liveCalls);
  gauge(
    "linevoice_calls_capacity",
    "Number of calls for which there are enough RTP ports.",
    sources.callCapacity,
  );
  gauge(
    "linevoice_speech_overloaded",
    "1 while more callers speak than the embedded engine can transcribe. New callers then hear that all lines are busy.",
    () => (sources.tooManyTalk() ? 1 : 0),
  );
  gauge("linevoice_ready", "1 if calls are possible.", async () =>
    (await sources.ready()) ? 1 : 0,
  );
  counterOf(
    "linevoice_speech_waits_total",
    "Utterances transcribed more than 1 s after their end (waited), and utterances dropped after 8 s (lost).",
    "outcome",
    sources.speechLoad,
  );
  gaugeOf("linevoice_registrations", "Trunks by state.", "state", sources.registrations);
  gaugeOf("linevoice_queue_depth", "Waiting rows per queue.", "queue", sources.queues);
  gauge(
    "linevoice_ledger_difference_microeur",
    "Debits minus credits: 0.",
    sources.ledgerDifference,
  );
  gauge(
    "linevoice_disk_free_bytes",
    "Free disk space of the data directory.",
    sources.diskFreeBytes,
  );
  gauge(
    "linevoice_clock_ahead_seconds",
    "Difference between the wall clock and the expected time, negative if behind. 0: less than a day.",
    () => sources.clockAheadMs() / 1000,
  );
}

function registerProcessFigures(
  {
    gauge,
    counter,
    counterOf,
  }: ReturnType<typeof gaugesOnScrape> & ReturnType<typeof countersOnScrape>,
  { descriptors }: MetricSources,
  clock: Clock,
): void {
  counterOf(
    "linevoice_uncaught_errors_total",
    "Uncaught errors on the main thread, by kind. In the log: process.uncaught_error.",
    "kind",
    uncaughtErrors,
  );
  gauge("process_open_fds", "Open file descriptors.", descriptors.open);
  gauge("process_max_fds", "Limit of open file descriptors.", descriptors.limit);
  gauge("process_resident_memory_bytes", "Memory in use.", () => process.memoryUsage.rss());
  counter("process_cpu_seconds_total", "User and system.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  const startedAtSeconds = clock.now() / 1000;
  gauge("process_start_time_seconds", "Since the epoch.", () => startedAtSeconds);
}
