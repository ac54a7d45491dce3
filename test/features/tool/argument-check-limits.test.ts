/** Limits of argument checks: queue, size and the worker's time, with a fake worker. */
import { expect, test } from "bun:test";
import {
  type AskedArguments,
  createArgumentCheck,
} from "../../../src/features/tool/argument-check.ts";
import type { FromJobWorker, ToJobWorker } from "../../../src/platform/threads/job-worker.ts";
import { fakeClock } from "../../support/fake-clock.ts";

interface HeldWorker {
  onmessage: ((event: { data: FromJobWorker<string | null> }) => void) | null;
  onerror: ((event: object) => void) | null;
  readonly posted: ToJobWorker<AskedArguments>[];
  isEnded: boolean;
}

function world() {
  const clock = fakeClock();
  const workers: HeldWorker[] = [];
  const check = createArgumentCheck(() => {
    const worker = {
      onmessage: null,
      onerror: null,
      posted: [] as ToJobWorker<AskedArguments>[],
      isEnded: false,
      postMessage: (message: ToJobWorker<AskedArguments>) => void worker.posted.push(message),
      terminate() {
        worker.isEnded = true;
      },
    };
    workers.push(worker);
    return worker as unknown as Worker;
  }, clock);
  const say = (data: FromJobWorker<string | null>) => workers.at(-1)?.onmessage?.({ data });
  return { clock, workers, check, say };
}

/** The first available answer; "none" if all are pending. */
const first = (some: readonly Promise<string | null>[]) =>
  Promise.race([...some, Bun.sleep(0).then(() => "none")]);

test("a tenant has one running check and at most 32 waiting", async () => {
  const { check, workers, say } = world();
  const all = Array.from({ length: 34 }, () => check.problem(1, {}, {}));
  expect(await first(all.slice(33))).toContain("Too many tool calls");
  expect(await first(all.slice(0, 33))).toBe("none");
  say({ type: "ready" });
  for (let count = 1; count <= 33; count++) {
    const jobId = workers[0]?.posted.at(-1)?.jobId ?? 0;
    say({ type: "done", jobId, result: null });
  }
  expect(await Promise.all(all.slice(0, 33))).toEqual(Array(33).fill(null));
  check.close();
});

test("arguments have at most 65,536 characters of JSON", async () => {
  const { check } = world();
  const withText = (characters: number) => ({ x: "a".repeat(characters - 8) });
  expect(JSON.stringify(withText(65_536))).toHaveLength(65_536);
  const fits = check.problem(1, {}, withText(65_536));
  const isOver = check.problem(1, {}, withText(65_537));
  expect(await first([isOver])).toContain("larger than 65536 characters");
  check.close();
  expect(await fits).toContain("shutting down");
  expect(await check.problem(1, {}, {})).toContain("shutting down");
});

test("a worker may take ten seconds to start and half a second per check", async () => {
  const { check, clock, workers, say } = world();
  const slow = check.problem(1, {}, {});
  await clock.advance(9_999);
  expect(workers[0]?.isEnded).toBe(false);
  await clock.advance(1);
  expect(workers[0]?.isEnded).toBe(true);
  expect(await slow).toContain("in time");
  const late = check.problem(1, {}, {});
  say({ type: "ready" });
  say({ type: "begun", jobId: workers[1]?.posted[0]?.jobId ?? 0 });
  await clock.advance(499);
  expect(workers[1]?.isEnded).toBe(false);
  await clock.advance(1);
  expect(workers[1]?.isEnded).toBe(true);
  expect(await late).toContain("in time");
});

test("an idle worker is terminated after a minute", async () => {
  const { check, clock, workers, say } = world();
  const checked = check.problem(1, {}, {});
  say({ type: "ready" });
  say({ type: "done", jobId: 99, result: "of another" });
  say({ type: "done", jobId: workers[0]?.posted[0]?.jobId ?? 0, result: null });
  expect(await checked).toBeNull();
  await clock.advance(59_999);
  expect(workers[0]?.isEnded).toBe(false);
  await clock.advance(1);
  expect(workers[0]?.isEnded).toBe(true);
});

test("on a busy machine the half second of a check starts when the worker starts it", async () => {
  const { check, clock, workers, say } = world();
  const checked = check.problem(1, {}, {});
  say({ type: "ready" });
  const jobId = workers[0]?.posted[0]?.jobId ?? 0;
  await clock.advance(9_999);
  expect(workers[0]?.isEnded).toBe(false);
  say({ type: "begun", jobId: 99 });
  say({ type: "begun", jobId });
  await clock.advance(499);
  say({ type: "done", jobId, result: null });
  expect(await checked).toBeNull();
  const never = check.problem(1, {}, {});
  await clock.advance(10_000);
  expect(await never).toContain("in time");
  expect(workers[0]?.isEnded).toBe(true);
});

test("an answer that arrived before a blocked thread sees the deadline still counts", async () => {
  const { check, clock, workers, say } = world();
  const checked = check.problem(1, {}, {});
  say({ type: "ready" });
  const jobId = workers[0]?.posted[0]?.jobId ?? 0;
  say({ type: "begun", jobId });
  clock.after(500, () => say({ type: "done", jobId, result: null }));
  await clock.advance(500);
  expect(await checked).toBeNull();
  expect(workers[0]?.isEnded).toBe(false);
});

test("a broken worker ends its own check, not the next one", async () => {
  const { check, clock, workers, say } = world();
  const [slow, next] = [check.problem(1, {}, {}), check.problem(2, {}, {})];
  say({ type: "ready" });
  say({ type: "begun", jobId: workers[0]?.posted.at(-1)?.jobId ?? 0 });
  await clock.advance(500);
  expect(await slow).toContain("could not be checked in time");
  const breaks = (worker: number) =>
    workers[worker]?.onerror?.({ preventDefault: () => undefined });
  breaks(0);
  await clock.advance(0);
  expect([workers.length, await first([next])]).toEqual([2, "none"]);
  breaks(1);
  expect(await next).toEqual(expect.any(String));
  expect(workers[1]?.isEnded).toBe(true);
  check.close();
});
