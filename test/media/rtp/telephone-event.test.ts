import { expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import {
  readTelephoneEvent,
  type TelephoneEvent,
  TelephoneEventReceiver,
  TelephoneEventSender,
} from "../../../src/media/rtp/telephone-event.ts";

interface Sent {
  readonly event: TelephoneEvent;
  readonly timestamp: number;
  readonly marker: boolean;
}

function press(keys: string, start = 0xffffff00): Sent[] {
  const sender = new TelephoneEventSender();
  const payload = new Uint8Array(4);
  const packets: Sent[] = [];
  sender.queue(keys);
  for (let tick = 0; sender.active; tick++) {
    const step = sender.next((start + tick * 160) >>> 0, payload, 0);
    const event = readTelephoneEvent(payload, 0, 4);
    if (step !== "pause" && event) {
      packets.push({ event, timestamp: sender.timestamp, marker: step === "first" });
    }
  }
  return packets;
}

function hear(packets: readonly Sent[]): string {
  const receiver = new TelephoneEventReceiver();
  return packets
    .map(({ event, timestamp, marker }) => receiver.receive(event, timestamp, marker) ?? "")
    .join("");
}

test("a press is one timestamp, growing durations and three equal ends", () => {
  const packets = press("7");
  expect(packets.map((packet) => packet.event.duration)).toEqual([
    160, 320, 480, 640, 800, 800, 800,
  ]);
  expect(packets.map((packet) => packet.event.end)).toEqual([
    false,
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
  expect(new Set(packets.map((packet) => packet.timestamp)).size).toBe(1);
  expect(packets.map((packet) => packet.marker).filter(Boolean)).toEqual([true]);
});

test("every key counts once, also the same key twice and across the clock's wrap", () => {
  expect(hear(press("0123456789*#ABCD"))).toBe("0123456789*#ABCD");
  expect(hear(press("1100"))).toBe("1100");
});

test("lost ends, lost starts, repetitions and reordering within a press change nothing", () => {
  const random = seededRandom(7);
  const packets = press("5521");
  expect(hear(packets.filter((packet) => !packet.event.end))).toBe("5521");
  expect(hear(packets.filter((packet) => !packet.marker))).toBe("5521");
  expect(hear(packets.flatMap((packet) => [packet, packet, packet]))).toBe("5521");
  const inGroups = Map.groupBy(packets, (packet) => packet.timestamp).values();
  const shuffled = [...inGroups].flatMap((group) =>
    group
      .map((packet) => ({ packet, order: random.float() }))
      .sort((a, b) => a.order - b.order)
      .map(({ packet }) => packet),
  );
  expect(hear(shuffled)).toBe("5521");
});

test("a late packet of an earlier press is not a new press", () => {
  const packets = press("12");
  const first = packets[0];
  if (!first) throw new Error("no packet");
  expect(hear([...packets, first])).toBe("12");
});

test("a sender that moves the timestamp within a press counts once", () => {
  const event = { event: 4, end: false, volume: 10, duration: 0 };
  const packets = [1, 2, 3, 4].map((step) => ({
    event: { ...event, duration: step * 160, end: step === 4 },
    timestamp: 1000 + step * 160,
    marker: step === 1,
  }));
  expect(hear(packets)).toBe("4");
});

test("a sender that moves the timestamp with every packet, the ends too, counts once", () => {
  for (const withMarker of [true, false]) {
    const packets = press("11#1").map((packet, index) => ({
      ...packet,
      timestamp: 1000 + index * 160 + Math.floor(index / 7) * 480,
      marker: packet.marker && withMarker,
    }));
    expect(hear(packets)).toBe("11#1");
  }
});

test("a very long press in segments counts once, though the last packet of one was lost", () => {
  const packets = Array.from({ length: 450 }, (_, index) => {
    const ticks = (index + 1) * 160;
    const segment = Math.floor((ticks - 1) / 65_440);
    const event = { event: 5, end: index > 446, volume: 10, duration: ticks - segment * 65_440 };
    return { event, timestamp: 7 + segment * 65_440, marker: index === 0 };
  });
  expect(hear(packets)).toBe("5");
});

test("events other than keys are ignored", () => {
  const receiver = new TelephoneEventReceiver();
  expect(receiver.receive({ event: 16, end: false, volume: 0, duration: 160 }, 0, true)).toBeNull();
});
