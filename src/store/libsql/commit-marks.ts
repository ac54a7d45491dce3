/**
 * Marks that show the outcome of a COMMIT whose reply was lost.
 *
 * A transaction on a database server writes its writer's next number with its last change. A lookup that does
 * not find the number writes it as "not done". Then a delayed transaction cannot be committed later either.
 */
import type { Random } from "../../core/random.ts";
import type { Query } from "./hrana-json.ts";

/** Created with the migrations table: it belongs to the server, not to the data. */
export const MARKS_TABLE =
  "CREATE TABLE IF NOT EXISTS commit_marks (writer TEXT PRIMARY KEY, number INTEGER NOT NULL, is_done INTEGER NOT NULL, at INTEGER NOT NULL)";

/** Age after which marks of dead processes are deleted. */
const KEPT_MS = 24 * 3_600_000;
const WRITER_BYTES = 12;

export const forgetMarks = (nowMs: number) => ({
  sql: "DELETE FROM commit_marks WHERE at < ?",
  args: [BigInt(nowMs - KEPT_MS)],
});

export interface Mark {
  readonly writer: string;
  readonly number: number;
  readonly atMs: number;
}

/** Fails if a lookup has already marked it as not done. */
export const write = ({ writer, number, atMs }: Mark): Query => ({
  sql: `INSERT INTO commit_marks (writer, number, is_done, at) VALUES (?, ?, 1, ?) ON CONFLICT (writer)
    DO UPDATE SET number = CASE WHEN number < excluded.number THEN excluded.number END, is_done = 1, at = excluded.at`,
  args: [writer, number, atMs],
});

/** The last query returns whether it was done. Can be repeated. */
export const lookUp = ({ writer, number, atMs }: Mark): readonly Query[] => [
  {
    sql: `INSERT INTO commit_marks (writer, number, is_done, at) VALUES (?, ?, 0, ?) ON CONFLICT (writer)
      DO UPDATE SET number = excluded.number, is_done = 0, at = excluded.at WHERE number < excluded.number`,
    args: [writer, number, atMs],
  },
  { sql: "SELECT is_done FROM commit_marks WHERE writer = ?", args: [writer] },
];

/** Names for concurrent transactions. If a name's last outcome is unknown, it is not used again. */
export function keepWriters(random: Random) {
  const process = Buffer.from(random.bytes(WRITER_BYTES)).toString("base64url");
  const free: Writer[] = [];
  let count = 0;
  return {
    take: (): Writer => free.pop() ?? { name: `${process}-${count++}`, number: 0 },
    release: (writer: Writer) => void free.push(writer),
  };
}

export interface Writer {
  readonly name: string;
  /** Number of its last mark. */
  number: number;
}

export type Writers = ReturnType<typeof keepWriters>;
