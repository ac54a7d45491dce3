/** Live turns of calls, for the command line and the demo. */

import { Emitter } from "../../core/emitter.ts";
import type { CallIdentity } from "../../domain/call/call-identity.ts";
import type { TurnRecord } from "../../domain/conversation/call-report.ts";

interface LiveTurn {
  readonly call: CallIdentity;
  readonly turn: TurnRecord;
}

export type TurnFeed = Emitter<{ readonly turn: LiveTurn }>;

export const createTurnFeed = (): TurnFeed => new Emitter<{ readonly turn: LiveTurn }>();
