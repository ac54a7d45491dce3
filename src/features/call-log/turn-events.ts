/** Live turns of calls, for the command line and the demo. */

import type { CallIdentity } from "../../call/call-identity.ts";
import type { TurnRecord } from "../../conversation/call-report.ts";
import { Emitter } from "../../core/emitter.ts";

interface LiveTurn {
  readonly call: CallIdentity;
  readonly turn: TurnRecord;
}

export type TurnEvents = Emitter<{ readonly turn: LiveTurn }>;

export const createTurnEvents = (): TurnEvents => new Emitter<{ readonly turn: LiveTurn }>();
