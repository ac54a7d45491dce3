/**
 * Server status messages in the reader's language: translated by code, else in the server's words.
 */
import { healthCheckText, registrationText } from "../../i18n/problem-text.ts";
import type { Texts } from "../../i18n/text.tsx";

interface StatusMessage {
  readonly code: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly sentence: string;
  readonly remedy: string | null;
}

/** If a newer server sends an unknown code, returns the server's message. */
export function statusText({ code, values, sentence, remedy }: StatusMessage, texts: Texts) {
  const { knows, t } = texts;
  const filled = {
    ...values,
    ...(code === "trunk_failed" && { explanation: why(values, texts) }),
    ...(code === "health" && {
      checks: String(values.checks)
        .split(", ")
        .map((name) => (texts.language === "en" ? name : healthCheckText(name, texts)))
        .join(", "),
    }),
    ...(code === "money_gone" && { amount: texts.eur(Number(values.eur)) }),
  };
  const textOr = (key: string, otherwise: string | null) =>
    knows(key) ? t(key, filled) : otherwise;
  return {
    sentence: textOr(`system_status.${code}`, sentence),
    remedy: textOr(`remedy.${code}`, remedy),
  };
}

/** For a failed trunk, the status includes the SIP code in addition to the server's text. */
const why = (
  { server, sip_code: code, reason, explanation }: StatusMessage["values"],
  texts: Texts,
): string =>
  registrationText(
    {
      server: String(server),
      reason: String(reason),
      code: typeof code === "number" ? code : null,
      explanation: String(explanation),
    },
    texts,
  );
