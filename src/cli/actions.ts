/**
 * Commands as tables. Most actions run one operation. The operation's contract parses and validates
 * the options. The table adds the option names and the output text.
 */
import type { ParseArgsOptionsConfig } from "node:util";
import { z } from "zod";
import {
  type InputOf,
  type OperationName,
  type OutputOf,
  operations,
} from "../http/contracts/operations.ts";
import { requirementOf } from "../http/contracts/schema.ts";
import { fileArgument } from "./file-argument.ts";
import { configFor, operate } from "./operator.ts";
import { type Command, parse, type Terminal, WrongUsage } from "./usage.ts";

type ValuesOf<Options extends ParseArgsOptionsConfig> = {
  readonly [Name in keyof Options]?: Options[Name]["type"] extends "boolean" ? boolean : string;
} & { readonly json: boolean; readonly config?: string };

interface Call<Options extends ParseArgsOptionsConfig> {
  readonly values: ValuesOf<Options>;
  /** Words after the action's name. */
  readonly words: readonly string[];
  readonly terminal: Terminal;
}

interface Action<Options extends ParseArgsOptionsConfig = ParseArgsOptionsConfig> {
  /** Usage lines of the command. */
  readonly usage: readonly string[];
  readonly options: Options;
  /** Maximum number of words after the action's name. Default: none. */
  readonly words?: number;
  /** Returns the exit status. */
  run(call: Call<Options>): Promise<number>;
}

/** Defines an action that is not a single operation. Keeps the types of its options. */
export const action = <const Options extends ParseArgsOptionsConfig>(
  definition: Action<Options>,
): Action => definition as unknown as Action;

/** `linevoice NAME ACTION …`. */
export function commandOf(
  name: string,
  actions: Readonly<Record<string, Action>>,
  notes?: readonly string[],
): Command {
  const all = Object.values(actions);
  const options: ParseArgsOptionsConfig = Object.assign({}, ...all.map((each) => each.options));
  const wordsMax = 1 + Math.max(...all.map((each) => each.words ?? 0));
  return {
    usage: all.flatMap(({ usage }) => usage),
    ...(notes ? { notes } : {}),
    async run(args, terminal) {
      const { values, words } = parse(args, options, wordsMax);
      const [chosen = "", ...rest] = words;
      const found = Object.hasOwn(actions, chosen) ? actions[chosen] : undefined;
      if (!found) throw new WrongUsage(`Expected a subcommand: ${listed(Object.keys(actions))}.`);
      for (const option of Object.keys(options))
        if (option in values && !(option in found.options))
          throw new WrongUsage(`--${option} is not valid for ${name} ${chosen}.`);
      const surplus = rest[found.words ?? 0];
      if (surplus !== undefined) throw new WrongUsage(`Unexpected argument "${surplus}".`);
      return await found.run({
        values: values as ValuesOf<ParseArgsOptionsConfig>,
        words: rest,
        terminal,
      });
    },
  };
}

/** `linevoice NAME …`: a command with a single action. */
export const singleCommand = (
  { usage, options, words = 0, run }: Action,
  notes?: readonly string[],
): Command => ({
  usage,
  ...(notes ? { notes } : {}),
  async run(args, terminal) {
    const parsed = parse(args, options, words);
    return await run({
      values: parsed.values as ValuesOf<ParseArgsOptionsConfig>,
      words: parsed.words,
      terminal,
    });
  },
});

const listed = (names: readonly string[]) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;

type FieldOf<Name extends OperationName> = keyof InputOf<Name> & string;

interface Asking<Name extends OperationName, Options extends ParseArgsOptionsConfig> {
  readonly usage: readonly string[];
  /** Fields with an option of the same name: `caller_id` is `--caller-id`. */
  readonly fields?: readonly FieldOf<Name>[];
  /** Options whose field has another name. */
  readonly as?: Readonly<Record<string, FieldOf<Name>>>;
  /** Value of an option that means null. */
  readonly none?: Readonly<Record<string, string>>;
  /** Name of the word after the action in the usage, and its field. */
  readonly word?: readonly [string, FieldOf<Name>];
  /**
   * Options without a direct field in the contract; `input` converts them. They take precedence
   * over given fields.
   */
  readonly others?: Options;
  readonly input?: (
    values: ValuesOf<Options>,
    terminal: Terminal,
  ) => Partial<InputOf<Name>> | Promise<Partial<InputOf<Name>>>;
  /** Text output without --json. Missing: always JSON. */
  readonly lines?: (answer: OutputOf<Name>) => readonly string[];
  /** Exit status. Default 0. */
  readonly status?: (answer: OutputOf<Name>) => number;
  /** With --json, each item is printed on its own line. */
  readonly jsonLines?: boolean;
}

