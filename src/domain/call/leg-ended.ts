/** What `answer` of an incoming leg rejects with: the caller is gone, or was refused. */
import type { LegEnd } from "./sip-port.ts";

export class LegEnded extends Error {
  override readonly name = "LegEnded";
  constructor(readonly end: LegEnd) {
    super(end.explanation);
  }
}
