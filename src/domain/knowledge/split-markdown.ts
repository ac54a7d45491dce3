/** Cuts a long Markdown text into files: between sections where it can, and each part keeps its headings. */

export function splitMarkdown(markdown: string, bytesMax: number): string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let bytes = 0;
  let headings: string[] = [];
  const finish = () => {
    if (part.length > 0) parts.push(`${part.join("\n\n")}\n`);
    part = [];
    bytes = 0;
  };
  for (const block of markdown.split(/\n{2,}/).flatMap((text) => piecesOf(text, bytesMax / 2))) {
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
  }
  finish();
  return parts;
}

/** A block that is larger than a file: between its lines, each part of a table below the table's own head. */
function piecesOf(block: string, bytesMax: number): string[] {
  if (Buffer.byteLength(block) <= bytesMax) return [block];
  const lines = block.split("\n");
  const head = /^\|(?: --- \|)+$/.test(lines[1] ?? "") ? lines.splice(0, 2) : [];
  const pieces: string[] = [];
  let piece = [...head];
  let bytes = 0;
  for (const line of lines.flatMap((text) => shortened(text, bytesMax / 2))) {
    const size = Buffer.byteLength(line) + 1;
    if (bytes + size > bytesMax && bytes > 0) {
      pieces.push(piece.join("\n"));
      piece = [...head];
      bytes = 0;
    }
    piece.push(line);
    bytes += size;
  }
  return [...pieces, piece.join("\n")];
}

/** A line that is larger than a file: between words, and within one that is no word. */
function shortened(line: string, bytesMax: number): string[] {
  if (Buffer.byteLength(line) <= bytesMax) return [line];
  const parts: string[] = [];
  let part = "";
  let bytes = 0;
  for (const word of line.match(/\S{1,1000}\s*/gu) ?? []) {
    const size = Buffer.byteLength(word);
    if (bytes + size > bytesMax) {
      parts.push(part);
      part = "";
      bytes = 0;
    }
    part += word;
    bytes += size;
  }
  return [...parts, part].map((text) => text.trim()).filter((text) => text !== "");
}
