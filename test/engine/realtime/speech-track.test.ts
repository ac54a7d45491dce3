/** Pieces of text and their samples: nothing lost, nothing doubled. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { SpeechTrack } from "../../../src/engine/realtime/speech-track.ts";

const live = () => new AbortController().signal;

async function lengthOf(track: SpeechTrack, text: string): Promise<number> {
  const piece = track.find(text);
  if (!piece) throw new Error(`no piece ${text}`);
  let samples = 0;
  for await (const pcm of track.read(piece, live())) samples += pcm.length;
  return samples;
}

test("all pieces together have all samples, whatever their texts", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 0, max: 40_000 }),
      async (texts, samples) => {
        const track = new SpeechTrack(8_000);
        for (const text of texts) track.addPiece(text);
        track.add(new Int16Array(samples));
        track.end();
        let sum = 0;
        for (const text of texts) sum += await lengthOf(track, text);
        expect(sum).toBe(samples);
      },
    ),
  );
});

test("audio is returned as it arrives, before the next piece is known", async () => {
  const track = new SpeechTrack(8_000);
  track.addPiece("We are");
  track.add(new Int16Array(800));
  const piece = track.find("We are");
  if (!piece) throw new Error("no piece");
  const reading = track.read(piece, live());
  expect((await reading.next()).value?.length).toBe(800);
  const next = reading.next();
  track.add(new Int16Array(160));
  expect((await next).value?.length).toBe(160);
  track.end();
  expect((await reading.next()).done).toBe(true);
});

test("a piece read again has the same samples, and unread pieces before it are skipped", async () => {
  const track = new SpeechTrack(8_000);
  for (const text of ["One moment.", "We are open.", "Goodbye now."]) track.addPiece(text);
  track.add(new Int16Array(36_000));
  track.end();
  const second = await lengthOf(track, "We are open.");
  const again = await lengthOf(track, "We are open.");
  expect(again).toBe(second);
  expect(second).toBeLessThan(14_000);
  expect(await lengthOf(track, "Goodbye now.")).toBeLessThan(14_000);
});

test("an aborted read ends at once, although more may come", async () => {
  const track = new SpeechTrack(8_000);
  track.addPiece("We are");
  const piece = track.find("We are");
  if (!piece) throw new Error("no piece");
  const abort = new AbortController();
  const next = track.read(piece, abort.signal).next();
  abort.abort();
  expect((await next).done).toBe(true);
});
