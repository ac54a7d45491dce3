/**
 * The body of a delivery: created once, then sent unchanged to every subscriber and on every retry.
 */
import { isoUtc } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";

export function envelopeBody(
  id: string,
  type: string,
  createdAtMs: number,
  data: JsonObject,
): string {
  return JSON.stringify({ id, type, created_at: isoUtc(createdAtMs), data });
}
