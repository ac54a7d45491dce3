/** Turns of live calls as they happen, for whoever follows along: command line, demo. */

import { Emitter } from "../../core/emitter.ts";
import type { CallIdentity } from "../../domain/call/call-identity.ts";
import type { TurnRecord } from "../../domain/conversation/call-report.ts";

interface LiveTurn {
  readonly call: CallIdentity;
  readonly turn: TurnRecord;
}

export type TurnFeed = Emitter<{ readonly turn: LiveTurn }>;

export const createTurnFeed = (): TurnFeed => new Emitter<{ readonly turn: LiveTurn }>();
