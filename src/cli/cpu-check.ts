/** CPU requirements of commands that recognise speech. */
import {
  hasVectorInstructions,
  NO_VECTOR_INSTRUCTIONS,
} from "../platform/audio/vector-instructions.ts";
import { CannotRunHere } from "./usage.ts";

/** Throws CannotRunHere with a remedy. */
export function requireVectorInstructions(): void {
  const { finding, remedy } = NO_VECTOR_INSTRUCTIONS;
  if (!hasVectorInstructions()) throw new CannotRunHere(`${finding} ${remedy}`);
}
