/** Telephone numbers as people type them. */
import { isE164 } from "../../../core/e164.ts";
import { answer, own } from "./client.ts";

/**
 * Converts a typed number to E.164. The server reads national forms, such as `8 612 34567`. Returns
 * any other text as it is, so that the request for which it is meant can refuse it.
 */
export async function numberTyped(typed: string): Promise<string> {
  if (!/^\s*[+\d][\d\s().-]*$/.test(typed)) return typed.trim();
  const compact = typed.replace(/[\s().-]/g, "");
  if (isE164(compact) || typed.length > 60) return compact;
  const { number_e164 } = await answer(own.GET("/number", { params: { query: { typed } } }));
  return number_e164 ?? compact;
}
