/** Failed expectations of a rehearsal in the reader's language. Quoted speech stays as it is. */
import type { Texts } from "../../i18n/text.tsx";

type TextLookup = Pick<Texts, "findText">;

/**
 * Sentences of `features/rehearsal/expectations.ts`. The groups are the placeholders of the
 * translation.
 */
const SENTENCES: Readonly<Record<string, RegExp>> = {
  says: /^says (?<fact>.+)$/s,
  calls: /^calls (?<tool>\S+)(?: with (?<values>\{.*\}))?$/s,
  transfers: /^transfers to (?<target>.+)$/,
  takes_message: /^takes a message with (?<fact>.+)$/s,
  speaks: /^speaks (?<language>\S+)$/,
  ends: /^ends with (?<reason>\w+)$/,
  step: /^step (?<number>\d+) is reached$/,
  answers_tool: /^the scenario answers the tool (?<tool>.+)$/,
  turns: /^at most (?<number>\d+) turns$/,
  latency: /^answers within (?<number>\d+) ms \(p95\)$/,
  dead_air: /^no dead air above (?<number>\d+) ms$/,
  falls_silent: /^silent within (?<number>\d+) ms of an interruption$/,
  never_interrupts: /^the agent never interrupts$/,
  carried_out: /^the rehearsal is carried out$/,
  said: /^the agent said (?<words>".*")$/s,
  said_nothing: /^the agent said nothing$/,
  ended_before: /^the call ended before \((?<reason>\w+)\)$/,
  no_answer: /^(?<tool>\S+) was called, and `tools` has no answer$/,
  model_answered: /^the model answered (?<words>".*")$/s,
  misquoted: /^the model quotes what nobody said: (?<words>".*")$/s,
  no_model: /^a persona and `judge` need a language model/,
  not_live: /^a live tool is asked only by a running server/,
  ended: /^the call ended with (?<reason>\w+)$/,
  called_with: /^it was called with (?<values>.+)$/s,
  not_called: /^(?<tool>\S+) was not called$/,
  transferred: /^the caller was transferred to (?<target>.+)$/,
  not_transferred: /^the caller was not transferred$/,
  transfer: /^transfer to (?<target>.+): (?<outcome>\w+)$/,
  message: /^the message (?<words>".*")$/s,
  no_message: /^no message was taken$/,
  spoke: /^it spoke (?!on$)(?<language>\S+)$/,
  spoke_on: /^it spoke on$/,
  silence: /^(?<number>\d+) ms of silence before it$/,
  began_over: /^it began while the caller said (?<words>".*")$/s,
  nobody_spoke: /^nobody said anything in this call$/,
  phones_stopped: /^the telephones (?:stopped before its end|did not start)$/,
};

const NEVER = "never: ";

/** Translates a known sentence; returns any other unchanged. */
export function failureText(sentence: string, texts: TextLookup): string {
  const { findText } = texts;
  if (sentence.startsWith(NEVER)) {
    const what = failureText(sentence.slice(NEVER.length), texts);
    return findText("rehearsals.why.never", { what }) ?? sentence;
  }
  for (const [key, pattern] of Object.entries(SENTENCES)) {
    const found = pattern.exec(sentence);
    if (found)
      return findText(`rehearsals.why.${key}`, blanksOf(found, texts))?.trimEnd() ?? sentence;
  }
  return sentence;
}

/** Translates reasons and outcomes within a sentence. */
function blanksOf({ groups = {} }: RegExpExecArray, { findText }: TextLookup) {
  const { values = "", reason = "", outcome = "" } = groups;
  return {
    ...groups,
    values,
    reason: findText(`ended.${reason}`)?.replace(/\.$/, "") ?? reason,
    outcome: findText(`call.transfer.${outcome}`) ?? outcome,
  };
}
