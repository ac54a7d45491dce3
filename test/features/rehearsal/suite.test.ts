/** Results are ordered by scenario and run, whichever call ended first. */
import { expect, test } from "bun:test";
import { runSuite, type SuiteCase } from "../../../src/features/rehearsal/suite.ts";

test("concurrent runs are ordered by scenario, then by run; a scenario passes if every run passed", async () => {
  const caseOf = (name: string) =>
    ({
      file: name,
      scenario: { name },
      agent: { agent: { name: "Desk" } },
    }) as unknown as SuiteCase;
  const ended: string[] = [];
  const report = await runSuite([caseOf("slow"), caseOf("flaky"), caseOf("quick")], {
    runs: 3,
    atOnce: 9,
    async rehearse({ scenario: { name } }, run) {
      for (let turn = 0; turn < (name === "slow" ? 50 : 10) - run * 2; turn++)
        await Promise.resolve();
      const failures =
        name === "flaky" && run === 2 ? [{ expected: "a", found: "b", turn: null }] : [];
      return { name, run, failures } as never;
    },
    onResult: ({ name, run }) => void ended.push(`${name} ${run}`),
  });
  expect(ended[0]).not.toBe("slow 1");
  expect(report.results.map(({ name, run }) => `${name} ${run}`)).toEqual([
    ...["slow 1", "slow 2", "slow 3", "flaky 1", "flaky 2", "flaky 3"],
    ...["quick 1", "quick 2", "quick 3"],
  ]);
  expect([report.scenarios, report.runs, report.passed]).toEqual([3, 3, 2]);
});
