/** The API, the store, webhooks, the scheduler, and how costs grow. */
import { measureGrowth } from "../growth/exponents.ts";
import { measureReads, PAGE_AFTER_PAGE } from "../http/reads.ts";
import { measureKnowledge } from "../knowledge/search.ts";
import { FIRST_ONES, measureMillion } from "../million/measure.ts";
import { ms, type Section } from "../report.ts";
import { type Lateness, measureLateness } from "../schedule/lateness.ts";
import { measureDeliveries } from "../webhook/deliveries.ts";
import { measureDeliveryDuringCalls } from "../webhook/during-calls.ts";

const http: Section = {
  name: "http",
  async measure({ full, note }) {
    const reads = [];
    for (const callsStored of full ? [10_000, 1_000_000] : [10_000])
      for (const read of await measureReads({ callsStored, seconds: full ? 10 : 1 })) {
        reads.push({ callsStored, ...read });
        note({
          what: `API read ${read.path.replace(/\d+$/, "N")}, ${callsStored.toLocaleString("en")} calls stored`,
          goal: read.path.endsWith(PAGE_AFTER_PAGE) ? "10,000/s on a core" : "15,000/s on a core",
          value: `${read.requestsPerSecond}/s, p50 ${ms(read.p50Ms)}, p99 ${ms(read.p99Ms)}; ${(read.cpuMicroseconds ?? 0).toFixed(0)} µs of processor time each; ${read.failures} failed`,
          method: `server on one core, ${read.tool} on the other, 32 connections${read.path.includes("…") ? "; every request another page, nothing kept" : ""}`,
        });
      }
    return reads;
  },
};

/** Requests per path. With fewer, p99 would be one or two slow requests. */
const TIMES = 300;

const million: Section = {
  name: "million",
  async measure({ full, note }) {
    const [calls, downloadSeconds] = full ? [1_000_000, 600] : [30_000, 2];
    const result = await measureMillion({ calls, tenants: 2_000, times: TIMES, downloadSeconds });
    const stored = `${calls.toLocaleString("en")} calls and 2,000 tenants stored`;
    for (const [kind, reads] of Object.entries(Object.groupBy(result.reads, (read) => read.kind))) {
      const sorted = (reads ?? []).toSorted((one, other) => other.p99Ms - one.p99Ms);
      const slowest = sorted[0];
      if (!slowest) continue;
      const heldMs = Math.max(...sorted.map((read) => read.heldMs));
      const firstMs = Math.max(...sorted.map((read) => read.firstMs));
      note({
        what: `${kind}, ${stored}`,
        goal: "p99 ≤ 5 ms, thread ≤ 50 ms",
        value: `slowest p50 ${ms(slowest.p50Ms)}, p99 ${ms(slowest.p99Ms)}; thread held for ${ms(heldMs)} at most; the very first ${ms(firstMs)} at most`,
        method: `${sorted.length} paths, ${TIMES} requests each after ${FIRST_ONES} that do not count, one after the other, each another one; slowest: ${slowest.path.split("?")[0]}`,
      });
    }
    for (const each of result.downloads)
      note({
        what: `${each.path.split("/").at(-1)?.split("?")[0]} of calls, ${stored}`,
        goal: "GET /ping p99 ≤ 20 ms meanwhile",
        value: `p99 ${ms(each.pingP99Ms)}, thread held for ${ms(each.heldMs)}; ${Math.round(each.lines / each.seconds).toLocaleString("en")} lines/s, memory + ${each.grewMegabytes.toFixed(0)} MB`,
        method: `${each.lines.toLocaleString("en")} lines read in ${each.seconds.toFixed(0)} s`,
      });
    return result;
  },
};

