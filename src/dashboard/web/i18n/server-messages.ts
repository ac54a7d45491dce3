/**
 * What the server says, in the reader's language: by its stable codes where we have a sentence for
 * them (server-sentences.ts), else in the server's own English, which loses nothing.
 */
import type { ApiProblem } from "../api/problem.ts";
import type { Texts } from "./text.tsx";

type TextLookup = Pick<Texts, "language" | "findText" | "t">;

/** Fields that mean what another does. */
const SAME: Readonly<Record<string, string>> = {
  transcript_email: "email",
  webhook_url: "url",
  crm_url: "url",
  birthday_agent_id: "agent_id",
  "disable.password": "current",
};

/** Requirements that many fields share, by the shape of the server's sentence. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/no default caller id/, "field.from_number"],
  [/E\.164/, "field.number"],
  [/e-mail address/, "field.email"],
  [/a time like 10:00/, "field.time"],
  [/must be later than/, "field.calling_to"],
  [/EUR from (?<from>-?\d+) to (?<to>\d+)/, "shape.amount"],
  [/(?:integer|port) from (?<from>\d+) to (?<to>\d+)/, "shape.range"],
  [/(?<from>\d+) to (?<to>\d+) (?:visible ASCII )?characters/, "shape.length"],
  [/at most (?<to>\d+) characters/, "shape.length_max"],
];

/** Why exactly a field is wrong, where the server says it: more than what the field needs. */
const CAUSES: typeof SHAPES = [
  [/`parameters`: (?:the )?(?<at>\S+) is an array without one "items"/, "cause.array_items"],
  [/`parameters`: "(?<word>\w+)" may not stand at the top/, "cause.not_at_top"],
];

/** English loses the code-like name of the field, which stands beside it: "Must be six digits". */
const inEnglish = (message: string): string => message.replace(/^`?\w+`? must /, "Must ");

function bySame(field: string, { path }: ApiProblem, { findText }: TextLookup): string | null {
  const [first = ""] = path;
  for (const place of [`${path.at(-1) ?? ""}.`, `${first}.`, ""]) {
    const name = place + field;
    const text = findText(`field.${SAME[name] ?? name}`);
    if (text !== null) return text;
  }
  return null;
}

function byShape(
  message: string,
  { findText }: TextLookup,
  shapes: typeof SHAPES = SHAPES,
): string | null {
  for (const [shape, key] of shapes) {
    const found = shape.exec(message);
    if (found) return findText(key, { ...found.groups });
  }
  return null;
}

/** A refusal at a field. The line of a file that is at fault is told in any language. */
export function fieldText(problem: ApiProblem, texts: TextLookup): string {
  const { field, message } = problem;
  if (texts.language === "en") return inEnglish(message);
  if (field === null || !problem.code.startsWith("valid_")) return problemInWords(problem, texts);
  const text =
    byShape(message, texts, CAUSES) ?? bySame(field, problem, texts) ?? byShape(message, texts);
  if (text === null) return message;
  const line = /\bline (\d+)/.exec(message)?.[1];
  return line === undefined ? text : `${text} ${texts.t("contacts.line", { line })}.`;
}

/** Any other refusal: by its code, where it was asked. */
export function problemInWords(problem: ApiProblem, { findText }: TextLookup): string {
  const { code, path } = problem;
  for (const place of [path.at(-1), path[0]]) {
    const text = place === undefined ? null : findText(`code.${code}.${place}`);
    if (text !== null) return text;
  }
  return findText(`code.${code}`) ?? problem.message;
}

/** Why a registration failed, by the SIP code; a way to the server that failed has none. */
export function registrationText(
  failure: { readonly code: number | null; readonly server: string; readonly explanation: string },
  { findText }: TextLookup,
): string {
  const { code, server, explanation } = failure;
  if (code === null)
    return (
      (/ does not answer\./.test(explanation) && findText("sip.silent", { server })) || explanation
    );
  const known = findText(`sip.${code === 407 ? 401 : code}`);
  return known ?? findText(code >= 500 ? "sip.5xx" : "sip.other", { code }) ?? explanation;
}

interface Check {
  readonly name: string;
  readonly result: string;
  readonly finding: string;
  readonly remedy: string | null;
}

/** What a check of a trunk's test found, and what to do. */
export function checkText(
  check: Check,
  { findText }: TextLookup,
): Pick<Check, "finding" | "remedy"> {
  const { name, result } = check;
  const finding = findText(`check.${name}.${result}`) ?? findText(`check.${result}`);
  return finding === null ? check : { finding, remedy: null };
}

const CALL_NOTE = /^Call of (?<total>\d+) s: (?<plan>\d+) s from the plan, (?<over>\d+) s overage$/;

/** What the ledger notes of a call; any other note is somebody's own words. */
export function noteText(note: string, { findText }: TextLookup): string {
  const found = CALL_NOTE.exec(note);
  return (found && findText("note.call", { ...found.groups })) ?? note;
}
