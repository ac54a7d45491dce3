/** Problems in the files of a rehearsal. */
import type { MessageName } from "../../core/message-reasons.ts";

/** A problem at one place of a file. */
export interface ScenarioProblem {
  readonly file: string;
  /** Null: the file as a whole. */
  readonly line: number | null;
  /** The field and what it must be. */
  readonly text: string;
  readonly messageName: MessageName;
}

export class ScenarioInvalid extends Error {
  override readonly name = "ScenarioInvalid";

  constructor(readonly found: readonly ScenarioProblem[]) {
    super("a file of a rehearsal is wrong");
    this.message = this.problems.join("\n");
  }

  /** A line each, with the file's name. */
  get problems(): readonly string[] {
    return this.found.map(
      ({ file, line, text }) => `${file}${line === null ? "" : `:${line}`}: ${text}`,
    );
  }

  /** The same problems in a text that this file is a part of. */
  movedBy(lines: number): ScenarioInvalid {
    return new ScenarioInvalid(
      this.found.map(({ line, messageName, ...problem }) => {
        const { params, ...message } = messageName;
        const moved =
          params && "line" in params ? { ...params, line: Number(params.line) + lines } : params;
        return {
          ...problem,
          line: line === null ? null : line + lines,
          messageName: moved ? { ...message, params: moved } : message,
        };
      }),
    );
  }

  /** For who wrote it in one field and sees no file. */
  get inOneField(): readonly [string, MessageName] {
    const [first] = this.found;
    const told = this.found.map(({ line, text }) =>
      line === null ? sentence(text) : `Line ${line}: ${text}.`,
    );
    return [[...new Set(told)].join("\n"), first?.messageName ?? {}];
  }
}

const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
