/**
 * Memory for recognising English. Not in transcriber.ts: the main thread uses it and must not load
 * a model.
 */
import { availableMemoryMb } from "../../platform/memory/available.ts";

/** Memory of a transcriber's thread while it reads. */
export const MEMORY_MB = 450;
/** Memory for calls, recordings and the database. */
const RESERVE_MB = 150;

/**
 * MB missing before English can be recognised; 0 if there is enough, or if the system does not
 * report it.
 */
export function missingMemoryMb(available: number | null = availableMemoryMb()): number {
  return available === null ? 0 : Math.max(0, MEMORY_MB + RESERVE_MB - available);
}

export const memoryShort = (missingMb: number) => ({
  finding: `Callers can answer only with keys, because speech to text needs ${missingMb} MB more memory.`,
  remedy: 'Free memory, or set [engine.embedded] hearing = "keys".',
});
