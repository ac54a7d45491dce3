/**
 * Questions that agents could not answer, from the transcripts of calls. Different wordings of a question are
 * grouped.
 *
 * A question leaves the list when it becomes an entry of a knowledge file, or is dismissed. Nothing else is
 * stored: text removed from the transcripts by retention or an erasure disappears here too.
 */

import type { Author } from "../../core/author.ts";
import type { Database, Queries } from "../../core/database.ts";
import { invalidField, notFound } from "../../core/errors.ts";
import { oneLine } from "../../core/one-line.ts";
import { FILE_BYTES_MAX, type Files } from "./files.ts";

interface AskedQuestion {
  /** Normal form of the question. */
  readonly key: string;
  readonly text: string;
  readonly callUuid: string;
  readonly agentId: number | null;
  readonly askedAt: number;
}

/** Implemented by store/knowledge/unanswered-store.ts. */
export interface UnansweredRecords {
  /** Newest first, at most `limit`. */
  list(tenantId: number, limit: number): Promise<readonly AskedQuestion[]>;
  /** Removes a question from the list. Returns how often it was asked. */
  settle(tenantId: number, key: string): Promise<number>;
}

interface UnansweredQuestion {
  /** Normal form of the latest wording; identifies the group. */
  readonly key: string;
  /** The latest wording. */
  readonly question: string;
  /** Other wordings. */
  readonly variants: readonly string[];
  readonly count: number;
  readonly lastAskedAt: number;
  /** The latest call with this question. */
  readonly callUuid: string;
  readonly agentIds: readonly number[];
}

interface Entry {
  readonly key: string;
  readonly question: string;
  readonly variants: readonly string[];
  readonly answer: string;
  /** A `.md` file; null: `answers.md`, created if missing. */
  readonly fileId: number | null;
}

const ASKED_MAX = 2_000;
const QUESTIONS_MAX = 100;
const VARIANTS_MAX = 5;
const LINE_CHARACTERS_MAX = 300;
const ANSWERS_FILE = "answers.md";

export class UnansweredQuestions {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly records: (queries: Queries) => UnansweredRecords;
      readonly files: Files;
    },
  ) {}

  /** Most frequent first; at most 100. */
  async list(tenantId: number): Promise<readonly UnansweredQuestion[]> {
    return (await this.#groups(tenantId)).map(({ asked }) => grouped(asked));
  }

  /** Adds question and answer to a file. Returns its id. Throws not_found, valid_content_required. */
  async answer(tenantId: number, entry: Entry, author: Author): Promise<number> {
    const group = (await this.#groups(tenantId)).find(({ keys }) => keys.includes(entry.key));
    if (!group) throw notFound("question");
    const fileId = await this.#write(tenantId, entry, grouped(group.asked).agentIds, author);
    await this.#settle(tenantId, group.keys);
    return fileId;
  }

  /** Throws not_found. */
  async dismiss(tenantId: number, key: string): Promise<void> {
    const group = (await this.#groups(tenantId)).find(({ keys }) => keys.includes(key));
    if ((await this.#settle(tenantId, group?.keys ?? [key])) === 0) throw notFound("question");
  }

  async #groups(tenantId: number): Promise<readonly Group[]> {
    const { database, records } = this.deps;
    const asked = await records(database.read).list(tenantId, ASKED_MAX);
    const same = [...Map.groupBy(asked, ({ key }) => key)];
    const groups: Group[] = [];
    for (const [key, questions] of same.toSorted(([, a], [, b]) => b.length - a.length)) {
      const alike = groups.find(({ keys: [first = ""] }) => areAlike(first, key));
      if (alike) {
        alike.keys.push(key);
        alike.asked.push(...questions);
      } else if (groups.length < QUESTIONS_MAX) groups.push({ keys: [key], asked: questions });
    }
    for (const group of groups) group.asked.sort((a, b) => b.askedAt - a.askedAt);
    return groups.sort((a, b) => b.asked.length - a.asked.length);
  }

  #settle(tenantId: number, keys: readonly string[]): Promise<number> {
    const { database, records } = this.deps;
    return database.tx(async (queries) => {
      let count = 0;
      for (const key of keys) count += await records(queries).settle(tenantId, key);
      return count;
    });
  }

  async #write(
    tenantId: number,
    entry: Entry,
    agentIds: readonly number[],
    author: Author,
  ): Promise<number> {
    const { files } = this.deps;
    const listed = await files.list(tenantId);
    const target = listed.find(({ id, filename }) =>
      entry.fileId === null ? filename === ANSWERS_FILE : id === entry.fileId,
    );
    if (!target && entry.fileId !== null) throw notFound("file");
    if (target && target.format !== "md")
      throw invalidField(
        "file_id",
        "`file_id` must be the id of a .md file, because entries have headings.",
      );
    const section = sectionOf(entry);
    if (target) {
      // Every agent that got the question must know the answer, whichever file contains it.
      await files.update(
        tenantId,
        target.id,
        (file) => ({
          content: below(file.content, section),
          agentIds: [...new Set([...file.agentIds, ...agentIds])],
        }),
        author,
      );
      return target.id;
    }
    const made = { filename: ANSWERS_FILE, content: section, agentId: null };
    const { id } = await files.create(tenantId, made, author);
    await files.update(tenantId, id, { agentIds }, author);
    return id;
  }
}

function below(content: string, section: string): string {
  const before = content.trimEnd();
  const grown = before === "" ? section : `${before}\n\n${section}`;
  if (Buffer.byteLength(grown) > FILE_BYTES_MAX)
    throw invalidField("file_id", "This file is full (512,000 bytes). Choose another file.");
  return grown;
}

/** Wordings of one question, the latest first. */
interface Group {
  /** Normal forms of the wordings, the most frequent first. */
  readonly keys: string[];
  readonly asked: AskedQuestion[];
}

const SHARED_MIN = 2;
const ALIKE_MIN = 2 / 3;

/** True if two normal forms share most of their words: "laser whitening", "laser whitening price". */
function areAlike(a: string, b: string): boolean {
  const [ours, theirs] = [a.split(" "), b.split(" ")];
  const shared = ours.filter((stem) => theirs.includes(stem)).length;
  return shared >= SHARED_MIN && shared / (ours.length + theirs.length - shared) >= ALIKE_MIN;
}

function grouped(asked: readonly AskedQuestion[]): UnansweredQuestion {
  const [last] = asked;
  if (!last) throw new Error("a group has a member");
  const texts = [...new Set(asked.map(({ text }) => oneLine(text, LINE_CHARACTERS_MAX)))];
  const [question = ""] = texts;
  return {
    key: last.key,
    question,
    variants: texts.slice(1, 1 + VARIANTS_MAX),
    count: asked.length,
    lastAskedAt: last.askedAt,
    callUuid: last.callUuid,
    agentIds: [...new Set(asked.flatMap(({ agentId }) => (agentId === null ? [] : [agentId])))],
  };
}

/** Callers' words become one line, and no line of the answer becomes a heading. */
function sectionOf({ question, variants, answer }: Entry): string {
  const line = (text: string) =>
    oneLine(text, LINE_CHARACTERS_MAX)
      .replace(/^#+\s*/, "")
      .replace(/\s+\/\s+/g, ", ");
  const also = variants.length === 0 ? [] : [`Also: ${variants.map(line).join(" / ")}`];
  return [`## ${line(question)}`, ...also, answer.trim().replace(/^#+\s*/gm, ""), ""].join("\n");
}
