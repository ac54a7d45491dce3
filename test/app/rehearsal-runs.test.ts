/**
 * Files of rehearsals: the newest are kept, old ones expire with transcripts and recordings, and erasing a number
 * deletes its runs.
 */
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rehearsalRuns } from "../../src/app/rehearsal-runs.ts";
import { uuidV7 } from "../../src/core/ids.ts";
import { seededRandom } from "../../src/core/random.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { tempDir } from "../support/temp-dir.ts";

const DAY_MS = 86_400_000;
const NUMBER = "+37061234567";

function store() {
  const dataDir = tempDir();
  let nowMs = fakeClock().now();
  const clock = { ...fakeClock(), now: () => nowMs, pass: (ms: number) => (nowMs += ms) };
  const random = seededRandom(1);
  const runs = rehearsalRuns(dataDir);
  const keep = (tenantId: number, suite: string) => {
    const id = uuidV7(clock, random);
    writeFileSync(join(runs.recordingsDir(tenantId, id), "a.mp3"), "mp3");
    runs.save(tenantId, {
      id,
      suite,
      agentId: null,
      agentName: "Desk",
      report: null,
      startedAt: clock.now(),
      endedAt: clock.now(),
      scenarios: 1,
      passed: 1,
    });
    return id;
  };
  return { dataDir, clock, runs, keep };
}

test("a recording expires before its transcript, or together with it", () => {
  const { clock, runs, keep } = store();
  const old = keep(1, "old");
  clock.pass(DAY_MS);
  const young = keep(2, "young");
  const before = { transcriptMs: 0, recordingMs: clock.now() - DAY_MS / 2 };
  expect(runs.expire(before)).toBe(1);
  expect(runs.recording(1, old, "a.mp3")).toBeNull();
  expect(runs.list(1).map(({ id }) => id)).toEqual([old]);
  expect(runs.recording(2, young, "a.mp3")).not.toBeNull();

  expect(runs.expire({ transcriptMs: clock.now() + 1, recordingMs: 0 })).toBe(3);
  expect([runs.list(1), runs.list(2)]).toEqual([[], []]);
  expect(runs.recording(2, young, "a.mp3")).toBeNull();
});

test("erasing a number deletes the runs in which it was said, of its tenant only", () => {
  const { dataDir, runs, keep } = store();
  const plain = keep(1, `asked ${NUMBER}`);
  const grouped = keep(1, "asked +370 612 34-567");
  const other = keep(1, "asked +37069999999");
  const foreign = keep(2, `asked ${NUMBER}`);
  expect(runs.erase(1, NUMBER, true)).toBe(2);
  expect(runs.list(1)).toHaveLength(3);
  expect(runs.erase(1, NUMBER, false)).toBe(2);
  expect(runs.list(1).map(({ id }) => id)).toEqual([other]);
  for (const id of [plain, grouped])
    expect(existsSync(join(dataDir, "rehearsals", "1", id))).toBe(false);
  expect(runs.recording(2, foreign, "a.mp3")).not.toBeNull();
});

test("the newest fifty are kept, with their recordings", () => {
  const { clock, runs, keep } = store();
  const first = keep(1, "first");
  for (let more = 0; more < 50; more++) {
    clock.pass(1_000);
    keep(1, "more");
  }
  expect(runs.list(1)).toHaveLength(50);
  expect(runs.recording(1, first, "a.mp3")).toBeNull();
});
