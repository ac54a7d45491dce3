/**
 * Sends traces to an OpenTelemetry collector (OTLP/HTTP, JSON). Submitting never blocks: traces wait in a
 * bounded queue, one request is sent at a time, and every wait has a timeout. With a slow or unreachable
 * collector, traces are lost and counted, and each outage is logged once.
 *
 * This is our own code, because @opentelemetry/sdk-trace-base with its OTLP exporter needs 16 MB of memory, 3
 * MB of the binary and 60 ms at start.
 */
import { BoundedQueue } from "../../core/bounded-queue.ts";
import { type Clock, sleep } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import { trusting } from "../../platform/net/trust.ts";
import { type Attributes, otlpTraces } from "./otlp.ts";
import type { Trace } from "./span.ts";

interface ExporterSettings {
  /** The whole URL, e.g. `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Trusted in addition to the built-in authorities; null: only those. */
  readonly caPem: string | null;
  readonly resource: Attributes;
  readonly version: string;
}

export interface TraceExporter {
  /** Never throws and never waits. */
  submit(trace: Trace): void;
  /** Traces lost since the start. */
  readonly lost: number;
  /** Sends the waiting traces, for at most two seconds. Idempotent. */
  stop(): Promise<void>;
}

const QUEUE_MAX = 500;
/** About 20 kB each. */
const BATCH_MAX = 25;
const TIMEOUT_MS = 10_000;
const ATTEMPTS_MAX = 4;
const RETRY_MS = 1_000;
const RETRY_AFTER_SECONDS_MAX = 60;
const FLUSH_MS = 2_000;
/** OTLP 1.x: status codes after which a request may be retried. */
const PASSING = new Set([429, 502, 503, 504]);

type Outcome =
  | { readonly kind: "taken" }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "later"; readonly why: string; readonly afterMs: number | null };

export function createTraceExporter(
  settings: ExporterSettings,
  deps: { readonly clock: Clock; readonly random: Random; readonly log: Log },
): TraceExporter {
  const { clock, random, log } = deps;
  const queue = new BoundedQueue<Trace>(QUEUE_MAX);
  const given = new AbortController();
  const deliver = delivererTo(settings, given.signal, { clock, random });
  let working: Promise<void> | null = null;
  let stopping: Promise<void> | null = null;
  const losses = createLosses(settings.url, log);

  async function send(traces: readonly Trace[]): Promise<void> {
    const { resource, version: scopeVersion } = settings;
    const body = JSON.stringify(otlpTraces(traces, { resource, scopeVersion }, random));
    const why = await deliver(body);
    if (why === null) losses.end();
    else losses.add(traces.length, why);
  }

  async function work(): Promise<void> {
    while (queue.size > 0) await send(takeBatch(queue));
  }

  function wake(): void {
    working ??= work()
      .catch((error) => log.error("traces.failed", { error: describeError(error) }))
      .finally(() => {
        working = null;
      });
  }

  async function flushRemaining(): Promise<void> {
    const limit = clock.after(FLUSH_MS, () => given.abort(new Error("stopped")));
    while (working !== null) await working;
    limit.cancel();
    given.abort(new Error("stopped"));
  }

  return {
    submit(trace) {
      if (given.signal.aborted || stopping) return;
      if (!queue.push(trace)) return losses.add(1, "the queue is full");
      wake();
    },
    get lost() {
      return losses.count;
    },
    stop() {
      stopping ??= flushRemaining();
      return stopping;
    },
  };
}

function takeBatch(queue: BoundedQueue<Trace>): Trace[] {
  const batch: Trace[] = [];
  for (let trace = queue.shift(); trace; trace = queue.shift()) {
    batch.push(trace);
    if (batch.length === BATCH_MAX) break;
  }
  return batch;
}

/** Counts lost traces; logs the begin and end of each outage. */
function createLosses(url: string, log: Log) {
  let count = 0;
  let isOut = false;
  return {
    get count() {
      return count;
    },
    add(traces: number, why: string): void {
      count += traces;
      if (isOut) return;
      isOut = true;
      log.warn("traces.dropped", { why, url, lost: count });
    },
    end(): void {
      if (isOut) log.info("traces.resumed", { lost: count });
      isOut = false;
    },
  };
}

/** Posts a body until the collector accepts it; returns the final error, or null. */
function delivererTo(
  settings: ExporterSettings,
  stopped: AbortSignal,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
) {
  const post = posterTo(settings, stopped, clock);
  return async (body: string): Promise<string | null> => {
    for (let attempt = 1; ; attempt++) {
      const outcome = await post(body);
      if (outcome.kind === "taken") return null;
      if (outcome.kind === "refused" || attempt === ATTEMPTS_MAX || stopped.aborted)
        return outcome.why;
      const delayMs = outcome.afterMs ?? RETRY_MS * 2 ** attempt * (0.5 + random.float());
      await sleep(clock, delayMs, stopped).catch(() => {});
    }
  };
}

/** Posts a body once and returns the collector's result. */
function posterTo(settings: ExporterSettings, stopped: AbortSignal, clock: Clock) {
  const trust = trusting(settings.caPem);
  return async (body: string): Promise<Outcome> => {
    const limit = new AbortController();
    const timer = clock.after(TIMEOUT_MS, () => limit.abort(new Error("no answer within 10 s")));
    try {
      const response = await fetch(settings.url, {
        method: "POST",
        headers: { ...settings.headers, "content-type": "application/json" },
        body,
        redirect: "manual",
        signal: AbortSignal.any([limit.signal, stopped]),
        ...trust,
      });
      await response.body?.cancel();
      return outcomeOf(response);
    } catch (error) {
      return { kind: "later", why: describeError(error), afterMs: null };
    } finally {
      timer.cancel();
    }
  };
}

function outcomeOf({ status, headers }: Response): Outcome {
  if (status >= 200 && status < 300) return { kind: "taken" };
  const why = `the collector answered ${status}`;
  if (!PASSING.has(status)) return { kind: "refused", why };
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const afterMs = seconds >= 0 ? Math.min(seconds, RETRY_AFTER_SECONDS_MAX) * 1000 : null;
  return { kind: "later", why, afterMs };
}
