/** Splits a long Markdown text into files, between sections if possible. Each part keeps its headings. */
import { yieldToEventLoop } from "../../core/clock.ts";

/** Characters to process before yielding to the event loop: a few milliseconds of work. */
const CHARACTERS_A_TURN = 250_000;
/** Minimum cost of a block or word, in characters. */
const STEP_CHARACTERS = 50;

/** Splits the text. Yields to the event loop, since a text may have many megabytes. */
export async function splitMarkdown(markdown: string, bytesMax: number): Promise<string[]> {
  const steps = split(markdown, bytesMax);
  let done = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    done += step.value;
    if (done < CHARACTERS_A_TURN) continue;
    done = 0;
    await yieldToEventLoop();
  }
}

/** Yields the cost of each step, in characters. */
type Steps<Result> = Generator<number, Result>;

function* split(markdown: string, bytesMax: number): Steps<string[]> {
  const parts: string[] = [];
  let part: string[] = [];
  let bytes = 0;
  let headings: string[] = [];
  const finish = () => {
    if (part.length > 0) parts.push(`${part.join("\n\n")}\n`);
    part = [];
    bytes = 0;
  };
  const take = (block: string) => {
    const level = /^(#{1,6})\s/.exec(block)?.[1]?.length ?? 0;
    const size = Buffer.byteLength(block) + 2;
    const isFull =
      bytes + size - 1 > bytesMax || (level > 0 && level < 3 && bytes > 0.8 * bytesMax);
    if (isFull && part.length > 0) {
      finish();
      const above = level > 0 ? headings.slice(0, level - 1) : headings;
      part = above.filter((heading) => heading);
      bytes = Buffer.byteLength(part.join("\n\n")) + 2;
    }
    if (level > 0) headings = [...headings.slice(0, level - 1), block];
    part.push(block);
    bytes += size;
  };
  for (let at = 0; at <= markdown.length; ) {
    const gap = /\n{2,}/g;
    gap.lastIndex = at;
    const found = gap.exec(markdown);
    const block = markdown.slice(at, found?.index);
    for (const piece of yield* piecesOf(block, bytesMax / 2)) take(piece);
    yield block.length + STEP_CHARACTERS;
    at = found ? found.index + found[0].length : markdown.length + 1;
  }
  finish();
  return parts;
}

/** Splits a block that is larger than a file between its lines. Each part of a table repeats the header. */
function* piecesOf(block: string, bytesMax: number): Steps<string[]> {
  if (Buffer.byteLength(block) <= bytesMax) return [block];
  const lines = block.split("\n");
  const head = /^\|(?: --- \|)+$/.test(lines[1] ?? "") ? lines.splice(0, 2) : [];
  const pieces: string[] = [];
  let piece = [...head];
  let bytes = 0;
  for (const text of lines) {
    for (const line of yield* shortened(text, bytesMax / 2)) {
      const size = Buffer.byteLength(line) + 1;
      if (bytes + size > bytesMax && bytes > 0) {
        pieces.push(piece.join("\n"));
        piece = [...head];
        bytes = 0;
      }
      piece.push(line);
      bytes += size;
    }
    yield text.length + STEP_CHARACTERS;
  }
  return [...pieces, piece.join("\n")];
}

/** Splits a line that is larger than a file between words, or inside a word that is too long. */
function* shortened(line: string, bytesMax: number): Steps<string[]> {
  if (Buffer.byteLength(line) <= bytesMax) return [line];
  const parts: string[] = [];
  let part = "";
  let bytes = 0;
  for (const [word] of line.matchAll(/\S{1,1000}\s*/gu)) {
    yield word.length + STEP_CHARACTERS;
    const size = Buffer.byteLength(word);
    if (bytes + size > bytesMax) {
      // Trimming joins the string's pieces, which takes time. So each step does one part.
      parts.push(part.trim());
      part = "";
      bytes = 0;
    }
    part += word;
    bytes += size;
  }
  return [...parts, part.trim()].filter((text) => text !== "");
}
