/** Log lines: masked personal data, a length limit, one line each. */
import { expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pii } from "../../src/core/log.ts";
import { createLogger, type LoggerSettings } from "../../src/ops/logger.ts";
import { tempDir } from "../support/temp-dir.ts";

const SOURCE = join(import.meta.dir, "../../src/ops/logger.ts");

function logged(settings: Partial<LoggerSettings>): string[] {
  const lines: string[] = [];
  const log = createLogger({
    level: "info",
    format: "json",
    personalData: false,
    write: (line) => lines.push(line),
    ...settings,
  });
  log.debug("too.small");
  log.with({ call_id: "c1" }).info("call.{odd}", { number: pii("+37061234567"), text: "a\nb" });
  return lines;
}

test("a JSON line carries event, level, context and fields, and masks personal data", () => {
  const [line = "", ...others] = logged({});
  expect(others).toEqual([]);
  expect(JSON.parse(line)).toMatchObject({ event: "call.{odd}", level: "info", call_id: "c1" });
  expect(line).not.toContain("+37061234567");
});

test("personal data is written only if the operator switched that on", () => {
  expect(logged({ personalData: true }).join()).toContain("+37061234567");
});

test("a pretty line stays one line whatever a field contains", () => {
  const [line = ""] = logged({ format: "auto", isTerminal: true });
  expect(line.trimEnd().split("\n").length).toBe(1);
  expect(line).toContain("call.{odd}");
});

test("a long field is cut", () => {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  createLogger({ level: "info", format: "json", personalData: false, write }).info("x", {
    text: "y".repeat(100_000),
  });
  expect(lines.join().length).toBeLessThan(3000);
});

test("lines to the journal have a priority, those to any other file do not", async () => {
  const path = join(tempDir(), "stream");
  const stream = openSync(path, "w");
  const { dev, ino } = statSync(path);
  const script = `
    import { createLogger } from ${JSON.stringify(SOURCE)};
    const log = createLogger({ level: "debug", format: "json", personalData: false });
    for (const level of ["debug", "info", "warn", "error"]) log[level]("x");`;
  for (const journal of [`${dev}:${ino}`, `${dev}:${ino + 1}`]) {
    const child = Bun.spawn([process.execPath, "-e", script], {
      stderr: stream,
      env: { ...process.env, JOURNAL_STREAM: journal },
    });
    expect(await child.exited).toBe(0);
  }
  closeSync(stream);
  const starts = readFileSync(path, "utf8")
    .match(/^[^{]*/gm)
    ?.slice(0, 8);
  expect(starts).toEqual(["<7>", "<6>", "<4>", "<3>", "", "", "", ""]);
});
