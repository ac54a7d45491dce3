import { expect, test } from "bun:test";
import type { Clock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { createPacer } from "../../../src/media/rtp/pacer.ts";
import { createPortPool } from "../../../src/media/rtp/port-pool.ts";

/** A fake clock; one timer is enough for a pacer. */
function handClock() {
  let nowMs = 0;
  let due: { atMs: number; task: () => void } | null = null;
  const clock: Clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    after(delayMs, task) {
      due = { atMs: nowMs + delayMs, task };
      return {
        cancel: () => {
          due = null;
        },
      };
    },
    every: () => ({ cancel() {} }),
  };
  const fire = () => {
    const task = due?.task;
    due = null;
    task?.();
  };
  return {
    clock,
    isArmed: () => due !== null,
    advance(ms: number) {
      const endMs = nowMs + ms;
      while (due && due.atMs <= endMs) {
        nowMs = Math.max(nowMs, due.atMs);
        fire();
      }
      nowMs = endMs;
    },
    /** The thread sleeps: the timer fires late, once. */
    stall(ms: number) {
      nowMs += ms;
      fire();
    },
  };
}

function countingStream() {
  const counts = { sent: 0, skipped: 0, after: 0 };
  const stream = {
    send(skippedTicks: number) {
      counts.sent++;
      counts.skipped += skippedTicks;
    },
    afterSend() {
      counts.after++;
    },
  };
  return { counts, stream };
}

test("each stream is ticked every 20 ms without drift", () => {
  const hand = handClock();
  const pacer = createPacer(hand.clock, silentLog);
  const streams = Array.from({ length: 7 }, countingStream);
  for (const { stream } of streams) pacer.add(stream);
  hand.advance(60_000);
  for (const { counts } of streams) {
    expect(counts.sent).toBe(3000);
    expect(counts.after).toBe(3000);
  }
  pacer.close();
});

test("the remainder of a whole-millisecond timer is slept, so that every slot is on time", () => {
  let nowMs = 0.3;
  let due: { atMs: number; task: () => void } | null = null;
  const rests: number[] = [];
  const clock: Clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    after(delayMs, task) {
      due = { atMs: nowMs + Math.max(1, Math.trunc(delayMs)) + 0.1, task };
      return {
        cancel: () => {
          due = null;
        },
      };
    },
    every: () => ({ cancel() {} }),
    blockThread(ms) {
      rests.push(ms);
      nowMs += ms;
    },
  };
  const sentAt: number[] = [];
  const pacer = createPacer(clock, silentLog);
  pacer.add({
    send() {
      sentAt.push(nowMs);
      nowMs += 0.37;
    },
    afterSend() {
      nowMs += 0.9;
    },
  });
  while (sentAt.length < 500 && due !== null) {
    const { atMs, task } = due as { atMs: number; task: () => void };
    due = null;
    nowMs = Math.max(nowMs, atMs);
    task();
  }
  pacer.close();
  expect(sentAt).toHaveLength(500);
  expect(rests.length).toBeGreaterThan(0);
  expect(Math.max(...rests)).toBeLessThan(1);
  for (const [tick, atMs] of sentAt.entries())
    expect(Math.abs(atMs - (sentAt[0] ?? 0) - tick * 20)).toBeLessThanOrEqual(0.2);
});

test("after a short stall the due slots are made up for, after a long one the rest is skipped", () => {
  const hand = handClock();
  const stalls: number[] = [];
  const pacer = createPacer(hand.clock, silentLog, (lateMs) => stalls.push(lateMs));
  const { counts, stream } = countingStream();
  pacer.add(stream);
  hand.stall(65);
  expect(counts.sent).toBeGreaterThanOrEqual(3);
  expect(counts.skipped).toBe(0);
  const before = counts.sent;
  hand.stall(2000);
  expect(counts.sent - before).toBeLessThanOrEqual(4);
  hand.advance(935);
  expect(counts.sent + counts.skipped).toBe(150);
  expect(stalls).toEqual([1_980]);
  pacer.close();
});

test("a slot's time is its due time, however late it is served, and never goes back", () => {
  const hand = handClock();
  const pacer = createPacer(hand.clock, silentLog);
  const slots: number[] = [];
  pacer.add({ send: () => void slots.push(pacer.slotMs), afterSend() {} });
  hand.advance(45);
  hand.stall(65);
  expect(slots).toEqual([5, 25, 45, 65, 85, 105]);
  hand.stall(2000);
  expect(slots).toEqual(slots.toSorted((a, b) => a - b));
  expect(pacer.slotMs).toBeLessThanOrEqual(hand.clock.monotonic());
  pacer.close();
});

test("a stream that throws stops no other, and may leave during its slot", () => {
  const hand = handClock();
  const pacer = createPacer(hand.clock, silentLog);
  const good = countingStream();
  const bad = {
    send() {
      throw new Error("broken");
    },
    afterSend() {
      pacer.remove(bad);
      throw new Error("broken");
    },
  };
  pacer.add(bad);
  pacer.add(good.stream);
  hand.advance(1000);
  expect(good.counts.sent).toBe(50);
  expect(pacer.streamCount).toBe(1);
  pacer.remove(good.stream);
  expect(hand.isArmed()).toBe(false);
});

test("ports are even and unique", () => {
  const pool = createPortPool({ first: 20001, last: 20007 }, handClock().clock);
  const ports = [pool.acquire(), pool.acquire(), pool.acquire()];
  expect(pool.capacity).toBe(3);
  expect(new Set(ports)).toEqual(new Set([20002, 20004, 20006]));
  expect(pool.acquire()).toBeNull();
});
