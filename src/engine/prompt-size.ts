/**
 * Warns if prompt, knowledge and tools leave too little of the model's window for the conversation.
 * A model whose limit is exceeded does not answer at all. The warning goes to the operator's log,
 * with the remedy.
 */

import type { SessionSettings } from "../conversation/engine-port.ts";
import type { Log } from "../core/log.ts";

/** Share of the model's window that a prompt may fill without a warning. */
const PROMPT_SHARE_MAX = 0.8;

/** A high estimate: four bytes of UTF-8 per token. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** `tokensMax`: window of the model. `remedy`: advice for the operator. */
export function warnOfPromptSize(
  log: Log,
  session: SessionSettings,
  { tokensMax, remedy }: { readonly tokensMax: number; readonly remedy: string },
): void {
  const tools = [...session.tools, ...(session.builtInTools ?? [])];
  const tokens = estimateTokens(session.systemPrompt) + estimateTokens(JSON.stringify(tools));
  if (tokens <= tokensMax * PROMPT_SHARE_MAX) return;
  log.warn("prompt.too_large", {
    call_id: session.callId,
    tokens_estimated: tokens,
    context_tokens: tokensMax,
    remedy,
  });
}
