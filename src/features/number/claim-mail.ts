/** Mails to tenants that claimed a number, about its confirmation. They never name the other tenant. */
import { fill, textsOf } from "../../core/texts.ts";
import type { MailDraft } from "../mail/ports.ts";
import { companyName, type Reader } from "../mail/reader.ts";
import claimMailTexts from "./claim-mail-texts.json" with { type: "json" };

/** Result of the tenant's claim. */
type Outcome = "confirmed" | "ended";

export interface ClaimReader {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly locale: Reader["locale"];
}

const TEXTS = textsOf(claimMailTexts);

export function claimMail(
  to: ClaimReader,
  outcome: Outcome,
  numberE164: string,
  atMs: number,
): MailDraft {
  const { subject, body } = TEXTS[to.locale][outcome];
  return {
    key: `number-${outcome}:${to.id}:${numberE164}:${atMs}`,
    callUuid: null,
    recipient: to.email,
    subject: fill(subject, { number: numberE164, company: companyName(to.name, to.locale) }),
    body: `${fill(body.join("\n\n"), { number: numberE164 })}\n`,
    attachment: null,
  };
}
