/** One answer of a Realtime server, event by event, with impossible values. */
import { expect, test } from "bun:test";
import { UsageMeter } from "../../../src/conversation/usage-meter.ts";
import { microEur } from "../../../src/core/money.ts";
import { ProviderFailure } from "../../../src/engine/provider-failure.ts";
import { AudioDecoder } from "../../../src/engine/realtime/audio-codec.ts";
import type { AudioFormat } from "../../../src/engine/realtime/events.ts";
import { RealtimeResponse } from "../../../src/engine/realtime/response.ts";
import { costOfGoods } from "../../../src/features/billing/cost-of-goods.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const response = (format: AudioFormat = "pcm") =>
  new RealtimeResponse({
    key: "r1",
    outOfBand: false,
    decoder: new AudioDecoder(format, 16_000),
    sampleRateHz: 16_000,
    firstMsMax: 1_000,
    clock: fakeClock(),
    fail: (reason, message) => new ProviderFailure({ part: "llm", reason, message }),
  });

const PRICES = {
  sttPerMinute: microEur(0),
  llmInputPerMillionTokens: microEur(5_000_000),
  llmOutputPerMillionTokens: microEur(20_000_000),
  ttsPerMillionCharacters: microEur(0),
  embeddingPerMillionTokens: microEur(0),
  trunkPerMinute: microEur(0),
};

test.each([
  [-5, 0],
  [2.6, 3],
  [1e300, 100_000_000],
])("a server that reports %p tokens counts as %d, and the call can be billed", (told, counted) => {
  const answer = response();
  const usage = { input_tokens: told, output_tokens: told };
  answer.receive({ type: "response.done", body: { response: { usage } } });
  expect(answer.usage).toEqual({ inputTokens: counted, outputTokens: counted });
  const meter = new UsageMeter();
  for (let turn = 0; turn < 1_000; turn++) meter.tokens(answer.usage);
  const { llm } = costOfGoods(meter.read(), 0, PRICES);
  expect(llm).toBe(microEur(counted * 1_000 * 25));
});

test.each([
  ["pcm", 48_000],
  ["g711_ulaw", 8_000],
] as const)(
  "%s: twenty seconds of audio in one event are played, more end the answer",
  (format, bytesPerSecond) => {
    const delta = (seconds: number) => Buffer.alloc(seconds * bytesPerSecond).toString("base64");
    const sound = (seconds: number) => ({
      type: "response.output_audio.delta",
      body: { item_id: "i1", delta: delta(seconds) },
    });
    const whole = response(format);
    whole.receive(sound(20));
    expect([Math.round(whole.track.ms / 100), whole.over]).toEqual([200, false]);
    const flood = response(format);
    flood.receive(sound(1));
    flood.receive(sound(21));
    expect([Math.round(flood.track.ms / 100), flood.failure?.reason]).toEqual([10, "protocol"]);
  },
);

const wordsOf = (id: string, delta: string) => ({
  type: "response.output_text.delta",
  body: { item_id: id, delta },
});

test("an answer has at most 10,000 characters", () => {
  const answer = response();
  answer.receive(wordsOf("i1", "word ".repeat(2_000)));
  expect(answer.over).toBeFalse();
  answer.receive(wordsOf("i1", "x"));
  expect([answer.transcript.length, answer.failure?.reason]).toEqual([10_000, "protocol"]);
});

test("an answer of empty events ends after 20,000 of them", () => {
  const answer = response();
  for (let event = 0; event < 20_000; event++) answer.receive(wordsOf(`i${event}`, ""));
  expect(answer.over).toBeFalse();
  answer.receive(wordsOf("i", ""));
  expect(answer.failure?.reason).toBe("protocol");
});

test.each([
  ['{"day":"Friday"}', { day: "Friday" }],
  ["", {}],
  ['"{\\"day\\":1}"', { day: 1 }],
  ["[1]", null],
  [`{"day":"${"x".repeat(64 * 1024)}"}`, null],
])("the arguments of a tool call %#", async (text, read) => {
  const answer = response();
  const item = { type: "function_call", call_id: "c", name: "book", arguments: text };
  answer.receive({ type: "response.output_item.done", body: { item } });
  const call = { callId: "c", name: "book", arguments: read };
  expect(await answer.next()).toEqual({ type: "call", call });
});
