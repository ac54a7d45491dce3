/** Rehearsed conversations in writing and by telephone. */
import { measureRehearsals } from "../rehearsal/rehearsals.ts";
import type { Section } from "../report.ts";

const rehearsals: Section = {
  name: "rehearsals",
  async measure({ full, note }) {
    const text = await measureRehearsals("clinic", "text", full ? 20 : 5);
    note({
      what: "rehearsals in writing",
      goal: "≥ 100/min",
      value: `${Math.round(text.perMinute).toLocaleString("en")} conversations a minute, ${text.passed} of ${text.calls} passed`,
      method: "the clinic's 30 scenarios, embedded engine, the program's start included",
    });
    if (!full) return { text };
    const phone = await measureRehearsals("clinic-phone", "phone", 6);
    note({
      what: "rehearsals by telephone",
      goal: "ten at once",
      value: `${phone.passed} of ${phone.calls} passed in ${phone.seconds.toFixed(0)} s, ten at once at most, ${phone.meanAtOnce.toFixed(1)} on average`,
      method: "carrier, phones, appliance and embedded speech on this machine; start included",
    });
    return { text, phone };
  },
};

export const REHEARSAL_SECTIONS: readonly Section[] = [rehearsals];