/** Defines an action that runs this operation. */
export function asks<
  Name extends OperationName,
  const Options extends ParseArgsOptionsConfig = Record<never, never>,
>(name: Name, table: Asking<Name, Options>): Action {
  const { fields = [], as = {}, none = {}, word, lines } = table;
  const shape = shapeOf(name);
  const fieldOf: Readonly<Record<string, string>> = {
    ...Object.fromEntries(fields.map((field) => [field.replaceAll("_", "-"), field])),
    ...as,
  };
  const own = Object.fromEntries(
    Object.entries(fieldOf).map(([option, field]) => [option, { type: optionType(shape[field]) }]),
  );
  return {
    usage: table.usage,
    options: { ...own, ...table.others },
    words: word ? 1 : 0,
    async run({ values, words, terminal }) {
      const given: Record<string, unknown> = {};
      for (const [option, field] of Object.entries(fieldOf))
        if (values[option] !== undefined)
          given[field] =
            values[option] === none[option] ? null : read(shape[field], values[option]);
      if (word && words[0] !== undefined) given[word[1]] = read(shape[word[1]], words[0]);
      const called = Object.entries(fieldOf).map(
        ([option, field]) => [field, `--${option}`] as const,
      );
      checkGiven(shape, given, word ? [[word[1], word[0]], ...called] : called);
      const others = await table.input?.(values as unknown as ValuesOf<Options>, terminal);
      const input = { ...others, ...given } as InputOf<Name>;
      const answer = await operate(configFor(values.config, terminal), name, input);
      if (table.jsonLines && values.json && Array.isArray(answer))
        for (const item of answer) terminal.out(JSON.stringify(item));
      else if (values.json || !lines) terminal.out(JSON.stringify(answer));
      else for (const line of lines(answer)) terminal.out(line);
      return table.status?.(answer) ?? 0;
    },
  };
}

const shapeOf = (name: OperationName): Readonly<Record<string, z.ZodType>> => {
  const { input } = operations[name];
  return input instanceof z.ZodObject ? input.shape : {};
};

/** Throws WrongUsage that names the option or word as the user typed it. */
function checkGiven(
  shape: Readonly<Record<string, z.ZodType>>,
  given: Readonly<Record<string, unknown>>,
  called: readonly (readonly [string, string])[],
): void {
  for (const [field, name] of called) {
    const schema = shape[field];
    if (!schema || schema.safeParse(given[field]).success) continue;
    if (given[field] === undefined || given[field] === "")
      throw new WrongUsage(`${name} is missing.`);
    const otherwise = kindOf(schema) === "number" ? "be a number such as 1" : "have a valid value";
    throw new WrongUsage(`${name} must ${requirementOf(schema)?.must ?? otherwise}.`);
  }
}

function kindOf(schema: z.core.$ZodType): string {
  const { type, innerType } = schema._zod.def as { type: string; innerType?: z.core.$ZodType };
  return innerType ? kindOf(innerType) : type;
}

const optionType = (schema: z.ZodType | undefined): "boolean" | "string" =>
  schema && kindOf(schema) === "boolean" ? "boolean" : "string";

/**
 * Converts an option's text to the type of its field. Text that is not a number stays text, and the
 * contract rejects it.
 */
function read(schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema || typeof value !== "string") return value;
  const kind = kindOf(schema);
  if (kind === "array") return value.split(",").map((item) => item.trim());
  const isNumber = kind === "number" || kind === "literal";
  return isNumber && /^-?\d{1,15}(\.\d{1,10})?$/.test(value) ? Number(value) : value;
}

/** The options for a secret. The secret itself never appears on the command line. */
export const secretOptions = <const Name extends string>(name: Name) =>
  ({ [`${name}-file`]: { type: "string" }, [`${name}-stdin`]: { type: "boolean" } }) as {
    [Key in `${Name}-file`]: { type: "string" };
  } & { [Key in `${Name}-stdin`]: { type: "boolean" } };

/** Returns the secret; null if neither option is given. */
export async function secretFrom(
  name: string,
  file: string | undefined,
  isOnStdin: boolean | undefined,
  terminal: Terminal,
): Promise<string | null> {
  if (file !== undefined && isOnStdin)
    throw new WrongUsage(`Give --${name}-file or --${name}-stdin, not both.`);
  if (file === undefined && !isOnStdin) return null;
  const text =
    file === undefined ? await Bun.stdin.text() : fileArgument(file, terminal).toString();
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "" || /[\r\n\0]/.test(secret))
    throw new WrongUsage(`The ${name} is one line that is not empty.`);
  return secret;
}
