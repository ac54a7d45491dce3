/**
 * The passages of one tenant in a separate SQLite file (FTS5, BM25). It is derived from knowledge
 * files and created again if it is missing or damaged. A tenant's file contains nothing of other
 * tenants, and every search names the files to use. Belongs to the knowledge worker's thread.
 *
 * A search is cheap even for common words: only the rarest words, with at most `POSTINGS_MAX`
 * passages together, are ranked. An unknown word is replaced by words that differ in one letter, or
 * by the most similar words (trigrams).
 */
import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import type { IndexedFile, KnowledgePassage } from "../knowledge-index.ts";
import { stemsMeant } from "../misspellings.ts";
import { cutPassages, type Passage } from "../passages.ts";
import { contentWords, stemmingOf, stemsHeld, stemsOfText, stemsOfWord } from "../stems.ts";
import { PASSAGES_OF_FILE_MAX, PassageVectors } from "./passage-vectors.ts";

/** A different number causes all indexes to be created again. */
const FORMAT = 3;
const POSTINGS_MAX = 3_000;
const WORDS_MAX = 12;
const FOUND_MAX = 8;
/** Ranked passages, compared by their coverage of the question. */
const CANDIDATES_MAX = 16;
/** For reciprocal rank fusion: a first place in one list outweighs middle places in both. */
const RANK_OFFSET = 60;
const PASSAGES_A_TURN = 10;
/** Without this, FTS5 merges its segments at any time, for a long time at once. */
const PAGES_MERGED_A_TURN = 16;
const MERGES_MAX = 10_000;
/** Words of an answer used to find its source. */
const ANSWER_WORDS_MAX = 24;
const SOURCES_MAX = 3;
const SOURCE_COVERAGE_MIN = 0.5;
const SIMILAR_MAX = 2;
const SIMILARITY_MIN = 0.45;
/** Limit per question: each takes a millisecond. Further ones are compared only by trigrams. */
const SLIPS_SOUGHT_MAX = 3;
const CANDIDATE_WORDS_MAX = 400;

const TABLES = `
  CREATE TABLE files (
    row INTEGER PRIMARY KEY, id INTEGER NOT NULL, version INTEGER NOT NULL,
    filename TEXT NOT NULL, passages INTEGER NOT NULL, ready INTEGER NOT NULL
  );
  CREATE INDEX files_id ON files (id);
  CREATE TABLE passages (
    id INTEGER PRIMARY KEY, heading TEXT NOT NULL, text TEXT NOT NULL
  );
  CREATE VIRTUAL TABLE stems USING fts5(
    heading, text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0"
  );
  INSERT INTO stems (stems, rank) VALUES ('automerge', 0), ('crisismerge', 1000);
  CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, passages INTEGER NOT NULL);
  CREATE VIRTUAL TABLE spellings USING fts5(
    term, content='', detail=none, columnsize=0, tokenize='trigram'
  );
  PRAGMA user_version = ${FORMAT};
`;

interface Row {
  readonly id: number;
  readonly fileId: number;
  readonly filename: string;
  readonly heading: string;
  readonly text: string;
}

/** A word of a question: its spellings in the index, and its weight. */
interface Term {
  readonly spellings: readonly string[];
  readonly passages: number;
  readonly weight: number;
}

/** A question as a vector, and its model. */
export interface Meaning {
  readonly model: string;
  readonly vector: Float32Array;
}

export class PassageIndex {
  readonly #database: Database;
  readonly vectors: PassageVectors;

