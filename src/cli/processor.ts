/** What commands that hear speech need of the processor. */
import {
  hasVectorInstructions,
  NO_VECTOR_INSTRUCTIONS,
} from "../platform/audio/vector-instructions.ts";
import { CannotRunHere } from "./usage.ts";

/** Throws CannotRunHere, which says what helps. */
export function requireVectorInstructions(): void {
  const { finding, remedy } = NO_VECTOR_INSTRUCTIONS;
  if (!hasVectorInstructions()) throw new CannotRunHere(`${finding} ${remedy}`);
}
