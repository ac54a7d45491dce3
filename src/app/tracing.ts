/**
 * Builds traces: follows each call from its start, and sends its trace after the call is settled.
 * Without a collector nothing is stored.
 */

import type { CallIdentity } from "../call/call-identity.ts";
import type { EndOfCall, LiveCall } from "../call/live/live-call.ts";
import { BoundedMap } from "../core/bounded-map.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import type { ToolRunner } from "../features/tool/ports.ts";
import { type TracedTool, traceOfCall } from "../ops/tracing/call-spans.ts";
import { createTraceExporter } from "../ops/tracing/exporter.ts";
import type { AppSettings } from "./settings.ts";

export interface Tracing {
  callChanged(call: LiveCall): void;
  callEnded(call: CallIdentity, end: EndOfCall): void;
  /** The same tools. Each run is recorded for its call. */
  watched(tools: ToolRunner): ToolRunner;
  stop(): Promise<void>;
}

/**
 * Limit for calls that never settle because the store was unreachable. The oldest are dropped
 * first.
 */
const FOLLOWED_MAX = 10_000;
const TOOLS_MAX = 200;

interface Followed {
  readonly beganMs: number;
  ringingMs: number | null;
  answeredMs: number | null;
  endedMs: number | null;
  sipCallId: string | null;
  readonly tools: TracedTool[];
}

export function startTracing(
  settings: AppSettings,
  node: string,
  deps: { readonly clock: Clock; readonly random: Random; readonly log: Log },
): Tracing | null {
  const { traces } = settings;
  if (!traces) return null;
  const exporter = createTraceExporter(
    {
      ...traces,
      caPem: settings.httpClient.caPem,
      version: settings.version,
      resource: {
        "service.name": "linevoice",
        "service.version": settings.version,
        "service.instance.id": node,
      },
    },
    deps,
  );
  return follow(exporter, deps.clock);
}

/** Submits each call's trace when it is settled. */
function follow(exporter: ReturnType<typeof createTraceExporter>, clock: Clock): Tracing {
  const calls = new BoundedMap<string, Followed>(FOLLOWED_MAX);

  function followed(callUuid: string): Followed {
    const known = calls.get(callUuid);
    if (known) return known;
    const begun: Followed = {
      beganMs: clock.now(),
      ringingMs: null,
      answeredMs: null,
      endedMs: null,
      sipCallId: null,
      tools: [],
    };
    calls.set(callUuid, begun);
    return begun;
  }

  return {
    callChanged(call) {
      const known = calls.has(call.identity.callUuid);
      const times = followed(call.identity.callUuid);
      times.sipCallId = call.leg?.sipCallId ?? times.sipCallId;
      const { state } = call;
      if (state.name === "ringing" && known) times.ringingMs ??= clock.now();
      if (state.name === "in_progress") times.answeredMs ??= state.answeredAtMs;
      if (state.name === "ended") times.endedMs ??= clock.now();
    },
    callEnded({ callUuid, direction, tenantId, agentId }, { ending, report }) {
      const times = followed(callUuid);
      calls.delete(callUuid);
      const settledMs = clock.now();
      exporter.submit(
        traceOfCall({
          callUuid,
          direction,
          tenantId,
          agentId,
          settledMs,
          ...times,
          endedMs: times.endedMs ?? settledMs,
          status: ending.status,
          reason: ending.reason,
          sipCode: ending.sipCode,
          fault: ending.fault,
          turns: report?.turns ?? [],
          media: report?.media ?? null,
        }),
      );
    },
    watched: (tools) => noting(tools, (callUuid) => calls.get(callUuid)?.tools ?? null, clock),
    stop: () => exporter.stop(),
  };
}

/** The same tools. Each run is added to the list of its call, if there is one. */
function noting(
  tools: ToolRunner,
  listOf: (callUuid: string) => TracedTool[] | null,
  clock: Clock,
): ToolRunner {
  return {
    trial: (tenantId, toolId, trial) => tools.trial(tenantId, toolId, trial),
    async run(tenantId, call) {
      const startMs = clock.now();
      const result = await tools.run(tenantId, call);
      const noted = listOf(call.callUuid);
      if (noted && noted.length < TOOLS_MAX)
        noted.push({
          tool: call.tool,
          ok: result.ok,
          httpStatus: result.httpStatus,
          startMs,
          endMs: clock.now(),
        });
      return result;
    },
  };
}
