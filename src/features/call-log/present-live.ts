/** Live calls and turns in the dashboard's format. */

import type { TurnRecord } from "../../conversation/call-report.ts";
import { isoUtc } from "../../core/clock.ts";
import type { LiveCallView } from "../../http/dashboard/ports.ts";
import { isoOrNull } from "../../http/route-present.ts";

export const presentTurn = (turn: TurnRecord) => ({
  index: turn.index,
  speaker: turn.speaker,
  text: turn.text,
  start_ms: Math.round(turn.startMs),
  end_ms: Math.round(turn.endMs),
  interrupted: turn.interrupted,
  latency_ms: turn.latencyMs === null ? null : Math.round(turn.latencyMs),
});

export const presentLive = (call: LiveCallView, agentName: string | null) => ({
  call_uuid: call.callUuid,
  direction: call.direction,
  from_number: call.fromNumber || null,
  to_number: call.toNumber,
  agent_id: call.agentId,
  agent_name: agentName,
  status: call.status,
  started_at: isoUtc(call.startedAtMs),
  answered_at: isoOrNull(call.answeredAtMs),
  last_turn: call.lastTurn && presentTurn(call.lastTurn),
});
