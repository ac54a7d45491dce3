/** Whose words are decoded first when the thread is behind with several callers'. */
import { expect, test } from "bun:test";
import { PieceQueue } from "../../../../src/adapter/engine/embedded/recogniser/piece-queue.ts";
import { fakeClock } from "../../../support/fake-clock.ts";

function world() {
  const clock = fakeClock();
  const queue = new PieceQueue(clock);
  const decoded: string[] = [];
  const caller = (name: string, pieces: number) => {
    const backlog = {
      isEnded: false,
      decodePiece: () => {
        decoded.push(name);
        pieces--;
        if (pieces < 0) throw new Error("no piece is left");
        return pieces > 0;
      },
      end() {
        backlog.isEnded = true;
        queue.ended(backlog);
      },
    };
    queue.add(backlog);
    return backlog;
  };
  const run = () => clock.advance(100);
  return { queue, decoded, caller, run };
}

test("who has ended comes first, in the order of their last words; the others take turns", async () => {
  const { decoded, caller, run } = world();
  const [, second] = [caller("talks", 2), caller("second", 2), caller("talks too", 2)];
  const first = caller("first", 2);
  first.end();
  second?.end();
  await run();
  expect(decoded).toEqual([
    ...["first", "first", "second", "second"],
    ...["talks", "talks too", "talks", "talks too"],
  ]);
});

test("who gave up is decoded no more", async () => {
  const { queue, decoded, caller, run } = world();
  const gone = caller("gone", 2);
  caller("talks", 1);
  queue.remove(gone);
  await run();
  expect(decoded).toEqual(["talks"]);
});

test("one whose decoder fails holds up nobody", async () => {
  const { decoded, caller, run } = world();
  caller("fails", 0);
  caller("talks", 1);
  await expect(run()).rejects.toThrow("no piece is left");
  await run();
  expect(decoded).toEqual(["fails", "talks"]);
});
