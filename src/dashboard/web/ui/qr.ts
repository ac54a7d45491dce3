/**
 * QR codes (ISO/IEC 18004) for texts up to 230 bytes: byte mode, error correction level L, versions
 * 1 to 9, whose blocks have equal sizes. Uses the smallest version that fits, and one fixed mask,
 * which every reader accepts.
 */
interface Version {
  readonly blocks: number;
  readonly dataPerBlock: number;
  readonly correctionPerBlock: number;
  /** Centres of the alignment patterns, in both directions. */
  readonly alignment: readonly number[];
}

/** Table 7 and annex E of the standard, level L. */
const VERSIONS: readonly Version[] = [
  { blocks: 1, dataPerBlock: 19, correctionPerBlock: 7, alignment: [] },
  { blocks: 1, dataPerBlock: 34, correctionPerBlock: 10, alignment: [6, 18] },
  { blocks: 1, dataPerBlock: 55, correctionPerBlock: 15, alignment: [6, 22] },
  { blocks: 1, dataPerBlock: 80, correctionPerBlock: 20, alignment: [6, 26] },
  { blocks: 1, dataPerBlock: 108, correctionPerBlock: 26, alignment: [6, 30] },
  { blocks: 2, dataPerBlock: 68, correctionPerBlock: 18, alignment: [6, 34] },
  { blocks: 2, dataPerBlock: 78, correctionPerBlock: 20, alignment: [6, 22, 38] },
  { blocks: 2, dataPerBlock: 97, correctionPerBlock: 24, alignment: [6, 24, 42] },
  { blocks: 2, dataPerBlock: 116, correctionPerBlock: 30, alignment: [6, 26, 46] },
];
const BYTE_MODE = 0b0100;
const LEVEL_L = 0b01;
const VERSION_SHOWN_FROM = 7;

/** Whether a mask inverts the module at row, column (clause 7.8.2). */
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (_, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2 === 0,
];

/** Multiplication in GF(256) modulo x⁸+x⁴+x³+x²+1. */
function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    if ((b >> bit) & 1) product ^= a;
  }
  return product;
}

/** The Reed-Solomon remainder of a block. */
function correctionOf(data: readonly number[], degree: number): number[] {
  const divisor = new Array<number>(degree).fill(0);
  divisor[degree - 1] = 1;
  let root = 1;
  for (let step = 0; step < degree; step++) {
    for (let at = 0; at < degree; at++)
      divisor[at] = times(divisor[at] ?? 0, root) ^ (divisor[at + 1] ?? 0);
    root = times(root, 2);
  }
  const remainder = new Array<number>(degree).fill(0);
  for (const byte of data) {
    const factor = byte ^ (remainder.shift() ?? 0);
    remainder.push(0);
    for (let at = 0; at < degree; at++)
      remainder[at] = (remainder[at] ?? 0) ^ times(divisor[at] ?? 0, factor);
  }
  return remainder;
}

/** Data and correction, interleaved block by block (clause 7.6). */
function codewords(bytes: Uint8Array, version: Version): number[] {
  const capacity = version.blocks * version.dataPerBlock;
  const bits = [BYTE_MODE, bytes.length >> 4, bytes.length & 15];
  for (const byte of bytes) bits.push(byte >> 4, byte & 15);
  bits.push(0);
  const data: number[] = [];
  for (let at = 0; at < bits.length; at += 2)
    data.push(((bits[at] ?? 0) << 4) | (bits[at + 1] ?? 0));
  for (let pad = 0; data.length < capacity; pad++) data.push(pad % 2 === 0 ? 0xec : 0x11);
  const blocks = Array.from({ length: version.blocks }, (_, block) =>
    data.slice(block * version.dataPerBlock, (block + 1) * version.dataPerBlock),
  );
  const corrections = blocks.map((block) => correctionOf(block, version.correctionPerBlock));
  const interleaved = (lists: readonly (readonly number[])[]) =>
    (lists[0] ?? []).flatMap((_, at) => lists.map((list) => list[at] ?? 0));
  return [...interleaved(blocks), ...interleaved(corrections)];
}

