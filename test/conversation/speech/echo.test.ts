/** When an utterance counts as the agent's own voice: first judged by its beginning, then by its content. */
import { expect, test } from "bun:test";
import { EchoGuard } from "../../../src/conversation/speech/echo.ts";
import { seededRandom } from "../../../src/core/random.ts";

const RATE_HZ = 8_000;
const FRAME_SAMPLES = 160;
const DELAY_FRAMES = 4;

const frameOf = (level: number) => new Int16Array(FRAME_SAMPLES).fill(level);
/** A loudness curve like speech, never silent. */
const levelAt = (frame: number) =>
  3_000 + Math.round(2_500 * Math.sin(frame * 1.7) * Math.cos(frame * 0.37));

/**
 * The agent speaks, queued in pieces of `framesAtOnce` frames; the line returns a third of it, or a person speaks
 * loudly over it.
 */
function guardAt(framesAtOnce = 1, frames = 200) {
  const guard = new EchoGuard(RATE_HZ);
  for (let first = 0; first < frames; first += framesAtOnce) {
    const piece = new Int16Array(framesAtOnce * FRAME_SAMPLES);
    for (let frame = 0; frame < framesAtOnce; frame++)
      piece.fill(levelAt(first + frame), frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES);
    guard.willPlay(piece, first * 20);
  }
  let frame = DELAY_FRAMES + 1;
  const receive = (count: number, level: (frame: number) => number) => {
    for (let heard = 0; heard < count; heard++, frame++)
      guard.receive(frameOf(level(frame)), frame * 20);
  };
  return {
    guard,
    echo: (count: number) => receive(count, (at) => Math.round(levelAt(at - DELAY_FRAMES) / 3)),
    speech: (count: number) => receive(count, () => 12_000),
  };
}

test.each([1, 25, 200])(
  "audio is compared only after 400 ms were heard (%d frames queued at once)",
  (framesAtOnce) => {
    const { guard, echo } = guardAt(framesAtOnce);
    echo(19);
    expect(guard.isEcho()).toBe(false);
    echo(1);
    expect(guard.isEcho()).toBe(true);
  },
);

test("an utterance is judged by its beginning for 200 ms, then by its content", () => {
  const { guard, echo, speech } = guardAt();
  echo(40);
  guard.utteranceBegan();
  expect(guard.suspected).toBe(false);
  echo(4);
  expect([guard.isEcho(), guard.suspected]).toEqual([true, true]);
  speech(5);
  expect([guard.isEcho(), guard.suspected]).toEqual([false, true]);
  speech(1);
  expect([guard.isEcho(), guard.suspected]).toEqual([false, false]);
});

test("an utterance once suspected as echo stays suspected", () => {
  const { guard, echo, speech } = guardAt();
  echo(40);
  guard.utteranceBegan();
  echo(10);
  expect([guard.isEcho(), guard.suspected]).toEqual([true, true]);
  speech(20);
  expect([guard.isEcho(), guard.suspected]).toEqual([false, true]);
  guard.utteranceBegan();
  expect(guard.suspected).toBe(false);
});

test("the end of the played audio counts as echo together with the silence after it", () => {
  const { guard, echo } = guardAt(30, 30);
  echo(25);
  guard.receive(frameOf(0), (30 + DELAY_FRAMES) * 20);
  expect(guard.isEcho()).toBe(true);
});

test.each([
  [25, true],
  [26, false],
])("an echo after %d frames of 20 ms is detected: %p", (delay, isEcho) => {
  const guard = new EchoGuard(RATE_HZ);
  const { float } = seededRandom(1);
  const levels = Array.from({ length: 100 }, () => 1_000 + Math.round(float() * 5_000));
  for (const [frame, level] of levels.entries()) guard.willPlay(frameOf(level), frame * 20);
  for (let frame = delay + 1; frame < delay + 31; frame++)
    guard.receive(frameOf(Math.round((levels[frame - delay] ?? 0) / 3)), frame * 20);
  expect(guard.isEcho()).toBe(isEcho);
});
