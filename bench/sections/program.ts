/** The compiled program, and the dashboard in a browser. */
import { measureBinary } from "../binary/start.ts";
import { measureFirstPaint } from "../dashboard/first-paint.ts";
import { ms, type Section } from "../report.ts";

const binary: Section = {
  name: "binary",
  async measure({ full, note }) {
    const result = await measureBinary(full ? 10 : 2);
    const { all, own, files } = result.idle;
    note({
      what: "start → first answer",
      value: `median ${ms(result.firstAnswerMs)}`,
      method: `${result.runs} starts of dist/linevoice, exec → 200 of GET /api/v1/ping`,
    });
    note({
      what: "idle memory",
      goal: "≤ 120 MB",
      value: `${own.toFixed(0)} MB of its own, ${all.toFixed(0)} MB resident`,
      method: `3 s after the start; ${files.toFixed(0)} MB are pages of the program's file`,
    });
    note({
      what: "binary size",
      value: `${result.megabytes.toFixed(0)} MB`,
      method: "dist/linevoice",
    });
    return result;
  },
};

const dashboard: Section = {
  name: "dashboard",
  async measure({ full, note }) {
    const result = await measureFirstPaint(full ? 15 : 3);
    if (!result) return null;
    const { runs, firstPaintMs, dataShownMs, layoutShift, transferredKilobytes } = result;
    note({
      what: "dashboard, first paint",
      value: `median ${firstPaintMs.toFixed(0)} ms, with data ${dataShownMs.toFixed(0)} ms`,
      method: `${runs} visits of Home in Chromium with an empty cache, ${transferredKilobytes.toFixed(0)} KB sent, layout shift ${layoutShift.toFixed(3)}`,
    });
    return result;
  },
};

export const PROGRAM_SECTIONS: readonly Section[] = [binary, dashboard];