/** The remainder of a BCH code: `value` shifted up, modulo the generator. */
function bch(value: number, generator: number, degree: number): number {
  let rest = value << degree;
  for (let bit = 31 - Math.clz32(rest); bit >= degree; bit--)
    if ((rest >> bit) & 1) rest ^= generator << (bit - degree);
  return (value << degree) | rest;
}

/** `null`: free for data. */
type Modules = (boolean | null)[][];

function put(modules: Modules, row: number, column: number, dark: boolean): void {
  const line = modules[row];
  if (line && column >= 0 && column < line.length) line[column] = dark;
}

function drawPatterns(modules: Modules, number: number, version: Version, mask: number): void {
  const size = modules.length;
  for (const [top, left] of [
    [0, 0],
    [0, size - 7],
    [size - 7, 0],
  ] as const)
    for (let row = -1; row <= 7; row++)
      for (let column = -1; column <= 7; column++) {
        const ring = Math.max(Math.abs(row - 3), Math.abs(column - 3));
        put(modules, top + row, left + column, ring !== 2 && ring !== 4);
      }
  const last = version.alignment.at(-1) ?? 0;
  for (const row of version.alignment)
    for (const column of version.alignment) {
      const inFinder =
        (row === 6 && column === 6) ||
        (row === 6 && column === last) ||
        (row === last && column === 6);
      if (inFinder) continue;
      for (let down = -2; down <= 2; down++)
        for (let right = -2; right <= 2; right++)
          put(modules, row + down, column + right, Math.max(Math.abs(down), Math.abs(right)) !== 1);
    }
  for (let at = 8; at < size - 8; at++) {
    put(modules, 6, at, at % 2 === 0);
    put(modules, at, 6, at % 2 === 0);
  }
  const format = bch((LEVEL_L << 3) | mask, 0x537, 10) ^ 0x5412;
  for (let bit = 0; bit < 15; bit++) {
    const dark = ((format >> bit) & 1) === 1;
    const down = bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit;
    const right = bit < 8 ? size - 1 - bit : bit < 9 ? 15 - bit : 14 - bit;
    put(modules, down, 8, dark);
    put(modules, 8, right, dark);
  }
  put(modules, size - 8, 8, true);
  if (number < VERSION_SHOWN_FROM) return;
  const shown = bch(number, 0x1f25, 12);
  for (let bit = 0; bit < 18; bit++) {
    const dark = ((shown >> bit) & 1) === 1;
    put(modules, Math.floor(bit / 3), size - 11 + (bit % 3), dark);
    put(modules, size - 11 + (bit % 3), Math.floor(bit / 3), dark);
  }
}

/** Upwards and downwards in columns of two, from the right (clause 7.7.3). */
function drawData(modules: Modules, words: readonly number[], mask: number): void {
  const size = modules.length;
  const turns = MASKS[mask] ?? (() => false);
  let bit = 0;
  let upwards = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right--;
    for (let step = 0; step < size; step++) {
      const row = upwards ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (modules[row]?.[column] !== null) continue;
        const dark = (((words[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
        put(modules, row, column, dark !== turns(row, column));
        bit++;
      }
    }
    upwards = !upwards;
  }
}

/** Rows of modules, true is dark; null when the text is too long. `mask` is 0 to 7. */
export function qrModules(text: string, mask = 0): readonly (readonly boolean[])[] | null {
  const bytes = new TextEncoder().encode(text);
  const at = VERSIONS.findIndex(
    ({ blocks, dataPerBlock }) => bytes.length + 2 <= blocks * dataPerBlock,
  );
  const version = VERSIONS[at];
  if (!version) return null;
  const size = 21 + 4 * at;
  const modules: Modules = Array.from({ length: size }, () =>
    new Array<boolean | null>(size).fill(null),
  );
  drawPatterns(modules, at + 1, version, mask);
  drawData(modules, codewords(bytes, version), mask);
  return modules.map((row) => row.map((dark) => dark === true));
}
