/**
 * A CSV is generated while it is sent: never ahead of its reader, with turns for other work, and not after the
 * reader has left.
 */
import { expect, test } from "bun:test";
import { csvResponse } from "../../src/http/csv-response.ts";

const LINES = 50_000;

function source() {
  const state = { made: 0, isClosed: false };
  async function* lines() {
    try {
      for (; state.made < LINES; ) {
        state.made++;
        yield `line ${state.made}`.padEnd(100, "x");
      }
    } finally {
      state.isClosed = true;
    }
  }
  return { state, response: csvResponse(lines(), "lines.csv") };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("generation waits for a slow reader, and ends with one that leaves", async () => {
  const { state, response } = source();
  const reader = response.body?.getReader();
  await reader?.read();
  for (let n = 0; n < 200; n++) await turn();
  expect(state.made).toBeLessThan(LINES / 10);
  await reader?.cancel();
  expect(state.isClosed).toBe(true);
});

test("complete, in order, with turns for other work between pieces", async () => {
  const { state, response } = source();
  let pieces = 0;
  let turnsOfOthers = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turnsOfOthers++) await turn();
  })();
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of response.body ?? []) {
    pieces++;
    text += decoder.decode(piece, { stream: true });
  }
  isOver = true;
  await others;
  const lines = text.split("\r\n");
  expect([lines.length, lines.at(-1), state.isClosed]).toEqual([LINES + 1, "", true]);
  expect(lines[LINES - 1]).toStartWith(`line ${LINES}`);
  expect(turnsOfOthers).toBeGreaterThanOrEqual(pieces);
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="lines.csv"');
});
