/**
 * Encodes the meaning of an English sentence as a vector of 512 numbers. Sentences with similar
 * meanings have similar directions. Uses the small Universal Sentence Encoder: a transformer of two
 * layers, in 8 bits.
 */
import { data } from "../recogniser/data.ts";
import { WordPieces } from "./word-pieces.ts";

/** More pieces don't change the meaning. */
const PIECES_MAX = 32;
const HEADS = 4;
const NORM_MIN = 1e-6;

interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array | Int8Array;
  /** Scale per column; null if the values are not scaled. */
  readonly scales: Float32Array | null;
}

export class SentenceEncoder {
  private constructor(
    private readonly pieces: WordPieces,
    /** The number of rows is a multiple of four. */
    private readonly matrices: ReadonlyMap<string, Matrix>,
  ) {}

  /** Takes 7 MB of memory and about 40 ms. */
  static load(): SentenceEncoder {
    const packed = Buffer.from(data("meaning"));
    const line = packed.indexOf(10);
    const header = JSON.parse(packed.toString("utf8", 0, line)) as {
      readonly pieces: readonly (readonly [string, number])[];
      readonly matrices: readonly (readonly [string, number, number, 8 | 32])[];
    };
    let at = line + 1;
    const take = (bytes: number) => {
      at += bytes;
      return new Uint8Array(packed.subarray(at - bytes, at)).buffer;
    };
    const matrices = header.matrices.map(([name, rows, columns, bits]): [string, Matrix] => {
      const scales = bits === 8 ? new Float32Array(take(columns * 4)) : null;
      const values =
        bits === 8
          ? new Int8Array(take(rows * columns))
          : new Float32Array(take(rows * columns * 4));
      return [name, { rows, columns, values, scales }];
    });
    return new SentenceEncoder(new WordPieces(header.pieces), new Map(matrices));
  }

  /** Returns a vector of length 1. Takes about 3 ms per word, at most 100 ms. */
  encode(text: string): Float32Array {
    const ids = this.pieces.idsOf(text).slice(0, PIECES_MAX);
    const words = this.#placed(ids);
    const wide = this.#times(words, "widen");
    let all = this.#layer(0, words, wide);
    all = this.#layer(1, all, all);
    const { columns } = this.#matrix("sentence");
    const mean = new Float32Array(columns);
    for (const [index, value] of all.entries())
      mean[index % columns] = (mean[index % columns] ?? 0) + value / ids.length;
    const sentence = this.#times(mean, "sentence").map(Math.tanh);
    const length = Math.sqrt(sentence.reduce((sum, value) => sum + value * value, 0));
    return sentence.map((value) => value / length);
  }

  /** Each piece's row, twice, plus its position. */
  #placed(ids: readonly number[]): Float32Array {
    const pieces = this.#matrix("pieces");
    const frequencies = this.#matrix("frequencies").values;
    const { columns } = pieces;
    const placed = new Float32Array(ids.length * columns);
    for (const [position, id] of ids.entries())
      for (let column = 0; column < columns; column++) {
        const value = (pieces.values[id * columns + column] ?? 0) * (pieces.scales?.[column] ?? 1);
        const angle = position * (frequencies[column % frequencies.length] ?? 0);
        const place = column < frequencies.length ? Math.sin(angle) : Math.cos(angle);
        placed[position * columns + column] = 2 * value + place;
      }
    return placed;
  }

  #layer(layer: number, input: Float32Array, kept: Float32Array): Float32Array {
    const triples = this.#times(this.#normed(input, `${layer}.norm`), `${layer}.attend`);
    const width = this.#matrix(`${layer}.attended`).rows;
    const attended = added(this.#times(attention(triples, width), `${layer}.attended`), kept);
    const first = this.#times(this.#normed(attended, `${layer}.then`), `${layer}.first`);
    const risen = first.map((value) => Math.max(0, value));
    return added(this.#times(risen, `${layer}.second`), attended);
  }

  #normed(rows: Float32Array, name: string): Float32Array {
    const { columns, values: scale } = this.#matrix(`${name}.scale`);
    const { values: bias } = this.#matrix(`${name}.bias`);
    const normed = new Float32Array(rows.length);
    for (let at = 0; at < rows.length; at += columns) {
      const row = rows.subarray(at, at + columns);
      const mean = row.reduce((sum, value) => sum + value, 0) / columns;
      const spread = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / columns;
      const factor = 1 / Math.sqrt(spread + NORM_MIN);
      for (const [column, value] of row.entries())
        normed[at + column] = (value - mean) * factor * (scale[column] ?? 1) + (bias[column] ?? 0);
    }
    return normed;
  }

  /** Multiplies the rows by a matrix and adds its bias. */
  #times(rows: Float32Array, name: string): Float32Array {
    const matrix = this.#matrix(name);
    const { values: bias } = this.#matrix(`${name}.bias`);
    const { columns, scales } = matrix;
    const out = product(rows, matrix);
    for (let at = 0; at < out.length; at++)
      out[at] = (out[at] as number) * (scales?.[at % columns] ?? 1) + (bias[at % columns] ?? 0);
    return out;
  }

  #matrix(name: string): Matrix {
    const matrix = this.matrices.get(name);
    if (matrix === undefined) throw new Error(`the sentence encoder's model has no ${name}`);
    return matrix;
  }
}

/**
 * Takes four rows of the matrix at a time for all rows on the left: three times as fast as one at a
 * time.
 */
function product(left: Float32Array, { rows, columns, values }: Matrix): Float32Array {
  const count = left.length / rows;
  const out = new Float32Array(count * columns);
  for (let row = 0; row < rows; row += 4) {
    const [one, two, three, four] = [0, 1, 2, 3].map((next) =>
      values.subarray((row + next) * columns, (row + next + 1) * columns),
    ) as [Float32Array, Float32Array, Float32Array, Float32Array];
    for (let at = 0; at < count; at++) {
      const from = at * rows + row;
      const first = left[from] as number;
      const second = left[from + 1] as number;
      const third = left[from + 2] as number;
      const fourth = left[from + 3] as number;
      const sums = out.subarray(at * columns, (at + 1) * columns);
      for (let column = 0; column < columns; column++)
        sums[column] =
          (sums[column] as number) +
          first * (one[column] as number) +
          second * (two[column] as number) +
          third * (three[column] as number) +
          fourth * (four[column] as number);
    }
  }
  return out;
}

/** `triples`: query, key and value per piece, each `width` long. */
function attention(triples: Float32Array, width: number): Float32Array {
  const count = triples.length / (3 * width);
  const size = width / HEADS;
  const out = new Float32Array(count * width);
  const part = (piece: number, which: number, head: number) => {
    const from = piece * 3 * width + which * width + head * size;
    return triples.subarray(from, from + size);
  };
  for (let head = 0; head < HEADS; head++)
    for (let piece = 0; piece < count; piece++) {
      const asks = part(piece, 0, head);
      const shares = new Float32Array(count);
      for (let other = 0; other < count; other++)
        shares[other] = Math.exp(dot(asks, part(other, 1, head)) / Math.sqrt(size));
      const sum = shares.reduce((total, share) => total + share, 0);
      const to = out.subarray(piece * width + head * size, piece * width + (head + 1) * size);
      for (let other = 0; other < count; other++)
        for (const [at, value] of part(other, 2, head).entries())
          to[at] = (to[at] ?? 0) + ((shares[other] ?? 0) / sum) * value;
    }
  return out;
}

export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
  return sum;
}

function added(one: Float32Array, other: Float32Array): Float32Array {
  return one.map((value, at) => value + (other[at] ?? 0));
}