  constructor(path: string) {
    this.#database = open(path);
    this.vectors = new PassageVectors(this.#database);
  }

  /** Returns the files without a current index. */
  missing(files: readonly IndexedFile[]): IndexedFile[] {
    const found = this.#database
      .query<{ id: number; version: number }, []>("SELECT id, version FROM files WHERE ready = 1")
      .all();
    const known = new Map(found.map(({ id, version }) => [id, version]));
    return files.filter((file) => known.get(file.id) !== file.version);
  }

  /**
   * Indexes a file in short steps, so that searches run in between. Then deletes its previous
   * version.
   */
  async add(file: IndexedFile, content: string, turn: () => Promise<void>): Promise<void> {
    const { id, version, filename, format } = file;
    const passages = cutPassages(format, content).slice(0, PASSAGES_OF_FILE_MAX);
    const row = Number(
      this.#database
        .query("INSERT INTO files (id, version, filename, passages, ready) VALUES (?, ?, ?, ?, 0)")
        .run(id, version, filename, passages.length).lastInsertRowid,
    );
    for (let at = 0; at < passages.length; at += PASSAGES_A_TURN) {
      const some = passages.slice(at, at + PASSAGES_A_TURN);
      const first = row * PASSAGES_OF_FILE_MAX + at;
      this.#database.transaction(() => this.#insert(first, some))();
      await turn();
      this.#mergeSome();
    }
    this.#database.query("UPDATE files SET ready = 1 WHERE row = ?").run(row);
    for (let merge = 0; merge < MERGES_MAX && this.#mergeSome(); merge++) await turn();
    await this.#dropExcept(id, row, turn);
  }

  /** Deletes all data derived from other files. */
  async keepOnly(ids: ReadonlySet<number>, turn: () => Promise<void>): Promise<void> {
    const known = this.#database.query<{ id: number }, []>("SELECT DISTINCT id FROM files").all();
    for (const { id } of known) if (!ids.has(id)) await this.#dropExcept(id, -1, turn);
  }

  /** Searches by words and, with `meaning`, also by meaning. */
  search(
    fileIds: readonly number[],
    question: string,
    meaning: Meaning | null = null,
  ): KnowledgePassage[] {
    const words = contentWords(question).slice(0, 4 * WORDS_MAX);
    const terms = this.#termsOf(words, true).slice(0, WORDS_MAX);
    const rows = this.#readyRows(fileIds);
    const byWords = this.#ranked(rows, terms);
    const closest = meaning
      ? this.vectors.closest(rows, meaning.model, meaning.vector, CANDIDATES_MAX)
      : [];
    const best = byReciprocalRank(
      byWords.map(({ id }) => id),
      closest,
    ).slice(0, FOUND_MAX);
    const known = new Map(byWords.map((passage) => [passage.id, passage]));
    const further = best.filter((id) => !known.has(id));
    for (const passage of covered(this.#rowsOf(further), terms)) known.set(passage.id, passage);
    return best.flatMap((id) => known.get(id) ?? []).map(({ id: _, ...passage }) => passage);
  }

  /** Passages repeated in an answer. */
  sourcesOf(fileIds: readonly number[], answer: string): KnowledgePassage[] {
    const words = contentWords(answer).slice(0, 4 * ANSWER_WORDS_MAX);
    const terms = this.#termsOf(words, false).slice(0, ANSWER_WORDS_MAX);
    if (terms.length < 2 && !words.some((word) => /\d/.test(word))) return [];
    const found = this.#ranked(this.#readyRows(fileIds), terms);
    const [best] = found;
    if (!best || best.coverage < SOURCE_COVERAGE_MIN) return [];
    return found
      .filter(({ coverage }) => coverage >= 0.8 * best.coverage)
      .slice(0, SOURCES_MAX)
      .map(({ id: _, ...passage }) => passage);
  }

  close(): void {
    this.#database.close();
  }

  #insert(first: number, passages: readonly Passage[]): void {
    const insert = this.#database.query(
      "INSERT INTO passages (id, heading, text) VALUES (?, ?, ?)",
    );
    const index = this.#database.query("INSERT INTO stems (rowid, heading, text) VALUES (?, ?, ?)");
    const counts = new Map<string, number>();
    for (const [at, { heading, text }] of passages.entries()) {
      const id = first + at;
      insert.run(id, heading, text);
      const [headingStems, textStems] = stemsOfPassage(heading, text);
      index.run(id, headingStems.join(" "), textStems.join(" "));
      for (const term of new Set([...headingStems, ...textStems]))
        counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    this.#count(counts, 1);
  }

  /** Returns whether there is more to merge. */
  #mergeSome(): boolean {
    const changes = () =>
      this.#database.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0;
    const before = changes();
    this.#database.run(`INSERT INTO stems (stems, rank) VALUES ('merge', ${PAGES_MERGED_A_TURN})`);
    return changes() - before >= 2;
  }

  #count(counts: ReadonlyMap<string, number>, sign: 1 | -1): void {
    const known = this.#database.query<{ passages: number }, [string]>(
      "SELECT passages FROM terms WHERE term = ?",
    );
    const change = this.#database.query("UPDATE terms SET passages = ? WHERE term = ?");
    const insert = this.#database.query("INSERT INTO terms (term, passages) VALUES (?, ?)");
    const spell = this.#database.query("INSERT INTO spellings (rowid, term) VALUES (?, ?)");
    for (const [term, count] of counts) {
      const before = known.get(term);
      if (before) change.run(Math.max(0, before.passages + sign * count), term);
      else if (sign === 1) spell.run(insert.run(term, count).lastInsertRowid, term);
    }
  }

