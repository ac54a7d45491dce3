/**
 * Server messages in the reader's language: translated by code if server-messages.json has it, else
 * the server's English text.
 */
import type { ApiProblem } from "../api/problem.ts";
import type { Parameters } from "./catalogue.ts";
import type { Texts } from "./text.tsx";

type TextLookup = Pick<Texts, "language" | "findText" | "t">;

/** Text of an API problem, looked up by its reason, its field or its code. */
export function problemText(problem: ApiProblem, texts: TextLookup): string {
  const { code, field, message, params } = problem;
  const { language, findText, t } = texts;
  const place = code.startsWith("valid_") ? "field" : "problem";
  const which = problem.reason ?? field;
  // The server's English message is more specific than the text for the code.
  const isTold = language === "en" && which !== null;
  const text =
    findText(`${place}.${which}`, params) ?? (isTold ? null : findText(`problem.${code}`));
  // The field's label already names it, so remove the identifier: "Must be six digits".
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

/** Why a registration failed: by the appliance's reason, else by the SIP code. */
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

/** Result of one trunk check, and the remedy. */
export function checkText(
  check: Check,
  { findText }: TextLookup,
): Pick<Check, "finding" | "remedy"> {
  const { name, result } = check;
  const finding = findText(`check.${name}.${result}`) ?? findText(`check.${result}`);
  return finding === null ? check : { finding, remedy: null };
}

/**
 * What a health check examines, in the reader's language; the check's own name if there is no
 * translation.
 */
export const healthCheckText = (name: string, { findText }: Pick<TextLookup, "findText">): string =>
  findText(`doctor.${name.replaceAll(" ", "_")}`) ?? name.charAt(0).toUpperCase() + name.slice(1);

/**
 * Text of a ledger note. Notes that the appliance wrote are translated; notes by people stay as
 * they are.
 */
export const noteText = (
  { note, seconds }: { readonly note: string; readonly seconds: Parameters | null },
  { findText }: TextLookup,
): string => (seconds && findText("note.call", seconds)) ?? note;
