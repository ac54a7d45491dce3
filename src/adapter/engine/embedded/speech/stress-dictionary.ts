/**
 * Makes espeak-ng's Russian dictionary from a sorted list of its words: a dictionary is ordered by hash, in which neighbours
 * share nothing, and takes seven times as much when it is compressed. scripts/stress-dictionary.ts writes the list
 * and compares what is made of it here, byte for byte.
 *
 * Packed: a line of JSON (`PackedDictionary`), a newline, then
 * - each word with its stress, sorted: `SHARED` + how many letters the word before begins with, too; its other letters;
 *   `STRESS` + the byte that espeak-ng reads as stress;
 * - entries of another kind, by chain: chain and place in it (two bytes each, little-endian) and the entry;
 * - the rules, as they are.
 */

export interface PackedDictionary {
  /** Where espeak-ng looks for it. */
  readonly path: string;
  readonly words: number;
  /** Bytes of the sorted list, and of the entries of another kind. */
  readonly list: number;
  readonly others: number;
}

/** Letters are 1 ("а") to 34 ("ё"), so that each byte of the list says what it is. */
export const SHARED = 0x40;
export const STRESS = 0x80;
export const CHAINS = 1024;
/** Number of chains, and where the rules begin. */
export const HEADER_BYTES = 8;
/** A word without phonemes, in six bits a letter; the other bits say how many bytes it takes. */
export const STRESSED_WORD = 0xc0;
export const WORD_BYTES_MAX = 0x3f;
const LETTERS_MAX = 64;

/** Two letters that are written as one of six bits, from 35 on (espeak-ng, tr_languages.c: pairs_ru). */
export const PAIRS =
  "ла на та ав ов не ре ви ак ок ал ил ан ен ин нн он ын во ро со оп рп ар ер ир ор тс яс"
    .split(" ")
    .map((pair) => letterCodes(pair));
export const FIRST_PAIR = 35;

const BEFORE_LETTERS = 0x42f;

export function letterCodes(word: string): number[] {
  return Array.from(word, (letter) => (letter.codePointAt(0) ?? 0) - BEFORE_LETTERS);
}

/** [first letter][second letter] → six bits, 0: no pair. */
const pairCodes = new Uint8Array(LETTERS_MAX * LETTERS_MAX);
for (const [index, [first = 0, second = 0]] of PAIRS.entries())
  pairCodes[first * LETTERS_MAX + second] = FIRST_PAIR + index;

/** Writes `word`'s first `letters` letters at `to` in six bits each, answers the byte behind. */
export function writeWord(word: Uint8Array, letters: number, into: Uint8Array, to: number): number {
  let [at, held, bits] = [to, 0, 0];
  for (let index = 0; index < letters; index++) {
    const letter = word[index] ?? 0;
    const next = index + 1 < letters ? (word[index + 1] ?? 0) : 0;
    const pair = pairCodes[letter * LETTERS_MAX + next] ?? 0;
    if (pair !== 0) index++;
    held = ((held << 6) | (pair || letter)) & 0x3fff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      into[at++] = held >> bits;
    }
  }
  if (bits > 0) into[at++] = held << (8 - bits);
  return at;
}

/**
 * The chain of a word whose six-bit form is `entry` from `start` to `end`: espeak-ng writes that form over the word's UTF-8
 * and hashes both, up to a zero (dictionary.c: TransposeAlphabet, HashDictionary).
 */
export function chainOf(
  word: Uint8Array,
  letters: number,
  entry: Uint8Array,
  start: number,
  end: number,
): number {
  let hash = 0;
  let index = 0;
  for (; index < letters * 2; index++) {
    const byte = start + index < end ? (entry[start + index] ?? 0) : utf8Byte(word, index);
    if (byte === 0) break;
    hash = hash * 8 + byte;
    hash = (hash & (CHAINS - 1)) ^ (hash >> 8);
  }
  return (hash + index) & (CHAINS - 1);
}

function utf8Byte(word: Uint8Array, index: number): number {
  const point = BEFORE_LETTERS + (word[index >> 1] ?? 0);
  return (index & 1) === 0 ? 0xc0 | (point >> 6) : 0x80 | (point & 0x3f);
}

