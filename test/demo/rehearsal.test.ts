/** Rehearsals by telephone: an appliance of its own, real SIP and RTP, the embedded voice, all calls at once. About 30 s. */
import { expect, test } from "bun:test";
import { openPhoneRehearsals } from "../../src/demo/rehearsal/phone-rehearsal.ts";
import { filesOf, loadSuite, runSuite } from "../../src/domain/rehearsal/suite.ts";
import { configSchema } from "../../src/operations/config/schema.ts";
import { failedLines, suiteFiles } from "../support/rehearsals.ts";

/** Of what only the telephone has to bring into the call: the date, the values and who does not answer. */
const OWN = {
  "own/greeter.yaml":
    "name: Greeter\ncompany: A\nprompt: Greet.\nfirst_message: Hello {{customer}}. Today is {{date}}.\nvoice: Nathan\n",
  "own/date.yaml":
    "name: Date\nagent: greeter.yaml\nat: 2026-03-05T10:00:00\nvariables: {customer: Ruta}\nscript: [{hang_up: true}]\nmust: [Ruta, {says: {date: 2026-03-05}}]\n",
  "own/busy.yaml":
    'name: Busy\nagent: ../clinic/agent.yaml\ncaller: {number: "+37061000008"}\ntransfers: {reception: busy}\nscript: [{press: "0"}, {hang_up: true}]\nnever: [{transferred_to: reception}]\n',
};

test("ten calls pass by telephone, at once: the clinic's six and more", async () => {
  const suites = [...(await suiteFiles("clinic-phone")), ...(await suiteFiles("clinic"))];
  const files = new Map([...suites, ...Object.entries(OWN)]);
  const loaded = await loadSuite(filesOf(files, (name) => /^(?:clinic-phone|own)\//.test(name)));
  // Two of the clinic's are held twice.
  const cases = [...loaded, ...loaded.slice(0, 2)];
  expect(cases).toHaveLength(10);
  const { engine, conversation } = configSchema.parse({
    conversation: { transfer_targets: cases[0]?.agent.transferTargets },
  });
  const phones = await openPhoneRehearsals({
    ...{ version: "test", sections: { engine, conversation } },
    ...{ openModel: null, recordingsDir: null },
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
