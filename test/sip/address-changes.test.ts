/** The peers informed of our new address, and the time. */
import { expect, test } from "bun:test";
import { AddressChanges } from "../../src/sip/address-changes.ts";
import { fakeClock } from "../support/fake-clock.ts";

function told(registers: boolean) {
  const clock = fakeClock();
  const counts = { calls: 0, registers: 0 };
  const call = { readdress: () => void counts.calls++ };
  const changes = new AddressChanges({
    clock,
    registers: () => registers,
    register: () => void counts.registers++,
    calls: () => [call],
  });
  return { clock, counts, call, changes };
}

test("with a registration, calls wait for the registrar's answer, also those started meanwhile", async () => {
  const { clock, counts, call, changes } = told(true);
  changes.connected();
  changes.begun(call);
  await clock.advance(1);
  expect(counts.calls).toBe(0);
  changes.answered(false);
  expect(counts).toEqual({ calls: 1, registers: 0 });
  changes.begun(call);
  expect(counts.calls).toBe(2);
});

test("without one, calls are informed after the request that opened the connection, and not after their end", async () => {
  const { clock, counts, changes } = told(false);
  changes.connected();
  expect(counts.calls).toBe(0);
  await clock.advance(1);
  expect(counts.calls).toBe(1);
  changes.connected();
  changes.close();
  await clock.advance(1);
  expect(counts.calls).toBe(1);
});

test("a registrar that sees another port each time gets one renewal per minute; a move, or a new connection, renews at once", async () => {
  const { clock, counts, changes } = told(true);
  for (const [waitMs, registers] of [
    [1, 1],
    [59_998, 1],
    [1, 1],
    [1, 2],
  ] as const) {
    changes.answered(true);
    await clock.advance(waitMs);
    expect(counts.registers).toBe(registers);
  }
  changes.moved();
  await clock.advance(1);
  expect(counts.registers).toBe(3);
  changes.connected();
  changes.answered(true);
  await clock.advance(1);
  expect(counts.registers).toBe(4);
});
