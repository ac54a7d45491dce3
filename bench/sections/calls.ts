/** Sections about whole calls, signalling, and the agent's turns. */
import { measurePhones } from "../calls/phones.ts";
import { ms, type Section } from "../report.ts";
import {
  measureAppliance,
  measureSignalling,
  type SignallingResult,
  WARM_UP_CALLS,
} from "../signalling/calls.ts";
import { measureRegistrations } from "../signalling/registrations.ts";
import { measureAnswers } from "../turns/answers.ts";
import { measureTurns } from "../turns/latency.ts";

const phones: Section = {
  name: "phones",
  async measure({ full, note }) {
    const results = [];
    for (const calls of full ? [250, 500] : [100]) {
      const result = await measurePhones({
        calls,
        seconds: full ? 15 : 3,
        readSeconds: full ? 5 : 1,
      });
      if (!result) return results;
      results.push(result);
      const { pacing, reference, overflowed, cpuPercentPerCall, megabytesPerCall } = result;
      const inWords = ({ p50, p99, p999, lost }: typeof pacing | typeof reference) =>
        `p50 ${ms(p50)}, p99 ${ms(p99)}, p99.9 ${ms(p999)}; ${lost} lost`;
      note({
        what: `packets of ${calls} calls`,
        goal: "250: p99 ≤ 1 ms, p99.9 ≤ 3 ms; 500: p99 ≤ 5 ms",
        value: `${inWords(pacing)} of ${pacing.packets}, ${overflowed} not read in time`,
        ratio: `p99 ${(pacing.p99 / reference.p99).toFixed(1)} × a plain C loop's`,
        method: `|interval − 20 ms| at ${pacing.streams} phones in C, by kernel time stamps; a plain C loop in the same minute: ${inWords(reference)}`,
      });
      note({
        what: `CPU and memory per silent call, ${calls} calls`,
        goal: "≤ 0.25 % of a core, ≤ 0.4 MB",
        value: `${cpuPercentPerCall.toFixed(2)} % of a core, ${megabytesPerCall.toFixed(2)} MB beyond the first 20`,
        method: "the appliance alone, recording on; sipp places the calls",
      });
      for (const { path, requestsPerSecond, p50Ms, p99Ms, failures } of result.reads)
        note({
          what: `GET ${path} during ${calls} calls`,
          goal: "p99 ≤ 5 ms",
          value: `p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}; ${failures} failed`,
          method: `${requestsPerSecond} a second on 30 connections, after a second of the same`,
        });
    }
    return results;
  },
};

const CALLED: Readonly<Record<SignallingResult["who"], string>> = {
  appliance: "the whole appliance: admission, money, greeting, recording, charge",
  stack: "our SIP stack alone",
  sipp: "reference: sipp's own server",
  kamailio: "reference: kamailio as proxy before sipp's server",
};

function processorTime({ cpuMsPerCall, mainMsPerCall, queriesPerCall }: SignallingResult): string {
  const ofMain = `${cpuMsPerCall.toFixed(2)} ms of processor time each, ${mainMsPerCall.toFixed(2)} of the main thread`;
  return queriesPerCall === null ? ofMain : `${ofMain}, ${queriesPerCall.toFixed(0)} queries`;
}

const signalling: Section = {
  name: "signalling",
  async measure({ full, note }) {
    const results = await measureSignalling({ calls: full ? 1000 : 120, atOnce: 10 });
    const plain = results?.find(({ who }) => who === "sipp");
    for (const result of results ?? [])
      note({
        what: `calls/s, ${result.who}`,
        ...(result.who === "stack" ? { goal: "100/s, signalling only" } : {}),
        value: `${result.callsPerSecond.toFixed(0)}/s; INVITE → 200 p50 ${ms(result.setUpP50Ms)}, p99 ${ms(result.setUpP99Ms)}; ${processorTime(result)}; ${result.failed} failed`,
        ...(plain && result !== plain
          ? {
              ratio: `${(result.callsPerSecond / plain.callsPerSecond).toFixed(2)} × sipp's own server`,
            }
          : {}),
        method: `${CALLED[result.who]}; ${result.succeeded} calls by sipp, 10 at once, hung up at once`,
      });
    const steady = await measureAppliance({ calls: full ? 1000 : 150, atOnce: 50, perSecond: 50 });
    if (steady)
      note({
        what: "INVITE → 200 at 50 calls a second, appliance",
        goal: "p99 ≤ 60 ms",
        value: `p50 ${ms(steady.setUpP50Ms)}, p99 ${ms(steady.setUpP99Ms)}; ${processorTime(steady)}; ${steady.failed} failed`,
        method: `${CALLED.appliance}; ${steady.succeeded} calls by sipp, hung up at once, after the first ${WARM_UP_CALLS} since its start; code is still compiled meanwhile`,
      });
    const registrations = await measureRegistrations();
    if (registrations)
      note({
        what: "registrations/s",
        value: `${registrations.perSecond.toFixed(0)}/s, ${registrations.cpuMsEach.toFixed(2)} ms of processor time each`,
        ratio: `${(registrations.perSecond / registrations.sippPerSecond).toFixed(2)} × sipp as the same client`,
        method: `${registrations.registered} trunks at kamailio with digest, from a cold start`,
      });
    return { calls: results, steady, registrations };
  },
};

const turns: Section = {
  name: "turns",
  async measure({ full, note }) {
    const results = await measureTurns(full ? 40 : 2, !full);
    const inWords = ({ p50Ms, p95Ms }: { p50Ms: number; p95Ms: number }) =>
      `p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms`;
    for (const { engine, speculate, turns: count, injectedMs, own, firstOwnMs, whole } of results) {
      const latency = `${injectedMs} ms of simulated provider latency`;
      const method = `${count} spoken turns over RTP after the first`;
      if (speculate === "off")
        note({
          what: `own share of turn latency, ${engine}`,
          goal: "p95 ≤ 60 ms",
          value: `${inWords(own)}; the first since the start ${firstOwnMs.toFixed(0)} ms`,
          method: `${method}; less endpointing and ${latency}`,
        });
      if (injectedMs > 0)
        note({
          what: `whole wait for an answer, ${engine}, speculate = ${speculate}`,
          ...(speculate === "all" ? { goal: "p50 ≤ 600 ms, p95 ≤ 700 ms" } : {}),
          value: inWords(whole),
          method: `${method}; from the caller's last sound, 350 ms of silence and ${latency} included`,
        });
    }
    return results;
  },
};

const answers: Section = {
  name: "answers",
  async measure({ full, note }) {
    const results = [];
    for (const callers of full ? [20, 120] : [20]) {
      const values = full ? (["off", "hearing", "all"] as const) : (["all"] as const);
      for (const result of await measureAnswers({ callers, seconds: full ? 20 : 6, values })) {
        results.push(result);
        const { speculate, p50Ms, p95Ms, cpuPercentPerCall, unanswered } = result;
        note({
          what: `wait for an answer, ${callers} talking callers, speculate = ${speculate}`,
          ...(speculate === "all" ? { goal: "p50 ≤ 600 ms, p95 ≤ 700 ms" } : {}),
          value: `p50 ${ms(p50Ms)}, p95 ${ms(p95Ms)}; ${cpuPercentPerCall.toFixed(2)} % of a core per call`,
          method: `${result.answers} answers, ${unanswered} questions without; at phones in C, from a question's last sound to the answer's first loud packet; simulated provider latency: STT 80 ms, LLM 200 ms, TTS 120 ms`,
        });
      }
    }
    return results;
  },
};

export const CALL_SECTIONS: readonly Section[] = [phones, signalling, turns, answers];
