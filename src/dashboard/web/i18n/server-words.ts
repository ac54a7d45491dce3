/**
 * What the server says, in the reader's language: by its stable codes where we have a sentence for
 * them (messages/<language>/answers.ts), else in the server's own English, which loses nothing.
 */
import type { ApiProblem } from "../api/problem.ts";
import type { Texts } from "./text.tsx";

type Said = Pick<Texts, "language" | "said" | "t">;

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

/** English loses the code-like name of the field, which stands beside it: "Must be six digits". */
const inEnglish = (message: string): string => message.replace(/^`?\w+`? must /, "Must ");

function bySame(field: string, { path }: ApiProblem, { said }: Said): string | null {
  const [first = ""] = path;
  for (const place of [`${path.at(-1) ?? ""}.`, `${first}.`, ""]) {
    const name = place + field;
    const text = said(`field.${SAME[name] ?? name}`);
    if (text !== null) return text;
  }
  return null;
}

function byShape(message: string, { said }: Said): string | null {
  for (const [shape, key] of SHAPES) {
    const found = shape.exec(message);
    if (found) return said(key, { ...found.groups });
  }
  return null;
}

/** A refusal at a field. The line of a file that is at fault is told in any language. */
export function fieldText(problem: ApiProblem, texts: Said): string {
  const { field, message } = problem;
  if (texts.language === "en") return inEnglish(message);
  if (field === null || !problem.code.startsWith("valid_")) return problemInWords(problem, texts);
  const text = bySame(field, problem, texts) ?? byShape(message, texts);
  if (text === null) return message;
  const line = /\bline (\d+)/.exec(message)?.[1];
  return line === undefined ? text : `${text} ${texts.t("contacts.line", { line })}.`;
}

/** Any other refusal: by its code, where it was asked. */
export function problemInWords(problem: ApiProblem, { said }: Said): string {
  const { code, path } = problem;
  for (const place of [path.at(-1), path[0]]) {
    const text = place === undefined ? null : said(`code.${code}.${place}`);
    if (text !== null) return text;
  }
  return said(`code.${code}`) ?? problem.message;
}

/** Why a registration failed, by the SIP code; a way to the server that failed has none. */
export function registrationText(
  failure: { readonly code: number | null; readonly server: string; readonly explanation: string },
  { said }: Said,
): string {
  const { code, server, explanation } = failure;
  if (code === null)
    return (
      (/ does not answer\./.test(explanation) && said("sip.silent", { server })) || explanation
    );
  const known = said(`sip.${code === 407 ? 401 : code}`);
  return known ?? said(code >= 500 ? "sip.5xx" : "sip.other", { code }) ?? explanation;
}

interface Check {
  readonly name: string;
  readonly verdict: string;
  readonly finding: string;
  readonly mend: string | null;
}

/** One check of a trunk's test: its name, what was found and what to do. */
export function checkText(check: Check, { said }: Said): Pick<Check, "name" | "finding" | "mend"> {
  const { name, verdict } = check;
  const finding = said(`check.${name}.${verdict}`) ?? said(`check.${verdict}`);
  const heading = said(`check.${name}`);
  return finding === null || heading === null ? check : { name: heading, finding, mend: null };
}

const CALL_NOTE = /^Call of (?<total>\d+) s: (?<plan>\d+) s from the plan, (?<over>\d+) s overage$/;

/** What the ledger notes of a call; any other note is somebody's own words. */
export function noteText(note: string, { said }: Said): string {
  const found = CALL_NOTE.exec(note);
  return (found && said("note.call", { ...found.groups })) ?? note;
}
