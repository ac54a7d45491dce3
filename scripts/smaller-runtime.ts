/**
 * Takes out of a compiled program what the runtime brings and nobody asks for: names and formats of other languages
 * than ours (ICU's data, 9 of 12 MB), and the zeros between its data and our files. What is gone is gone from the file;
 * everything else keeps its address in memory, so no instruction changes. ELF(5), 64 bits, little-endian.
 */

/** Languages whose dates, money, plurals and order the program writes or reads ("sv": dates as in ISO 8601). */
const LANGUAGES = new Set(["en", "lt", "lv", "ru", "sv"]);
/** Words of languages that are written without spaces; how languages, countries and units of measure are called. */
const NOT_ASKED = /\/brkitr\/\w+\.dict$|\/(?:lang|region|unit)\/(?!root|pool|res_index|en\.)/;
/** `…/de_AT.res`, `…/zone/de.res`; not `…/res_index.res`. */
const LANGUAGE_FILE = /\/(?!res_index)([a-z]{2,3})(?:_\w+)?\.res$/;

const isAsked = (name: string): boolean => {
  const [, language] = LANGUAGE_FILE.exec(name) ?? [];
  return !NOT_ASKED.test(name) && (language === undefined || LANGUAGES.has(language));
};

/** Bytes of the file, or of memory: the first, and the one behind the last. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const [LOAD, SELF] = [1, 6];
/** Of a header of a segment, a header of a section, and an entry of ICU's table. */
const [SEGMENT_BYTES, SECTION_BYTES, ENTRY_BYTES] = [56, 64, 8];
/** Alignment of an item in ICU's data. */
const ITEM_BYTES = 16;

const align = (at: number, to: number) => Math.ceil(at / to) * to;
const alignDown = (at: number, to: number) => Math.floor(at / to) * to;

/** A part of the file that becomes a part of memory. Numbers as in the header of the program. */
interface Segment {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly fileBytes: number;
  readonly memoryBytes: number;
  readonly alignment: number;
}

interface Section extends Span {
  readonly name: string;
  readonly address: number;
  /** Where its header stands in the file. */
  readonly header: number;
}

/** Changes `program` (a compiled one) and answers it without what is not needed. Throws where it is not as expected. */
export function smallerRuntime(program: Buffer): Uint8Array {
  const segments = readSegments(program);
  const sections = readSections(program);
  const page = Math.max(...segments.filter(isLoaded).map(({ alignment }) => alignment));
  const table = packIcuData(program);
  // Behind the data that is left: a header for each part, two more than before.
  const headers = align(table.start, ITEM_BYTES);
  const headersEnd = headers + (segments.length + 2) * SEGMENT_BYTES;
  const languages = { start: align(headersEnd, page), end: alignDown(table.end, page) };
  const { zeros, memoryEnd } = zerosOf(sections, page);
  const parts = segments
    .flatMap((segment) => withoutSpan(segment, languages, null))
    .flatMap((segment) => withoutSpan(segment, zeros, memoryEnd));
  if (parts.length !== segments.length + 2) throw new Error("the runtime is laid out otherwise");
  const gone = [languages, zeros];
  const moved = (offset: number) =>
    gone.reduce((at, { start, end }) => (offset < end ? at : at - (end - start)), offset);
  const self = parts.map((part) =>
    part.type === SELF
      ? {
          ...part,
          offset: headers,
          address: addressOf(parts, headers),
          ...sized(headersEnd - headers),
        }
      : part,
  );
  program.fill(0, headers, languages.start);
  for (const [index, part] of self.entries())
    writeSegment(program, headers + index * SEGMENT_BYTES, { ...part, offset: moved(part.offset) });
  for (const section of sections) moveSection(program, section, languages, moved);
  program.writeBigUInt64LE(BigInt(headers), 32);
  program.writeBigUInt64LE(BigInt(moved(Number(program.readBigUInt64LE(40)))), 40);
  program.writeUInt16LE(self.length, 56);
  return Buffer.concat([
    program.subarray(0, languages.start),
    program.subarray(languages.end, zeros.start),
    program.subarray(zeros.end),
  ]);
}

const sized = (bytes: number) => ({ fileBytes: bytes, memoryBytes: bytes });
const isLoaded = ({ type }: Segment) => type === LOAD;

function readSegments(program: Buffer): Segment[] {
  const table = Number(program.readBigUInt64LE(32));
  return Array.from({ length: program.readUInt16LE(56) }, (_, index) => {
    const entry = program.subarray(table + index * SEGMENT_BYTES);
    const word = (at: number) => Number(entry.readBigUInt64LE(at));
    return {
      type: entry.readUInt32LE(0),
      flags: entry.readUInt32LE(4),
      offset: word(8),
      address: word(16),
      fileBytes: word(32),
      memoryBytes: word(40),
      alignment: word(48),
    };
  });
}

function writeSegment(program: Buffer, at: number, segment: Segment): void {
  const { offset, address, fileBytes, memoryBytes, alignment } = segment;
  program.writeUInt32LE(segment.type, at);
  program.writeUInt32LE(segment.flags, at + 4);
  for (const [index, word] of [
    ...[offset, address, address],
    ...[fileBytes, memoryBytes, alignment],
  ].entries())
    program.writeBigUInt64LE(BigInt(word), at + 8 + index * 8);
}

