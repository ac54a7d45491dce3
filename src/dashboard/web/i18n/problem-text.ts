/**
 * What the server says, in the reader's language: by its codes where the table has them
 * (server-messages.ts), else in the server's own English.
 */
import type { ApiProblem } from "../api/problem.ts";
import type { Parameters } from "./catalogue.ts";
import type { Texts } from "./text.tsx";

type TextLookup = Pick<Texts, "language" | "findText" | "t">;

/** A refusal: by its reason, the field that it is about, or its code. */
export function problemText(problem: ApiProblem, texts: TextLookup): string {
  const { code, field, message, params } = problem;
  const { language, findText, t } = texts;
  const place = code.startsWith("valid_") ? "field" : "problem";
  const which = problem.reason ?? field;
  // The server's own English says more than the code does.
  const isTold = language === "en" && which !== null;
  const text =
    findText(`${place}.${which}`, params) ?? (isTold ? null : findText(`problem.${code}`));
  // The code-like name stands beside the field: "Must be six digits".
  if (text === null || (language === "en" && place === "field"))
    return message.replace(/^`(\w+)` (\w)/, (whole, name: string, letter: string) =>
      name === field ? letter.toUpperCase() : whole,
    );
  return params.line === undefined ? text : `${text} ${t("contacts.line", { line: params.line })}.`;
}

interface RegistrationFailure {
  readonly reason: string | null;
  readonly code: number | null;
  readonly server: string;
  readonly explanation: string;
}

/** Why a registration failed: by our reason, else by the SIP code. */
export function registrationText(
  { reason, code, server, explanation }: RegistrationFailure,
  { findText }: TextLookup,
): string {
  const bySip =
    code !== null &&
    (findText(`sip.${code === 407 ? 401 : code}`) ??
      findText(code >= 500 ? "sip.5xx" : "sip.other", { code }));
  return findText(`sip.${reason}`, { server }) ?? (bySip || explanation);
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

/** What a check of the appliance looks at, told in the reader's language; the program's name if we have none. */
export const healthCheckText = (name: string, { findText }: Pick<TextLookup, "findText">): string =>
  findText(`doctor.${name.replaceAll(" ", "_")}`) ?? name.charAt(0).toUpperCase() + name.slice(1);

/** What the ledger notes of a call; any other note is somebody's own words. */
export const noteText = (
  { note, seconds }: { readonly note: string; readonly seconds: Parameters | null },
  { findText }: TextLookup,
): string => (seconds && findText("note.call", seconds)) ?? note;
