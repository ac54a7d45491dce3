/**
 * How large a prompt is against what its model takes: prompt, knowledge and tools that fill it leave
 * no room for the conversation, and a model that is asked for more answers nothing at all. Whoever
 * runs the appliance reads of it in the log, with what fixes it.
 */
import type { Log } from "../../core/log.ts";
import type { SessionSettings } from "../../domain/conversation/engine-port.ts";

/** Share of what the model takes that a prompt may fill before it is warned of. */
const PROMPT_SHARE_MAX = 0.8;

/** A guess that rather takes too many: four octets of UTF-8 a token. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** `tokensMax`: what the model takes. `remedy`: what to do about it. */
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
