/**
 * Packs espeak-ng's Russian dictionary, 807,000 words of which nearly all say only which vowel is stressed, as
 * `src/adapter/engine/embedded/speech/stress-dictionary.ts` unpacks it.
 */
import {
  CHAINS,
  chainOf,
  FIRST_PAIR,
  HEADER_BYTES,
  PAIRS,
  type PackedDictionary,
  SHARED,
  STRESS,
  STRESSED_WORD,
  unpackDictionary,
  WORD_BYTES_MAX,
  writeWord,
} from "../src/adapter/engine/embedded/speech/stress-dictionary.ts";

interface StressedWord {
  /** As codes of characters: what sorts alike and is compared at once. */
  readonly letters: string;
  readonly stress: number;
}

/** Throws where the dictionary could not be unpacked again, byte for byte. */
export function packDictionary(path: string, dictionary: Uint8Array): Uint8Array {
  const words: StressedWord[] = [];
  const others: Uint8Array[] = [];
  const { chains, rules } = readDictionary(dictionary);
  for (const [chain, entries] of chains.entries()) {
    let last = "";
    const unsorted: Uint8Array[] = [];
    for (const [place, entry] of [...entries.entries()].reverse()) {
      const word = stressedWord(entry, chain);
      if (word && word.letters > last) {
        words.push(word);
        last = word.letters;
      } else unsorted.unshift(new Uint8Array(Uint16Array.of(chain, place).buffer), entry);
    }
    others.push(...unsorted);
  }
  words.sort((a, b) => (a.letters < b.letters ? -1 : 1));
  const list = sortedList(words);
  const header: PackedDictionary = {
    path,
    words: words.length,
    list: list.length,
    others: others.reduce((sum, { length }) => sum + length, 0),
  };
  const packed = Buffer.concat([
    ...[Buffer.from(`${JSON.stringify(header)}\n`), list],
    ...[...others, rules],
  ]);
  if (Buffer.compare(unpackDictionary(packed)[1], dictionary) !== 0)
    throw new Error("espeak-ng's Russian dictionary is laid out otherwise");
  return packed;
}

/** Each chain's entries, which begin with their length, and end with a zero. */
function readDictionary(dictionary: Uint8Array) {
  const rules = new DataView(dictionary.buffer, dictionary.byteOffset).getUint32(4, true);
  let at = HEADER_BYTES;
  const chains = Array.from({ length: CHAINS }, () => {
    const entries: Uint8Array[] = [];
    for (let length = dictionary[at] ?? 0; length > 0; length = dictionary[at] ?? 0) {
      entries.push(dictionary.subarray(at, at + length));
      at += length;
    }
    at++;
    return entries;
  });
  return { chains, rules: dictionary.subarray(rules) };
}

/** Null: it is of another kind. */
function stressedWord(entry: Uint8Array, chain: number): StressedWord | null {
  const [, kind = 0] = entry;
  const past = 2 + (kind & WORD_BYTES_MAX);
  const stress = entry[past] ?? STRESS;
  if ((kind & STRESSED_WORD) !== STRESSED_WORD || entry.length !== past + 1 || stress >= STRESS)
    return null;
  const letters = Uint8Array.from(lettersOf(entry.subarray(2, past)));
  const again = new Uint8Array(WORD_BYTES_MAX + 1);
  const end = writeWord(letters, letters.length, again, 0);
  if (Buffer.compare(again.subarray(0, end), entry.subarray(2, past)) !== 0) return null;
  if (chainOf(letters, letters.length, again, 0, end) !== chain) return null;
  return { letters: String.fromCharCode(...letters), stress };
}

function lettersOf(six: Uint8Array): number[] {
  const letters: number[] = [];
  let [held, bits] = [0, 0];
  for (const byte of six) {
    held = ((held << 8) | byte) & 0x3fff;
    for (bits += 8; bits >= 6; bits -= 6) {
      const code = (held >> (bits - 6)) & 0x3f;
      if (code !== 0) letters.push(...(PAIRS[code - FIRST_PAIR] ?? [code]));
    }
  }
  return letters;
}

function sortedList(words: readonly StressedWord[]): Uint8Array {
  const list: number[] = [];
  let before = "";
  for (const { letters, stress } of words) {
    let shared = 0;
    while (shared < before.length && before[shared] === letters[shared]) shared++;
    list.push(SHARED + shared, ...Buffer.from(letters.slice(shared), "latin1"), STRESS + stress);
    before = letters;
  }
  return Uint8Array.from(list);
}
