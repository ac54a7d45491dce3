/** Problems in the files of a rehearsal. */
import type { MessageName } from "../../core/message-reasons.ts";

/** A problem at one position of a file. */
export interface ScenarioProblem {
  readonly file: string;
  /** Null: the whole file. */
  readonly line: number | null;
  /** The field and its rule. */
  readonly text: string;
  readonly messageName: MessageName;
}

export class ScenarioInvalid extends Error {
  override readonly name = "ScenarioInvalid";

  constructor(readonly found: readonly ScenarioProblem[]) {
    super("a file of a rehearsal is wrong");
    this.message = this.problems.join("\n");
  }

  /** One line per problem, with the file name. */
  get problems(): readonly string[] {
    return this.found.map(
      ({ file, line, text }) => `${file}${line === null ? "" : `:${line}`}: ${text}`,
    );
  }

  /** The same problems, with line numbers of the whole text that contains this file. */
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

  /** Message for a person who entered the text in one field, without file names. */
  get inOneField(): readonly [string, MessageName] {
    const [first] = this.found;
    const told = this.found.map(({ line, text }) =>
      line === null ? sentence(text) : `Line ${line}: ${text}.`,
    );
    return [[...new Set(told)].join("\n"), first?.messageName ?? {}];
  }
}

const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
