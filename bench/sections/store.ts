/** A node with a file, and with a libSQL server near and far. */
import { percentile } from "../process/percentile.ts";
import { ms, type Section } from "../report.ts";
import { measureRemoteStore } from "../store/remote.ts";

/** Goals for each additional round-trip time. */
const GOALS = [
  { delayMs: null, cold: null, repeated: 3_000, setUpMs: 150 },
  { delayMs: 0, cold: 1_500, repeated: 3_000, setUpMs: 150 },
  { delayMs: 5, cold: null, repeated: 3_000, setUpMs: 150 },
  { delayMs: 20, cold: 200, repeated: 3_000, setUpMs: 150 },
] as const;

const wayOf = (delayMs: number | null) => {
  if (delayMs === null) return "file";
  return delayMs === 0 ? "sqld on loopback" : `sqld + ${delayMs} ms`;
};

const store: Section = {
  name: "store",
  async measure({ full, note }) {
    const goals = GOALS.filter(({ delayMs }) => full || delayMs !== 5);
    const delaysMs = goals.flatMap(({ delayMs }) => delayMs ?? []);
    const extent = full
      ? { seconds: 8, alone: 6, rounds: 12 }
      : { seconds: 1, alone: 3, rounds: 2 };
    const results = await measureRemoteStore(delaysMs, extent);
    for (const [at, { setUp, ...figures }] of results.entries()) {
      const goal = goals[at];
      const way = wayOf(figures.delayMs);
      const trips = (kind: "read" | "write") =>
        figures.roundTrips ? `; ${figures.roundTrips[kind]} round trips each` : "";
      note({
        what: `${way}, cold reads`,
        ...(goal?.cold ? { goal: `${goal.cold}/s` } : {}),
        value: `${figures.coldReadsPerSecond}/s${trips("read")}`,
        method: "8 connections, every request another page, with key and limit",
      });
      note({
        what: `${way}, repeated reads`,
        goal: `${goal?.repeated}/s`,
        value: `${figures.repeatedReadsPerSecond}/s`,
        method: "8 connections, the same agent",
      });
      note({
        what: `${way}, changes`,
        goal: "2 round trips",
        value: `${figures.writesPerSecond}/s${trips("write")}`,
        method: "4 connections rename an agent",
      });
      note({
        what: `${way}, call set-up`,
        goal: `${goal?.setUpMs} ms, none failed, trunks held`,
        value: `alone p50 ${ms(percentile(setUp.aloneMs, 0.5))}, four at once p50 ${ms(percentile(setUp.togetherMs, 0.5))}, p95 ${ms(percentile(setUp.togetherMs, 0.95))}; ${setUp.failed} failed, ${setUp.trunksLost} trunks lost`,
        method: "whole appliance, INVITE → 200 through a carrier, callers in the same process",
      });
    }
    return results;
  },
};

export const STORE_SECTIONS: readonly Section[] = [store];
