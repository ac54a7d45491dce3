/**
 * The journal of revocations: `<data>/revocations.journal`, 0600, one numbered JSON object per line,
 * append-only. Each line is flushed to disk before its transaction commits, and the transaction stores its
 * number in the database. So a restored database shows which entries it lacks.
 *
 * A line that a crash cut off had no commit and is dropped. Compaction keeps only the last entry per subject.
 * Above `ENTRIES_MAX` entries it keeps only the newest, and the file then records the number from which it is
 * complete.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError, describeError } from "../../core/errors.ts";
import { type Revocation, subjectOf } from "../../core/revocation.ts";
import { moveDurably } from "../../platform/files/durable-file.ts";

export const JOURNAL_NAME = "revocations.journal";
export const journalFileOf = (dataDir: string): string => join(dataDir, JOURNAL_NAME);

const ENTRIES_MAX = 100_000;
const PRIVATE_FILE = 0o600;

interface Header {
  /** A random id of this file; databases store it. */
  readonly journal: string;
  /** The fingerprint of the appliance that owns the file. */
  readonly appliance: string;
  /** Entries before this number may be missing. */
  readonly whole_from: number;
}

export type JournalEntry = Revocation & { readonly n: number };

export interface Journal {
  readonly id: string;
  readonly wholeFrom: number;
  /** True if the file was just created and contains no history. */
  readonly isNew: boolean;
  /** Number of the last entry; 0: none. */
  last(): number;
  /** The last entry of each subject after the given number, oldest first. */
  after(position: number): readonly JournalEntry[];
  /**
   * Returns after the flush to disk, with the number of the last entry. Throws unavailable without adding
   * anything.
   */
  append(revocations: readonly Revocation[]): number;
  close(): void;
}

export interface JournalPlace {
  readonly dataDir: string;
  readonly appliance: string;
  readonly newId: () => string;
  /** Default: `ENTRIES_MAX`. */
  readonly entriesMax?: number;
}

/** Opens or creates the journal. A journal of another appliance is renamed and kept. */
export function openJournal(place: JournalPlace): Journal {
  const file = journalFileOf(place.dataDir);
  const entriesMax = place.entriesMax ?? ENTRIES_MAX;
  const known = readOwn(file, place.appliance);
  const isNew = known === null;
  const header = known?.header ?? {
    journal: place.newId(),
    appliance: place.appliance,
    whole_from: 1,
  };
  let entries = known?.entries ?? [];
  let wholeFrom = header.whole_from;
  if (isNew || known?.isTorn || entries.length > entriesMax) compact();
  let handle = openSync(file, "a", PRIVATE_FILE);
  let last = entries.at(-1)?.n ?? wholeFrom - 1;

  function compact(): void {
    const latest = latestOf(entries);
    const kept = latest.slice(-entriesMax);
    const firstDropped = latest.length - kept.length;
    if (firstDropped > 0) wholeFrom = (latest[firstDropped - 1]?.n ?? 0) + 1;
    entries = kept;
    replace(file, linesOf([{ ...header, whole_from: wholeFrom }, ...kept]));
  }

  return {
    id: header.journal,
    get wholeFrom() {
      return wholeFrom;
    },
    isNew,
    last: () => last,
    after: (position) => latestOf(entries.filter(({ n }) => n > position)),

    append(revocations) {
      const added = revocations.map((revocation, index) => ({
        n: last + 1 + index,
        ...revocation,
      }));
      const before = fstatSync(handle).size;
      try {
        writeAll(handle, linesOf(added));
        fsyncSync(handle);
      } catch (error) {
        truncateTo(handle, before);
        throw cannotWrite(file, error);
      }
      entries.push(...added);
      last += added.length;
      if (entries.length >= 2 * entriesMax) {
        compact();
        closeSync(handle);
        handle = openSync(file, "a", PRIVATE_FILE);
      }
      return last;
    },

    close: () => closeSync(handle),
  };
}

/** Null: this appliance has no journal. */
function readOwn(file: string, appliance: string): Contents | null {
  const known = read(file);
  if (known === null || known.header.appliance === appliance) return known;
  moveDurably(file, asideOf(file, known.header.journal));
  return null;
}

/** Writes a new file, then renames it into place. */
function replace(file: string, lines: ReturnType<typeof linesOf>): void {
  const fresh = `${file}.new`;
  rmSync(fresh, { force: true });
  const out = openSync(fresh, "wx", PRIVATE_FILE);
  try {
    writeAll(out, lines);
  } finally {
    closeSync(out);
  }
  moveDurably(fresh, file);
}

interface Contents {
  readonly header: Header;
  entries: JournalEntry[];
  /** True if the last line was cut off. */
  readonly isTorn: boolean;
}

/** Null if the file is missing or its first line is invalid. Throws unavailable for a damaged line. */
function read(file: string): Contents | null {
  if (!existsSync(file)) return null;
  const lines = readFileSync(file, "utf8").split("\n");
  const isTorn = lines.pop() !== "";
  const [first, ...rest] = lines;
  if (first === undefined) return null;
  try {
    const header = JSON.parse(first) as Header;
    return { header, entries: rest.map((line) => JSON.parse(line) as JournalEntry), isTorn };
  } catch (error) {
    throw new AppError({
      code: "unavailable",
      publicMessage: `The journal of revocations ${file} is damaged (${describeError(error)}). Restore a copy of it. If you have no copy, move the file away. A restore then does not know revocations and erasures after the backup.`,
    });
  }
}

/** The last entry of each subject, in order. */
function latestOf(entries: readonly JournalEntry[]): JournalEntry[] {
  const latest = new Map<string, JournalEntry>();
  for (const entry of entries) {
    const subject = subjectOf(entry);
    latest.delete(subject);
    latest.set(subject, entry);
  }
  return [...latest.values()];
}

const linesOf = (objects: readonly object[]) =>
  objects.map((object) => `${JSON.stringify(object)}\n`).join("");

function writeAll(handle: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
  fsyncSync(handle);
}

/** A partial line must not remain in the middle of the file. */
function truncateTo(handle: number, size: number): void {
  try {
    ftruncateSync(handle, size);
  } catch {
    // If this fails as well, the next start drops the partial line.
  }
}

const cannotWrite = (file: string, error: unknown) =>
  new AppError({
    code: "unavailable",
    publicMessage: `The journal of revocations ${file} cannot be written (${describeError(error)}). Nothing was changed. Free up space on that disk and try again.`,
    cause: error,
  });

const asideOf = (file: string, id: string) =>
  join(
    dirname(file),
    `${basename(file)}.${createHash("sha256").update(id).digest("hex").slice(0, 8)}`,
  );