function addressOf(segments: readonly Segment[], offset: number): number {
  const found = segments.find(
    (one) => isLoaded(one) && offset >= one.offset && offset < one.offset + one.fileBytes,
  );
  if (!found) throw new Error("a place that is not loaded");
  return found.address + offset - found.offset;
}

/**
 * Two parts in memory instead of one. `memoryEnd`: up to this address the first is zeros that are not in the file;
 * null: there is nothing.
 */
function withoutSpan(segment: Segment, gone: Span, memoryEnd: number | null): Segment[] {
  const { offset, address, fileBytes, memoryBytes } = segment;
  if (!isLoaded(segment) || gone.start < offset || gone.end > offset + fileBytes) return [segment];
  const before = gone.start - offset;
  const skipped = gone.end - offset;
  return [
    {
      ...segment,
      fileBytes: before,
      memoryBytes: memoryEnd === null ? before : memoryEnd - address,
    },
    {
      ...segment,
      offset: gone.end,
      address: address + skipped,
      fileBytes: fileBytes - skipped,
      memoryBytes: memoryBytes - skipped,
    },
  ];
}

function readSections(program: Buffer): Section[] {
  const table = Number(program.readBigUInt64LE(40));
  const headers = Array.from(
    { length: program.readUInt16LE(60) },
    (_, index) => table + index * SECTION_BYTES,
  );
  const word = (at: number) => Number(program.readBigUInt64LE(at));
  const names = word((headers[program.readUInt16LE(62)] ?? 0) + 24);
  return headers.map((header) => {
    const name = names + program.readUInt32LE(header);
    const start = word(header + 24);
    return {
      name: program.toString("latin1", name, program.indexOf(0, name)),
      header,
      start,
      end: start + word(header + 32),
      address: word(header + 16),
    };
  });
}

/** A section that had what is gone in its middle ends there: no tool needs its other part. */
function moveSection(
  program: Buffer,
  { header, start, end }: Section,
  gone: Span,
  moved: (offset: number) => number,
): void {
  program.writeBigUInt64LE(BigInt(moved(start)), header + 24);
  if (start < gone.start && end > gone.end)
    program.writeBigUInt64LE(BigInt(gone.start - start), header + 32);
}

/** The compiler of our files writes the runtime's zeroed memory (`.bss`) out, to have them behind it. */
function zerosOf(sections: readonly Section[], page: number): { zeros: Span; memoryEnd: number } {
  const found = (name: string) => {
    const section = sections.find((one) => one.name === name);
    if (!section) throw new Error(`no section ${name}`);
    return section;
  };
  const zeroed = found(".bss");
  const files = found(".bun");
  return {
    zeros: { start: align(zeroed.start, page), end: alignDown(files.start, page) },
    memoryEnd: zeroed.address + zeroed.end - zeroed.start,
  };
}

/**
 * ICU's data, packed at its beginning without what nobody asks for. Answers what is free behind it: a header, how
 * many items there are, where name and content of each lie, the names in order, the contents.
 */
function packIcuData(program: Buffer): Span {
  const mark = Buffer.from([0xda, 0x27]);
  const starts: number[] = [];
  for (let at = program.indexOf("CmnD"); at >= 0; at = program.indexOf("CmnD", at + 1))
    if (program.subarray(at - 10, at - 8).equals(mark)) starts.push(at - 12);
  const [start] = starts;
  if (start === undefined || starts.length !== 1) throw new Error("not one collection of ICU data");
  const base = start + program.readUInt16LE(start);
  const contents = program.subarray(base);
  const items = Array.from({ length: contents.readUInt32LE(0) }, (_, index) => {
    const name = contents.readUInt32LE(4 + index * ENTRY_BYTES);
    return {
      name: contents.toString("latin1", name, contents.indexOf(0, name)),
      start: contents.readUInt32LE(8 + index * ENTRY_BYTES),
      end: contents.readUInt32LE(8 + (index + 1) * ENTRY_BYTES),
    };
  });
  // Where the last one ends is nowhere written: it stays where it is, and is not asked for.
  const last = items.pop();
  if (!last || isAsked(last.name)) throw new Error("the last item of ICU's data is needed");
  const asked = items
    .filter(({ name }) => isAsked(name))
    .map(({ name, start, end }) => ({ name, bytes: Buffer.from(contents.subarray(start, end)) }));
  let nameAt = 4 + asked.length * ENTRY_BYTES;
  let at = align(nameAt + asked.reduce((sum, { name }) => sum + name.length + 1, 0), ITEM_BYTES);
  contents.writeUInt32LE(asked.length, 0);
  for (const [index, { name, bytes }] of asked.entries()) {
    contents.writeUInt32LE(nameAt, 4 + index * ENTRY_BYTES);
    contents.writeUInt32LE(at, 8 + index * ENTRY_BYTES);
    contents.write(`${name}\0`, nameAt, "latin1");
    bytes.copy(contents, at);
    nameAt += name.length + 1;
    at = align(at + bytes.length, ITEM_BYTES);
  }
  return { start: base + at, end: base + last.start };
}
