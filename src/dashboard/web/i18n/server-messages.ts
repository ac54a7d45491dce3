/**
 * Translations of server messages, by code: `field.` and the rule that a value breaks; `problem.`
 * and the reason or code of another rejection; `sip.` failed registrations; `check.` trunk test
 * results; `doctor.` checks of the appliance. English readers see the server's text.
 */
import type { ErrorCode } from "../../../core/errors.ts";
import type { FieldReason, ProblemReason } from "../../../core/message-reasons.ts";
import type { ServerMessages } from "./language.ts";
import texts from "./server-messages.json";

/**
 * Codes that need a translation here. The page frame has texts for the others, except
 * `insufficient_scope`, which only API keys get.
 */
type Code = Exclude<
  ErrorCode,
  `valid_${string}` | "forbidden" | "rate_limited" | "engine" | "insufficient_scope"
>;
type Needed = `field.${FieldReason}` | `problem.${ProblemReason | Code}`;

export const serverMessages = texts satisfies ServerMessages & Record<Needed, unknown>;