/** Its path and the file that espeak-ng reads. */
export function unpackDictionary(packed: Uint8Array): [path: string, dictionary: Uint8Array] {
  const list = packed.indexOf(0x0a) + 1;
  const header = JSON.parse(Buffer.from(packed.subarray(0, list)).toString()) as PackedDictionary;
  const others = list + header.list;
  const rules = others + header.others;
  const words = readList(packed.subarray(list, others), header.words);
  const rest = readOthers(packed.subarray(others, rules));
  return [header.path, chained(words, rest, packed.subarray(rules))];
}

interface Words {
  /** The entries as a dictionary has them, one after another, and where each begins. */
  readonly entries: Uint8Array;
  readonly starts: Uint32Array;
  readonly chains: Uint16Array;
}

function readList(list: Uint8Array, count: number): Words {
  const [starts, chains] = [new Uint32Array(count + 1), new Uint16Array(count)];
  let entries = new Uint8Array(count * 12);
  const word = new Uint8Array(LETTERS_MAX);
  let [at, end] = [0, 0];
  for (let index = 0; index < count; index++) {
    if (entries.length < end + LETTERS_MAX * 2) entries = grown(entries);
    let letters = (list[at++] ?? 0) - SHARED;
    let byte = list[at++] ?? STRESS;
    for (; byte < STRESS; byte = list[at++] ?? STRESS) word[letters++] = byte;
    const start = end;
    end = writeWord(word, letters, entries, start + 2);
    chains[index] = chainOf(word, letters, entries, start + 2, end);
    entries[start + 1] = STRESSED_WORD | (end - start - 2);
    entries[end++] = byte - STRESS;
    entries[start] = end - start;
    starts[index + 1] = end;
  }
  return { entries, starts, chains };
}

function grown(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(bytes.length * 2);
  larger.set(bytes);
  return larger;
}

interface OtherEntry {
  readonly place: number;
  readonly entry: Uint8Array;
}

/** By chain. */
function readOthers(bytes: Uint8Array): OtherEntry[][] {
  const chains: OtherEntry[][] = Array.from({ length: CHAINS }, () => []);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; ) {
    const entry = bytes.subarray(at + 4, at + 4 + view.getUint8(at + 4));
    chains[view.getUint16(at, true)]?.push({ place: view.getUint16(at + 2, true), entry });
    at += 4 + entry.length;
  }
  return chains;
}

/** Words stand in their chain from the last to the first, others at their places. */
function chained(words: Words, others: readonly OtherEntry[][], rules: Uint8Array): Uint8Array {
  const { entries, starts, chains } = words;
  const sizes = others.map((chain) => chain.reduce((sum, { entry }) => sum + entry.length, 1));
  for (const [index, chain] of chains.entries())
    sizes[chain] = (sizes[chain] ?? 0) + (entries[starts[index] ?? 0] ?? 0);
  const ends: number[] = [];
  let end = HEADER_BYTES;
  for (const size of sizes) {
    ends.push(end);
    end += size;
  }
  const dictionary = new Uint8Array(end + rules.length);
  const places = new Uint16Array(CHAINS);
  const put = (chain: number, from: Uint8Array, start: number) => {
    let to = ends[chain] ?? 0;
    for (let at = start, past = start + (from[start] ?? 0); at < past; at++)
      dictionary[to++] = from[at] ?? 0;
    ends[chain] = to;
    places[chain] = (places[chain] ?? 0) + 1;
  };
  const putOthers = (chain: number) => {
    const waiting = others[chain] ?? [];
    let next = waiting[0];
    while (next && next.place === places[chain]) {
      put(chain, next.entry, 0);
      waiting.shift();
      [next] = waiting;
    }
  };
  for (let index = chains.length - 1; index >= 0; index--) {
    const chain = chains[index] ?? 0;
    putOthers(chain);
    put(chain, entries, starts[index] ?? 0);
  }
  for (let chain = 0; chain < CHAINS; chain++) putOthers(chain);
  const header = new DataView(dictionary.buffer);
  header.setUint32(0, CHAINS, true);
  header.setUint32(4, end, true);
  dictionary.set(rules, end);
  return dictionary;
}
