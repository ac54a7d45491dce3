/**
 * Vectors of one tenant's passages, next to their words in the same SQLite file. A search first
 * compares the signs of the components, packed into bits, with all passages of the allowed files.
 * Then it compares only the closest ones component by component (int8). So a hundred thousand
 * passages take milliseconds, and 64 bytes of memory each until `forget`. A file is found once all
 * its passages have vectors.
 */
import type { Database } from "bun:sqlite";

/**
 * A passage's id consists of its file's row and its index in the file, so that a ranking needs no
 * further reads.
 */
export const PASSAGES_OF_FILE_MAX = 2 ** 20;
/** Limit per tenant; further passages are found only by words. */
const VECTORS_MAX = 200_000;
const SIGNATURE_BITS_MAX = 512;
/** Passages compared component by component. */
const CANDIDATES_MAX = 160;

const TABLES = `
  CREATE TABLE IF NOT EXISTS vector_model (model TEXT NOT NULL, dimensions INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, components BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS signatures (file INTEGER PRIMARY KEY, bits BLOB NOT NULL);
`;

export interface TextToEmbed {
  readonly id: number;
  readonly text: string;
}

type Bytes = Uint8Array<ArrayBuffer>;

export class PassageVectors {
  /** Loaded signatures by file. */
  readonly #signatures = new Map<number, Uint32Array>();

  constructor(private readonly database: Database) {
    database.run(TABLES);
  }

  /** Passages of one file without a vector of this model; empty if all have one. */
  missing(model: string, countMax: number): TextToEmbed[] {
    if (this.#model()?.model !== model) this.#startOver(model, 0);
    for (;;) {
      const file = this.database
        .query<{ row: number; passages: number }, []>(
          `SELECT row, passages FROM files
           WHERE ready = 1 AND row NOT IN (SELECT file FROM signatures) ORDER BY row LIMIT 1`,
        )
        .get();
      const isFull = this.#passagesFound() >= VECTORS_MAX;
      if (!file || isFull) return [];
      const texts = this.database
        .query<{ id: number; heading: string; text: string }, [number, number, number]>(
          `SELECT id, heading, text FROM passages WHERE id >= ? AND id < ?
           AND id NOT IN (SELECT id FROM vectors) ORDER BY id LIMIT ?`,
        )
        .all(...rangeOf(file.row), countMax);
      if (texts.length > 0)
        return texts.map(({ id, heading, text }) => ({ id, text: `${heading}\n${text}`.trim() }));
      this.#seal(file.row);
    }
  }

  /** Skips passages deleted in the meantime. A different vector length means a different model. */
  store(model: string, ids: readonly number[], vectors: readonly Float32Array[]): void {
    const dimensions = vectors[0]?.length ?? 0;
    const known = this.#model();
    if (known?.model !== model || (known.dimensions !== 0 && known.dimensions !== dimensions))
      this.#startOver(model, dimensions);
    else if (known.dimensions === 0)
      this.database.query("UPDATE vector_model SET dimensions = ?").run(dimensions);
    const insert = this.database.query(
      `INSERT OR REPLACE INTO vectors (id, components)
       SELECT id, ?2 FROM passages WHERE id = ?1`,
    );
    this.database.transaction(() => {
      for (const [at, id] of ids.entries()) {
        const vector = vectors[at];
        if (vector) insert.run(id, asBytes(vector));
      }
    })();
  }

  /** Ids of the passages with the closest meaning, the closest first. `rows`: the allowed files. */
  closest(rows: readonly number[], model: string, question: Float32Array, countMax: number) {
    const known = this.#model();
    if (known?.model !== model || known.dimensions !== question.length) return [];
    const candidates = this.#similar(rows, signatureOf(question));
    return this.database
      .query<{ id: number; components: Bytes }, [string]>(
        "SELECT id, components FROM vectors WHERE id IN (SELECT value FROM json_each(?))",
      )
      .all(JSON.stringify(candidates))
      .map(({ id, components }) => ({ id, score: cosine(question, asComponents(components)) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, countMax)
      .map(({ id }) => id);
  }

  /** Frees the memory; the data is loaded again when needed. */
  forget(): void {
    this.#signatures.clear();
  }

  dropFile(row: number): void {
    this.#signatures.delete(row);
    this.database.query("DELETE FROM signatures WHERE file = ?").run(row);
  }

  dropPassage(id: number): void {
    this.database.query("DELETE FROM vectors WHERE id = ?").run(id);
  }

  #model(): { readonly model: string; readonly dimensions: number } | null {
    return this.database
      .query<{ model: string; dimensions: number }, []>(
        "SELECT model, dimensions FROM vector_model LIMIT 1",
      )
      .get();
  }

  #passagesFound(): number {
    const found = this.database
      .query<{ n: number }, []>(
        "SELECT total(passages) AS n FROM files WHERE row IN (SELECT file FROM signatures)",
      )
      .get();
    return found?.n ?? 0;
  }

  #startOver(model: string, dimensions: number): void {
    this.forget();
    this.database.transaction(() => {
      for (const table of ["vector_model", "vectors", "signatures"])
        this.database.run(`DROP TABLE ${table}`);
      this.database.run(TABLES);
      this.database.query("INSERT INTO vector_model VALUES (?, ?)").run(model, dimensions);
    })();
  }

