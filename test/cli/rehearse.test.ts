/** `linevoice rehearse` as a process: exit status, report, JUnit XML; no server and no data directory. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../support/appliance/cli.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const cwd = tempDir();
const linevoice = (args: string) => runCli(cwd, args);
const AGENT = [
  "name: Desk",
  "prompt: Answer from the knowledge base.",
  "first_message: Hello.",
  "knowledge: [facts.md]",
].join("\n");
const facts = (price: string) => `## How much does it cost?\nIt costs ${price}.\n`;
writeFileSync(join(cwd, "agent.yaml"), AGENT);
writeFileSync(join(cwd, "facts.md"), facts("forty euros"));
writeFileSync(
  join(cwd, "price.yaml"),
  "name: Price\nscript:\n  - say: How much does it cost?\n    must: [{says: {money: 40 EUR}}]\n  - hang_up: true\n",
);

test("returns status 0 if all pass, 1 with the failed turn, and JUnit XML for both", async () => {
  const passed = await linevoice("rehearse price.yaml --runs 2 --junit j.xml");
  expect(passed).toMatchObject({ status: 0, err: "" });
  expect(passed.out).toContain("ok    Price (run 2 of 2)");
  expect(passed.out).toContain("1 scenario: 1 passed, 0 failed; pass^2 1.00");
  expect(readFileSync(join(cwd, "j.xml"), "utf8")).toContain('tests="2" failures="0"');
  expect(existsSync(join(cwd, "data"))).toBe(false);

  writeFileSync(join(cwd, "facts.md"), facts("sixty euros"));
  const failed = await linevoice("rehearse . --junit j.xml");
  expect(failed.status).toBe(1);
  expect(failed.out).toContain(">  3  Agent: It costs sixty euros.");
  expect(failed.out).toContain("failed at turn 3");
  expect(readFileSync(join(cwd, "j.xml"), "utf8")).toContain('failures="1"');
  const { results } = JSON.parse((await linevoice("rehearse . --json")).out);
  expect(results[0]).toMatchObject({ name: "Price", passed: false, failures: [{ turn: 2 }] });
});

test("returns status 2 for an invalid file, with its line, and for an unknown suite", async () => {
  writeFileSync(join(cwd, "wrong.yaml"), "name: W\nscript:\n  - sey: Hello\n");
  const wrong = await linevoice("rehearse wrong.yaml");
  expect(wrong.status).toBe(2);
  expect(wrong.err).toContain("wrong.yaml:3: script[1].sey: is not known here; did you mean say?");
  const missing = await linevoice("rehearse nowhere");
  expect(missing.status).toBe(2);
  expect(missing.err).toContain("nowhere is neither a file nor a built-in suite.");
});

test("a built-in suite runs with another agent", async () => {
  const report = await linevoice("rehearse clinic --agent . --json");
  expect(report.status).toBe(1);
  expect(JSON.parse(report.out)).toMatchObject({ scenarios: 30 });
});

test("a report larger than a pipe is printed completely", async () => {
  const { out } = await linevoice("rehearse clinic --agent . --runs 10 --json");
  expect(out.length).toBeGreaterThan(65_536);
  expect(JSON.parse(out).results).toHaveLength(300);
});

test("the command does not call a live tool; the result names it", async () => {
  const folder = join(cwd, "live");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "agent.yaml"),
    "name: Desk\nprompt: Help.\nfirst_message: Hello.\ntools:\n  - {name: free, description: Find the next free visit, parameters: {type: object, properties: {}}}\n",
  );
  writeFileSync(
    join(folder, "live.yaml"),
    "name: Live\ntools: {free: {live: true}}\nscript:\n  - say: Find the next free visit.\n  - hang_up: true\n",
  );
  const { status, out } = await linevoice("rehearse live --json");
  expect(status).toBe(1);
  const { results } = JSON.parse(out);
  expect(results[0].failures[0].expected).toBe("the scenario answers the tool free");
  expect(results[0].tools[0].output.error).toContain("rehearse in the dashboard or by REST");
});
