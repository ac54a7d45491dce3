/**
 * Builds monitoring: counts events as they happen, and reads other figures when Prometheus requests
 * them.
 */

import type { CallIdentity } from "../call/call-identity.ts";
import type { EndOfCall } from "../call/live/live-call.ts";
import { stagesOf } from "../call/timeline.ts";
import type { DiscardedWork, EngineUsage, TurnRecord } from "../conversation/call-report.ts";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import type { Log } from "../core/log.ts";
import type { ToolRunner } from "../features/tool/ports.ts";
import { descriptorsOf } from "../ops/descriptor-watch.ts";
import { type MetricsListener, startMetricsListener } from "../ops/metrics/listener.ts";
import { metricStore } from "../ops/metrics/metric-store.ts";
import { createMetrics, type Metrics } from "../ops/metrics/metrics.ts";
import type { AppSettings } from "./settings.ts";

export interface Monitoring {
  callEnded(call: CallIdentity, end: EndOfCall): void;
  webhookAttempted(attempt: { readonly delivered: boolean }): void;
  /** The same tools, with their run time measured. */
  watched(tools: ToolRunner): ToolRunner;
  /** The bound address; null if metrics are off or the address is in use. */
  readonly address: { readonly host: string; readonly port: number } | null;
  /** Problems that the operator should fix, one sentence each. */
  warnings(): readonly string[];
  stop(): Promise<void>;
}

interface MonitoringSources {
  readonly database: Database;
  readonly registrations: () => Readonly<Record<string, number>>;
  readonly liveCalls: () => number;
  readonly callCapacity: () => number;
  readonly speechLoad: () => Readonly<Record<"waited" | "lost", number>>;
  readonly tooManyTalk: () => boolean;
  readonly diskFreeBytes: () => number;
  readonly clockAheadMs: () => number;
  /** Name of this node for the other nodes and the operator. */
  readonly nodeName: string;
  readonly problems: () => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly log: Log;
}

export function startMonitoring(settings: AppSettings, sources: MonitoringSources): Monitoring {
  const { clock, log } = sources;
  const metrics = createMetrics(
    {
      liveCalls: sources.liveCalls,
      callCapacity: sources.callCapacity,
      tooManyTalk: sources.tooManyTalk,
      speechLoad: sources.speechLoad,
      registrations: sources.registrations,
      queues: () => metricStore(sources.database.read).waiting(),
      ledgerDifference: runningSum(sources.database),
      diskFreeBytes: sources.diskFreeBytes,
      clockAheadMs: sources.clockAheadMs,
      descriptors: descriptorsOf(),
      ready: async () => (await sources.problems()).length === 0,
    },
    { node: sources.nodeName, version: settings.version, engine: settings.engineLabel },
    clock,
  );
  const listener: MetricsListener | null = settings.metricsListen
    ? startMetricsListener(settings.metricsListen, metrics, log)
    : null;
  return {
    callEnded: (call, end) => recordCall(metrics, call, end),
    webhookAttempted: ({ delivered }) => metrics.webhookAttempted(delivered),
    watched: (tools) => ({
      trial: (tenantId, toolId, trial) => tools.trial(tenantId, toolId, trial),
      async run(tenantId, call) {
        const result = await tools.run(tenantId, call);
        metrics.toolCalled(result.ok, result.durationMs);
        return result;
      },
    }),
    address: listener?.address ?? null,
    warnings: () => [listener?.warning() ?? null].filter((sentence) => sentence !== null),
    async stop() {
      metrics.stop();
      await listener?.stop();
    },
  };
}

function recordCall(metrics: Metrics, call: CallIdentity, end: EndOfCall): void {
  metrics.callEnded({
    direction: call.direction,
    reason: end.ending.reason,
    setupMs: end.setupMs,
    answeredMs: end.answeredMs,
    turnLatenciesMs: (end.report?.turns ?? []).flatMap(({ latencyMs }) =>
      latencyMs === null ? [] : [latencyMs],
    ),
    stages: (end.report?.turns ?? []).flatMap(stagesTaken),
    engineWork: end.report ? engineWorkOf(end.report.usage) : [],
    media: end.report?.media ?? null,
  });
}

function engineWorkOf(usage: EngineUsage) {
  const { discarded } = usage;
  const tokensOf = (work: DiscardedWork) => work.llmInputTokens + work.llmOutputTokens;
  return [
    { unit: "tokens", used: tokensOf(usage), discarded: tokensOf(discarded) },
    { unit: "characters", used: usage.ttsCharacters, discarded: discarded.ttsCharacters },
    { unit: "speech_seconds", used: usage.sttSeconds, discarded: discarded.sttSeconds },
  ] as const;
}

/** The measured steps of an answer. Other turns have none. */
function stagesTaken(turn: TurnRecord): { stage: string; ms: number }[] {
  const stages = turn.latencyMs === null ? null : stagesOf(turn.measures);
  if (!stages) return [];
  return [
    { stage: "endpointing", ms: stages.endpointingMs },
    { stage: "stt", ms: stages.sttMs },
    { stage: "llm", ms: stages.llmFirstMs },
    { stage: "tts", ms: stages.ttsFirstMs },
    { stage: "playout", ms: stages.playoutMs },
  ].flatMap(({ stage, ms }) => (ms === null ? [] : [{ stage, ms }]));
}

/** The ledger only grows, so each read adds the new rows. Reads run one after another. */
function runningSum(database: Database): () => Promise<number> {
  let known = { sum: 0, lastId: 0 };
  let last: Promise<unknown> = Promise.resolve();
  async function measureLag(): Promise<number> {
    const more = await metricStore(database.read).ledgerSumAfter(known.lastId);
    known = { sum: known.sum + more.sum, lastId: more.lastId };
    return known.sum;
  }
  return () => {
    const looked = last.then(measureLag);
    last = looked.catch(() => {});
    return looked;
  };
}