  async #dropExcept(id: number, row: number, turn: () => Promise<void>): Promise<void> {
    const old = this.#database
      .query<{ row: number }, [number, number]>("SELECT row FROM files WHERE id = ? AND row <> ?")
      .all(id, row);
    for (const { row: dropped } of old) {
      this.#database.query("UPDATE files SET ready = 0 WHERE row = ?").run(dropped);
      this.vectors.dropFile(dropped);
      while (this.#database.transaction(() => this.#dropSome(dropped))() > 0) await turn();
      this.#database.query("DELETE FROM files WHERE row = ?").run(dropped);
    }
  }

  #dropSome(file: number): number {
    const rows = this.#database
      .query<{ id: number; heading: string; text: string }, [number, number]>(
        `SELECT id, heading, text FROM passages WHERE id >= ?1 * ${PASSAGES_OF_FILE_MAX}
         AND id < (?1 + 1) * ${PASSAGES_OF_FILE_MAX} LIMIT ?2`,
      )
      .all(file, PASSAGES_A_TURN);
    const counts = new Map<string, number>();
    for (const { id, heading, text } of rows) {
      for (const term of new Set(stemsOfPassage(heading, text).flat()))
        counts.set(term, (counts.get(term) ?? 0) + 1);
      this.#database.query("DELETE FROM stems WHERE rowid = ?").run(id);
      this.#database.query("DELETE FROM passages WHERE id = ?").run(id);
      this.vectors.dropPassage(id);
    }
    this.#count(counts, -1);
    return rows.length;
  }

  /** The rarest first. */
  #termsOf(words: readonly string[], guessesSpelling: boolean): Term[] {
    const known = this.#database.query<{ passages: number }, [string]>(
      "SELECT passages FROM terms WHERE term = ? AND passages > 0",
    );
    const all = this.#database
      .query<{ count: number }, []>("SELECT total(passages) AS count FROM files")
      .get();
    const total = all?.count ?? 0;
    let unknown = 0;
    const terms = words.map((word): Term => {
      const stems = stemsOfWord(word);
      const present = stems.filter((stem) => known.get(stem));
      const isUnknown = present.length === 0 && guessesSpelling;
      const spellings = isUnknown ? this.#meantBy(word, ++unknown <= SLIPS_SOUGHT_MAX) : present;
      const passages = spellings.reduce((sum, stem) => sum + (known.get(stem)?.passages ?? 0), 0);
      return { spellings, passages, weight: Math.log(1 + (total + 1) / (passages + 0.5)) };
    });
    return terms.toSorted((a, b) => b.weight - a.weight);
  }

  /** Words of the index for a word that it lacks. */
  #meantBy(word: string, seeksSlips: boolean): string[] {
    const [stem = ""] = stemsOfWord(word);
    if (stem.length < 4 || /\d/.test(stem)) return [];
    const slips = seeksSlips ? this.#slipsOf(word) : [];
    return slips.length > 0 ? nearest(stem, slips) : this.#similarTo(stem);
  }

  #slipsOf(word: string): { term: string }[] {
    return this.#database
      .query<{ term: string }, [string]>(
        "SELECT term FROM terms WHERE term IN (SELECT value FROM json_each(?)) AND passages > 0",
      )
      .all(JSON.stringify([...stemsMeant(word)]));
  }

  /** Words of the index that share many trigrams with the word. */
  #similarTo(word: string): string[] {
    const similar = this.#database
      .query<{ term: string }, [string, number]>(
        `SELECT terms.term FROM spellings JOIN terms ON terms.id = spellings.rowid
         WHERE spellings MATCH ? AND terms.passages > 0 LIMIT ?`,
      )
      .all(runsOf(word), CANDIDATE_WORDS_MAX);
    return nearest(word, similar, SIMILARITY_MIN);
  }

  #readyRows(fileIds: readonly number[]): number[] {
    return this.#database
      .query<{ row: number }, [string]>(
        "SELECT row FROM files WHERE ready = 1 AND id IN (SELECT value FROM json_each(?))",
      )
      .all(JSON.stringify(fileIds))
      .map(({ row }) => row);
  }

  #rowsOf(ids: readonly number[]): Row[] {
    if (ids.length === 0) return [];
    return this.#database
      .query<Row, [string]>(
        `SELECT p.id, f.id AS fileId, f.filename, p.heading, p.text
         FROM passages p JOIN files f ON f.row = p.id / ${PASSAGES_OF_FILE_MAX}
         WHERE p.id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(ids));
  }

  #ranked(fileRows: readonly number[], terms: readonly Term[]): Ranked[] {
    const asked: string[] = [];
    let postings = 0;
    for (const { spellings, passages } of terms) {
      if (passages === 0) continue;
      if (asked.length > 0 && postings + passages > POSTINGS_MAX) continue;
      postings += passages;
      asked.push(...spellings.map((stem) => `"${stem}"`));
    }
    if (asked.length === 0) return [];
    const rows = this.#database
      .query<Row, [string, string, number]>(
        `SELECT p.id, f.id AS fileId, f.filename, p.heading, p.text
         FROM (
           SELECT * FROM (
             SELECT rowid AS id, bm25(stems, 2.0, 1.0) AS score FROM stems
             WHERE stems MATCH ?1
               AND rowid / ${PASSAGES_OF_FILE_MAX} IN (SELECT value FROM json_each(?2))
             LIMIT ${2 * POSTINGS_MAX}
           ) ORDER BY score LIMIT ?3
         ) best
         JOIN passages p ON p.id = best.id
         JOIN files f ON f.row = p.id / ${PASSAGES_OF_FILE_MAX}
         ORDER BY best.score`,
      )
      .all(asked.join(" OR "), JSON.stringify(fileRows), CANDIDATES_MAX);
    const passages = covered(rows, terms).map((passage, rank) => ({ passage, rank }));
    // Higher coverage of the question comes first; BM25 decides between equals.
    const scoreOf = ({ passage, rank }: (typeof passages)[number]) =>
      passage.coverage - rank / (4 * CANDIDATES_MAX);
    return passages.sort((a, b) => scoreOf(b) - scoreOf(a)).map(({ passage }) => passage);
  }
}

interface Ranked extends KnowledgePassage {
  readonly id: number;
}

/** A heading is too short to detect its language. */
function stemsOfPassage(heading: string, text: string): [string[], string[]] {
  const stemming = stemmingOf(`${heading}\n${text}`);
  return [stemsOfText(heading, stemming), stemsOfText(text, stemming)];
}

/** Each passage's coverage of the question. */
function covered(rows: readonly Row[], terms: readonly Term[]): Ranked[] {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  const asked = terms.flatMap(({ spellings }) => spellings);
  return rows.map((row) => {
    const stems = stemsHeld(`${row.heading}\n${row.text}`, asked);
    const held = terms.filter(({ spellings }) => spellings.some((stem) => stems.has(stem)));
    const weight = held.reduce((sum, term) => sum + term.weight, 0);
    return { ...row, coverage: total === 0 ? 0 : weight / total };
  });
}

function byReciprocalRank(...lists: readonly (readonly number[])[]): number[] {
  const scores = new Map<number, number>();
  for (const list of lists)
    for (const [rank, id] of list.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + rank));
  return [...scores].sort(([, a], [, b]) => b - a).map(([id]) => id);
}

/** Replaces a file with another format, or a damaged one. */
function open(path: string): Database {
  for (let attempt = 1; ; attempt++) {
    const database = new Database(path, { create: true, strict: true });
    try {
      database.run("PRAGMA journal_mode = WAL");
      database.run("PRAGMA synchronous = OFF");
      database.run("PRAGMA cache_size = -8192");
      const format = database.query<{ user_version: number }, []>("PRAGMA user_version").get();
      if (format?.user_version === FORMAT) return database;
      if (attempt > 1) {
        database.transaction(() => database.run(TABLES))();
        return database;
      }
    } catch (error) {
      if (attempt > 2) throw error;
    }
    database.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  }
}

/** A query for words that share four letters in a row, or their first and last three. */
function runsOf(word: string): string {
  const letters = Array.from({ length: word.length - 2 }, (_, at) => `"${word.slice(at, at + 3)}"`);
  const pairs = letters.slice(1).map((trigram, at) => `(${letters[at]} AND ${trigram})`);
  return [...pairs, `(${letters[0]} AND ${letters.at(-1)})`].join(" OR ");
}

function trigramsOf(word: string): Set<string> {
  const padded = ` ${word} `;
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)));
}

/** The words that share most trigrams with the word. */
function nearest(word: string, terms: readonly { term: string }[], similarityMin = 0): string[] {
  const own = trigramsOf(word);
  return terms
    .map(({ term }) => ({ term, similarity: similarityOf(own, trigramsOf(term)) }))
    .filter(({ similarity }) => similarity >= similarityMin)
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, SIMILAR_MAX)
    .map(({ term }) => term);
}

/** Dice's coefficient. */
function similarityOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const trigram of a) if (b.has(trigram)) shared++;
  return (2 * shared) / (a.size + b.size);
}
