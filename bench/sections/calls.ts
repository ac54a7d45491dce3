/** Calls as a whole, signalling, and the agent's turns. */
import { measureCalls } from "../calls/load.ts";
import { measurePhones } from "../calls/phones.ts";
import { ms, type Section } from "../report.ts";
import { measureSignalling, type SignallingResult } from "../signalling/calls.ts";
import { measureRegistrations } from "../signalling/registrations.ts";
import { measureTurns } from "../turns/latency.ts";

const calls: Section = {
  name: "calls",
  async measure({ full, note }) {
    const results = [];
    for (const count of full ? [50, 100, 250] : [100]) {
      const result = await measureCalls(count, full ? 15 : 4);
      results.push(result);
      const { callsUp, callsAskedFor, pacing, reads, pacedReads, setUpMs } = result;
      const up = `${callsUp} of ${callsAskedFor} calls answered${pacing ? `, ${pacing.streams} sending while measured` : ""}, VAD, recording and conversation on`;
      note({
        what: `CPU a call, ${count} calls`,
        goal: "≤ 0.6 % of a core",
        value: `${result.cpuPercentPerCall.toFixed(2)} % of a core`,
        method: `${up}; callers listen; processor time of the appliance alone`,
      });
      note({
        what: `memory a call, ${count} calls`,
        goal: "≤ 0.5 MB",
        value: `${result.megabytesPerCall.toFixed(2)} MB`,
        method: `growth of the appliance's own memory from 10 calls to ${callsUp}; idle ${result.idleMegabytes.toFixed(0)} MB, the first 10 calls ${result.awakeMegabytes.toFixed(0)} MB (recogniser and voices wake); run from source`,
      });
      if (pacing)
        note({
          what: `pacing of ${count} calls`,
          goal: "p99 ≤ 2 ms, p99.9 ≤ 5 ms at 250",
          value: `p50 ${ms(pacing.p50)}, p99 ${ms(pacing.p99)}, p99.9 ${ms(pacing.p999)}; ${pacing.lost} lost, ${pacing.late} more than 20 ms late of ${pacing.packets}`,
          method:
            "|interval − 20 ms| of every packet by kernel time stamps on the loopback interface",
        });
      note({
        what: `set-up, call → answered, ${count} calls`,
        value: `p50 ${ms(setUpMs.p50)}, p99 ${ms(setUpMs.p99)}`,
        method:
          "at the caller, a call every 40 ms, through a carrier with its challenge; greeting prepared meanwhile",
      });
      if (pacedReads)
        note({
          what: `API read /tenant beside ${count} calls, at a rate`,
          goal: "p99 ≤ 10 ms beside 100",
          value: `${pacedReads.requestsPerSecond}/s, p50 ${ms(pacedReads.p50Ms)}, p99 ${ms(pacedReads.p99Ms)}`,
          method: "30 connections that pause between their requests",
        });
      note({
        what: `API read /tenant beside ${count} calls, to the limit`,
        value: `${reads.requestsPerSecond}/s, p50 ${ms(reads.p50Ms)}, p99 ${ms(reads.p99Ms)}`,
        method: `callers and ${reads.tool} share what the appliance leaves of the cores`,
      });
    }
    return results;
  },
};

const phones: Section = {
  name: "phones",
  async measure({ full, note }) {
    const results = [];
    for (const calls of full ? [250, 500] : [100]) {
      const result = await measurePhones({ calls, seconds: full ? 15 : 5 });
      if (!result) return results;
      results.push(result);
      const { pacing, reference, overflowed, cpuPercentPerCall, megabytesPerCall } = result;
      const inWords = ({ p50, p99, p999, lost }: typeof pacing | typeof reference) =>
        `p50 ${ms(p50)}, p99 ${ms(p99)}, p99.9 ${ms(p999)}; ${lost} lost`;
      note({
        what: `packets of ${calls} calls`,
        goal: "250: p99 ≤ 1 ms, p99.9 ≤ 3 ms; 500: p99 ≤ 5 ms",
        value: `${inWords(pacing)} of ${pacing.packets}, ${overflowed} not read in time; ${(pacing.p99 / reference.p99).toFixed(2)} × the loop's p99`,
        method: `|interval − 20 ms| at ${pacing.streams} phones in C, by kernel time stamps; a plain C loop in the same minute: ${inWords(reference)}`,
      });
      note({
        what: `CPU and memory a silent call, ${calls} calls`,
        goal: "≤ 0.25 % of a core, ≤ 0.4 MB",
        value: `${cpuPercentPerCall.toFixed(2)} % of a core, ${megabytesPerCall.toFixed(2)} MB beyond the first 20`,
        method: "the appliance alone, recording on; sipp places the calls",
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
    const results = await measureSignalling({ calls: full ? 1000 : 150, atOnce: 10 });
    for (const result of results ?? [])
      note({
        what: `calls/s, ${result.who}`,
        ...(result.who === "stack" ? { goal: "100/s, signalling only" } : {}),
        value: `${result.callsPerSecond.toFixed(0)}/s; INVITE → 200 p50 ${ms(result.setUpP50Ms)}, p99 ${ms(result.setUpP99Ms)}; ${processorTime(result)}; ${result.failed} failed`,
        method: `${CALLED[result.who]}; ${result.succeeded} calls by sipp, 10 at once, hung up at once`,
      });
    const registrations = await measureRegistrations();
    if (registrations)
      note({
        what: "registrations/s",
        value: `${registrations.perSecond.toFixed(0)}/s, ${registrations.cpuMsEach.toFixed(2)} ms of processor time each; sipp ${registrations.sippPerSecond.toFixed(0)}/s`,
        method: `${registrations.registered} trunks at kamailio with digest, from a cold start; sipp as the same client after it`,
      });
    return { calls: results, registrations };
  },
};

const turns: Section = {
  name: "turns",
  async measure({ full, note }) {
    const results = await measureTurns(full ? 40 : 2);
    const inWords = ({ p50Ms, p95Ms }: { p50Ms: number; p95Ms: number }) =>
      `p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms`;
    for (const { engine, speculate, turns: count, injectedMs, own, whole } of results) {
      const told = `${injectedMs} ms the provider was told to take`;
      const method = `${count} spoken turns over RTP`;
      if (speculate === "off")
        note({
          what: `own share of turn latency, ${engine}`,
          value: inWords(own),
          method: `${method}; less endpointing and ${told}`,
        });
      if (injectedMs > 0)
        note({
          what: `whole wait for an answer, ${engine}, speculate = ${speculate}`,
          ...(speculate === "all" ? { goal: "p50 ≤ 600 ms, p95 ≤ 700 ms" } : {}),
          value: inWords(whole),
          method: `${method}; from the caller's last sound, 350 ms of silence and ${told} included`,
        });
    }
    return results;
  },
};

export const CALL_SECTIONS: readonly Section[] = [calls, phones, signalling, turns];
