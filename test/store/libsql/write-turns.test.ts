/** The queue of transactions for a database server. */
import { expect, test } from "bun:test";
import { StoreUnreachable } from "../../../src/store/libsql/errors.ts";
import { type Turn, WriteTurns } from "../../../src/store/libsql/write-turns.ts";

/** A task that the test ends. */
function held() {
  const begun = Promise.withResolvers<Turn>();
  const end = Promise.withResolvers<void>();
  const task = async (turn: Turn) => {
    begun.resolve(turn);
    await end.promise;
  };
  return { task, begun: begun.promise, end: end.resolve };
}

test("one at a time, urgent ones first; a failure does not block the next", async () => {
  const turns = new WriteTurns();
  const order: string[] = [];
  const first = held();
  const running = turns.run(first.task, false);
  const failing = turns.run(() => {
    order.push("failing");
    return Promise.reject(new Error("no"));
  }, false);
  const urgent = turns.run(async () => void order.push("urgent"), true);
  const last = turns.run(async () => void order.push("last"), false);
  await first.begun;
  expect(order).toEqual([]);
  first.end();
  await running;
  expect(await failing.catch((error: Error) => error.message)).toBe("no");
  await Promise.all([urgent, last]);
  expect(order).toEqual(["urgent", "failing", "last"]);
});

test("a restarted transaction comes before those not started yet, and never runs at the same time as another", async () => {
  const turns = new WriteTurns();
  const order: string[] = [];
  const [first, second] = [held(), held()];
  void turns.run(first.task, false);
  void turns.run(second.task, false);
  void turns.run(async () => void order.push("third"), false);
  const turn = await first.begun;
  turn.release();
  const again = turn.again().then(() => order.push("first again"));
  await second.begun;
  expect(order).toEqual([]);
  second.end();
  await again;
  expect(order).toEqual(["first again"]);
  first.end();
  await turns.idle();
  expect(order).toEqual(["first again", "third"]);
});

test("a limited number wait for the answer to their COMMIT", async () => {
  const turns = new WriteTurns();
  const end = Promise.withResolvers<void>();
  let begun = 0;
  for (let count = 0; count < 40; count++)
    void turns.run(async (turn) => {
      begun++;
      turn.release();
      await end.promise;
    }, false);
  await Bun.sleep(0);
  expect(begun).toBe(16);
  end.resolve();
  await turns.idle();
  expect(begun).toBe(40);
});

test("if the server does not answer, waiting restarts fail with that error", async () => {
  const turns = new WriteTurns();
  const [first, second] = [held(), held()];
  void turns.run(first.task, false);
  void turns.run(second.task, false);
  const [gone, holder] = [await first.begun, second];
  gone.release();
  const again = gone.again().catch((error: unknown) => error);
  (await holder.begun).giveUpOthers();
  expect(await again).toBeInstanceOf(StoreUnreachable);
  first.end();
  second.end();
  await turns.idle();
});
