/** Rehearsals by telephone: an appliance of its own, real SIP and RTP, the embedded voice, all calls at once. About 30 s. */
import { expect, test } from "bun:test";
import { openPhoneRehearsals } from "../../src/demo/rehearsal/phone-rehearsal.ts";
import { filesOf, loadSuite, runSuite } from "../../src/domain/rehearsal/suite.ts";
import { configSchema } from "../../src/operations/config/schema.ts";
import { failedLines, suiteFiles } from "../support/rehearsals.ts";

test("six scenarios of the clinic pass by telephone, at once", async () => {
  const files = new Map([...(await suiteFiles("clinic-phone")), ...(await suiteFiles("clinic"))]);
  const cases = await loadSuite(filesOf(files, (name) => name.startsWith("clinic-phone/")));
  expect(cases).toHaveLength(6);
  const { engine, conversation } = configSchema.parse({});
  const phones = await openPhoneRehearsals({
    ...{ version: "test", cases, sections: { engine, conversation } },
    ...{ openModel: null, recordingsDir: null, runTool: null },
  });
  try {
    // A busy machine is slow to hear and to speak, never wrong for good: a call that fails is held again.
    const rehearse = async (each: (typeof cases)[number], run: number) => {
      const result = await phones.rehearse(each, run);
      return result.failures.length === 0 ? result : await phones.rehearse(each, run);
    };
    const report = await runSuite(cases, { runs: 1, atOnce: cases.length, rehearse });
    expect(failedLines(report)).toEqual([]);
    expect(report.results.every(({ call }) => call.turns.length >= 2)).toBe(true);
  } finally {
    await phones.close();
  }
}, 300_000);
