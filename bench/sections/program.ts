/** The compiled program, and the dashboard in a browser. */
import { measureBinary } from "../binary/start.ts";
import { type FirstPaint, measureDashboard } from "../dashboard/first-paint.ts";
import { ms, type Section } from "../report.ts";

const binary: Section = {
  name: "binary",
  async measure({ full, note }) {
    const result = await measureBinary(full ? 7 : 3);
    for (const [where, starts] of [
      ["an empty directory", result.empty],
      ["an existing store", result.existing],
    ] as const)
      note({
        what: `start → first answer, ${where}`,
        goal: "≤ 250 ms",
        value: `median ${ms(starts.firstAnswerMs.median)}, worst ${ms(starts.firstAnswerMs.worst)}; the main thread ran ${ms(starts.mainThreadMs.median)}`,
        method: `${result.runs} starts of dist/linevoice, exec → 200 of GET /api/v1/ping`,
      });
    const { all, own, files } = result.idle;
    const megabytes = (value: number) => value.toFixed(0);
    note({
      what: "idle memory",
      goal: "≤ 130 MB",
      value: `median ${megabytes(own.median)} MB private, ${megabytes(all.median)} MB resident; worst ${megabytes(own.worst)} and ${megabytes(all.worst)} MB`,
      method: `3 s after /readyz, ${result.runs} starts; ${megabytes(files.median)} MB are pages of the program's file`,
    });
    note({
      what: "binary size",
      goal: "≤ 220 MB",
      value: `${result.megabytes.toFixed(0)} MB`,
      method: "dist/linevoice",
    });
    return result;
  },
};

const dashboard: Section = {
  name: "dashboard",
  async measure({ full, note }) {
    const result = await measureDashboard(full ? 15 : 1);
    if (!result) return null;
    const paint = (what: string, goal: string, how: string, seen: FirstPaint) =>
      note({
        what,
        goal,
        value: `largest paint median ${ms(seen.largestPaintMs)}, first ${ms(seen.firstPaintMs)}, with data ${ms(seen.dataShownMs)}, layout shift ${seen.layoutShift.toFixed(3)}`,
        method: `${result.runs} visits of Home in Chromium with an empty cache, ${how}; ${seen.transferredKilobytes.toFixed(0)} KB sent`,
      });
    paint("dashboard, first paint", "≤ 1 s, shift 0", "1280 × 860", result.here);
    const phone = "390 × 844, 1.6 Mbit/s, 150 ms, a fourth of this processor's speed";
    paint("dashboard on a slow phone", "≤ 2.5 s, shift 0", phone, result.slowPhone);
    const { calls, longestMs, count } = result.manyCalls;
    note({
      what: "dashboard, longest task",
      goal: "≤ 100 ms",
      value: count === 0 ? "none over 50 ms" : `${ms(longestMs)}, ${count} over 50 ms`,
      method: `a list of ${calls} calls: scrolled, leafed through, filtered, searched, one opened`,
    });
    return result;
  },
};

export const PROGRAM_SECTIONS: readonly Section[] = [binary, dashboard];
