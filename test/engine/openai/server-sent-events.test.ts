/** The event stream as WHATWG defines it, and as servers send it. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { EventTooLong, ServerSentEvents } from "../../../src/engine/openai/server-sent-events.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function readAll(text: string, cuts: readonly number[] = []): string[] {
  const events = new ServerSentEvents();
  const all = bytes(text);
  const out: string[] = [];
  let at = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const end = Math.min(all.length, cut);
    out.push(...events.push(all.subarray(at, Math.max(at, end))));
    at = Math.max(at, end);
  }
  out.push(...events.push(all.subarray(at)), ...events.end());
  return out;
}

test.each(["\n", "\r\n", "\r"])("events are separated with line ending %j", (ending) => {
  const text = ["data: one", "", "data: two", "", ""].join(ending);
  expect(readAll(text)).toEqual(["one", "two"]);
});

test("several data lines are one text, a missing space is allowed, comments and other fields are ignored", () => {
  const text = ": keep-alive\n\nevent: x\nid: 3\ndata: a\ndata:b\nretry: 10\n\n:\n\n";
  expect(readAll(text)).toEqual(["a\nb"]);
});

test("a last event without its blank line is returned", () => {
  expect(readAll("data: one\n\ndata: two")).toEqual(["one", "two"]);
  expect(readAll("data: one\n\ndata: two\r")).toEqual(["one", "two"]);
});

test("however the bytes are split, the events are the same", () => {
  const text = 'data: {"a":"ė"}\r\n\r\n: x\r\ndata: žodis\r\ndata: Ω\r\n\r\ndata: [DONE]\n\n';
  const whole = readAll(text);
  expect(whole).toEqual(['{"a":"ė"}', "žodis\nΩ", "[DONE]"]);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes(text).length), { maxLength: 12 }), (cuts) => {
      expect(readAll(text, cuts)).toEqual(whole);
    }),
  );
});

test("an endless event is refused, not stored", () => {
  const events = new ServerSentEvents();
  const part = bytes(`data: ${"x".repeat(300_000)}`);
  expect(() => {
    for (let count = 0; count < 5; count++) events.push(part);
  }).toThrow(EventTooLong);
});