const webhooks: Section = {
  name: "webhooks",
  async measure({ full, note }) {
    const result = await measureDeliveries({ events: full ? 10_000 : 300 });
    const { endpoints, troubled, perSecond } = result;
    note({
      what: "webhook deliveries",
      value: `${result.deliveriesPerSecond}/s`,
      method: `${result.events} events to ${endpoints} endpoints worked off, ${troubled} of them dead or slow`,
    });
    note({
      what: "burst → healthy endpoint",
      value: `p50 ${ms(result.burstP50Ms)}, p99 ${ms(result.burstP99Ms)}`,
      method: `${result.events} events waiting at once; ${result.burstCpuMsEach} ms of processor each`,
    });
    note({
      what: "event → healthy endpoint",
      value: `p50 ${ms(result.healthyP50Ms)}, p99 ${ms(result.healthyP99Ms)}`,
      method: `${perSecond} events/s, ${troubled} of ${endpoints} endpoints dead or slow; ${result.missing} missing`,
    });
    const duringCalls = await measureDeliveryDuringCalls({
      calls: 100,
      steadyEvents: full ? 10_000 : 2_000,
    });
    if (!duringCalls) return result;
    const { storm, steady, atOnce } = duringCalls;
    for (const [events, how, seen] of [
      [storm.steadyEvents, `${storm.perSecond} a second`, steady],
      [storm.events, "all at once", atOnce],
    ] as const)
      note({
        what: `${events} events during ${seen.callsUp} calls, ${how}`,
        goal: "p99 ≤ 1 s",
        value: `p50 ${ms(seen.p50Ms)}, p99 ${ms(seen.p99Ms)}; ${seen.deliveriesPerSecond}/s; ${seen.threadMsPer1000} ms of the thread for 1,000`,
        method: `whole appliance, healthy ones of ${endpoints} endpoints; load ${seen.loadAverage}, the sending thread had no processor for ${seen.starvedPercent} % of the time; ${seen.missing} missing`,
      });
    return { ...result, duringCalls };
  },
};

const scheduler: Section = {
  name: "scheduler",
  async measure({ full, note }) {
    const crowdOf = full ? 10_000 : 3_000;
    const [singles, capped, cap] = full ? [100, 2_000, 200] : [20, 300, 100];
    const alone = { entries: singles, everyMs: 70, cap: 1000, callMs: 10 };
    const crowd = { entries: crowdOf, everyMs: 0, cap: 20_000, callMs: 10 };
    const limited = { entries: capped, everyMs: 0, cap, callMs: 500 };
    const results = {
      alone: await measureLateness(alone),
      crowd: await measureLateness(crowd),
      capped: await measureLateness(limited),
    };
    const lateness = (of: Lateness) =>
      `p50 ${of.p50Ms} ms, p99 ${of.p99Ms} ms, last ${of.latestMs} ms late; ${of.firedTwice} twice`;
    note({
      what: "schedule, single entries",
      goal: "1 s",
      value: lateness(results.alone),
      method: `${singles} entries, 70 ms apart`,
    });
    note({
      what: `schedule, ${crowdOf.toLocaleString("en")} due at once`,
      value: `${lateness(results.crowd)}; ${results.crowd.perSecond}/s`,
      method: "no cap",
    });
    note({
      what: "schedule, a crowd under a cap",
      value: lateness(results.capped),
      method: `${capped} due at once, ${cap} calls of 0.5 s at a time`,
    });
    return results;
  },
};

const growth: Section = {
  name: "growth",
  async measure({ full, note }) {
    const results = await measureGrowth(full);
    for (const { what, amounts, costs, unit, exponent } of results)
      note({
        what: `growth, ${what}`,
        goal: "0 (none)",
        value: `exponent ${exponent.toFixed(2)}`,
        method: `${costs.map((cost) => cost.toFixed(0)).join(" → ")} ${unit} at ${amounts.join(" → ")}`,
      });
    return results;
  },
};

const knowledge: Section = {
  name: "knowledge",
  async measure({ full, note }) {
    const results = [];
    for (const byMeaning of full ? [false, true] : [false]) {
      const result = await measureKnowledge(full ? 50 : 3, byMeaning);
      results.push(result);
      const { megabytes, search, longestBlockMs, indexedSeconds } = result;
      const how = byMeaning ? "by words and meaning" : "by words";
      note({
        what: `knowledge of ${megabytes.toFixed(0)} MB, look-up ${how}`,
        goal: "p99 ≤ 15 ms at 50 MB",
        value: `p50 ${ms(search.p50)}, p95 ${ms(search.p95)}, p99 ${ms(search.p99)}`,
        method: `300 questions of 7 words, one after the other, through the worker${byMeaning ? "; 1,536 components from a server on loopback" : ""}`,
      });
      note({
        what: `knowledge, main thread while indexing ${how}`,
        goal: "≤ 50 ms",
        value: `longest block ${ms(longestBlockMs)}`,
        method: `${megabytes.toFixed(0)} MB in ${indexedSeconds.toFixed(0)} s`,
      });
    }
    return results;
  },
};

export const SERVICE_SECTIONS: readonly Section[] = [
  http,
  million,
  knowledge,
  webhooks,
  scheduler,
  growth,
];