  /** All passages of a file have vectors: from now on the file is found by them. */
  #seal(row: number): void {
    const vectors = this.database
      .query<{ components: Bytes }, [number, number]>(
        "SELECT components FROM vectors WHERE id >= ? AND id < ? ORDER BY id",
      )
      .all(...rangeOf(row));
    const signatures = vectors.map(({ components }) => signatureOf(asComponents(components)));
    const bits = new Uint32Array(signatures.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const signature of signatures) {
      bits.set(signature, at);
      at += signature.length;
    }
    this.database
      .query("INSERT INTO signatures (file, bits) VALUES (?, ?)")
      .run(row, new Uint8Array(bits.buffer));
  }

  #read(rows: readonly number[]): void {
    if (rows.length === 0) return;
    const files = this.database
      .query<{ file: number; bits: Bytes }, [string]>(
        "SELECT file, bits FROM signatures WHERE file IN (SELECT value FROM json_each(?))",
      )
      .all(JSON.stringify(rows));
    for (const { file, bits } of files) this.#signatures.set(file, wordsOf(bits));
  }

  /** Ids of the passages that share most bits with a question. */
  #similar(rows: readonly number[], question: Uint32Array): number[] {
    this.#read(rows.filter((row) => !this.#signatures.has(row)));
    const counted = new Uint32Array(SIGNATURE_BITS_MAX + 1);
    const compared = rows.map((file) => {
      const signatures = this.#signatures.get(file) ?? NO_BITS;
      const differing = differingBits(signatures, question, counted);
      return { first: file * PASSAGES_OF_FILE_MAX, differing };
    });
    let limit = 0;
    for (let sum = counted[0] ?? 0; sum < CANDIDATES_MAX && limit < SIGNATURE_BITS_MAX; )
      sum += counted[++limit] ?? 0;
    const ids: number[] = [];
    for (const { first, differing } of compared)
      for (let at = 0; at < differing.length; at++)
        if ((differing[at] ?? limit) <= limit) ids.push(first + at);
    return ids.slice(0, 2 * CANDIDATES_MAX);
  }
}

const NO_BITS = new Uint32Array(0);

const rangeOf = (row: number): [number, number] => [
  row * PASSAGES_OF_FILE_MAX,
  (row + 1) * PASSAGES_OF_FILE_MAX,
];

const wordsOf = (bits: Bytes): Uint32Array =>
  bits.byteOffset % 4 === 0
    ? new Uint32Array(bits.buffer, bits.byteOffset, bits.byteLength / 4)
    : new Uint32Array(bits.slice().buffer);

const asComponents = ({ buffer, byteOffset, byteLength }: Bytes) =>
  new Int8Array(buffer, byteOffset, byteLength);

/** Only directions are compared, so each vector has its own scale. */
function asBytes(vector: Float32Array): Uint8Array {
  const largest = vector.reduce((max, component) => Math.max(max, Math.abs(component)), 0);
  const components = Int8Array.from(vector, (component) =>
    largest === 0 ? 0 : Math.round((127 * component) / largest),
  );
  return new Uint8Array(components.buffer);
}

function signatureOf(vector: Float32Array | Int8Array): Uint32Array {
  const bits = Math.min(vector.length, SIGNATURE_BITS_MAX);
  const words = new Uint32Array(Math.ceil(bits / 32));
  for (let bit = 0; bit < bits; bit++)
    if ((vector[bit] ?? 0) > 0) words[bit >> 5] = (words[bit >> 5] ?? 0) | (1 << (bit & 31));
  return words;
}

/**
 * Differing bits per signature in `signatures`. `counted`: number of signatures per count of
 * differing bits; incremented.
 */
function differingBits(
  signatures: Uint32Array,
  question: Uint32Array,
  counted: Uint32Array,
): Uint16Array {
  const length = question.length;
  const counts = new Uint16Array(length === 0 ? 0 : signatures.length / length);
  let at = 0;
  for (let passage = 0; passage < counts.length; passage++) {
    let count = 0;
    for (let word = 0; word < length; word++, at++) {
      let bits = (signatures[at] ?? 0) ^ (question[word] ?? 0);
      bits -= (bits >>> 1) & 0x55555555;
      bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
      count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    counts[passage] = count;
    counted[count] = (counted[count] ?? 0) + 1;
  }
  return counts;
}

function cosine(a: Float32Array, b: Int8Array): number {
  let product = 0;
  let square = 0;
  for (let at = 0; at < b.length; at++) {
    const component = b[at] ?? 0;
    product += (a[at] ?? 0) * component;
    square += component * component;
  }
  return square === 0 ? 0 : product / Math.sqrt(square);
}
