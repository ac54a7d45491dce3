import { expect, test } from "bun:test";
import { QualitySeries } from "../../src/call/diagnostics.ts";

const media = (packetsSent: number) => ({
  codec: null,
  packetsSent,
  packetsReceived: 0,
  packetsLost: 0,
  packetsDiscarded: 0,
  jitterMs: 0,
  mos: 4.4,
});

test("quality is sampled every five seconds and stays limited over a day", () => {
  const series = new QualitySeries();
  for (let second = 0; second < 60; second++) series.note(media(second), second * 1000);
  expect(series.samples.map(({ atMs }) => atMs / 1000)).toEqual([
    ...[0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55],
  ]);
  for (let second = 60; second < 86_400; second++) series.note(media(second), second * 1000);
  expect(series.samples.length).toBeLessThanOrEqual(360);
  expect(series.samples.length).toBeGreaterThan(150);
  expect(series.samples[0]?.atMs).toBe(0);
  expect(series.samples.at(-1)?.atMs).toBeGreaterThan(86_000_000);
});

test("at the 361st sample (after half an hour) every second one is removed and sampling becomes half as frequent", () => {
  const series = new QualitySeries();
  for (let ms = 0; ms < 360 * 5_000; ms += 2_500) series.note(media(0), ms);
  expect(series.samples).toHaveLength(360);
  series.note(media(0), 360 * 5_000);
  expect(series.samples).toHaveLength(181);
  expect(series.samples.slice(0, 2).map(({ atMs }) => atMs)).toEqual([0, 10_000]);
  series.note(media(0), 361 * 5_000);
  expect(series.samples).toHaveLength(181);
  series.note(media(0), 362 * 5_000);
  expect(series.samples).toHaveLength(182);
});
