/** A call's recording and its waveform, and calls as CSV. */

import { type CallFilter, callHistoryStore } from "../../../../adapter/store/call-history-store.ts";
import { diagnosticsStore } from "../../../../adapter/store/diagnostics-store.ts";
import { isoUtc } from "../../../../core/clock.ts";
import { csvRow } from "../../../../core/csv.ts";
import { notFound } from "../../../../core/errors.ts";
import { microToEur } from "../../../../core/money.ts";
import { rawRoute, route } from "../../contract.ts";
import { csvResponse } from "../../csv-response.ts";
import { dayEnd, dayStart } from "../../routes/calls.ts";
import { isoOrNull } from "../../routes/present.ts";
import { recordingResponse } from "../../routes/recordings.ts";
import * as contracts from "../contracts/calls.ts";
import type { ProductContext } from "./context.ts";

const PAGE_ROWS = 500;

const HEADER = csvRow([
  ...["call_uuid", "direction", "from_number", "to_number", "agent_id", "status", "ended_reason"],
  ...["created_at", "answered_at", "ended_at", "billable_seconds", "cost_eur", "answered_by"],
  ...["latency_p50_ms", "mos", "summary"],
]);

type CallRow = Awaited<ReturnType<ReturnType<typeof diagnosticsStore>["pageOfCalls"]>>[number];

const rowOf = (call: CallRow): string =>
  csvRow([
    ...[call.callUuid, call.direction, call.fromNumber, call.toNumber, call.agentId, call.status],
    ...[call.endedReason, isoUtc(call.createdAt), isoOrNull(call.answeredAt)],
    ...[isoOrNull(call.endedAt), call.billableSeconds, microToEur(call.cost), call.answeredBy],
    ...[call.latencyP50Ms, call.mos, call.summary],
  ]);

export const callFileRoutes = ({ dependencies }: ProductContext) => {
  const { database, recordings, clock } = dependencies;

  async function recordedCall(tenantId: number, uuid: string) {
    const call = await callHistoryStore(database.read).find(tenantId, uuid);
    if (call?.recordingStatus !== "ready" || call.recordingFile === null)
      throw notFound("recording");
    return { id: call.id, file: call.recordingFile };
  }

  async function* lines(tenantId: number, filter: CallFilter): AsyncGenerator<string> {
    yield HEADER;
    const store = diagnosticsStore(database.read);
    for (let after: CallRow | null = null; ; ) {
      const page: CallRow[] = await store.pageOfCalls(tenantId, filter, after, PAGE_ROWS);
      for (const call of page) yield rowOf(call);
      after = page.at(-1) ?? after;
      if (page.length < PAGE_ROWS) return;
    }
  }

  return [
    route(contracts.getPeaks)(async ({ tenantId, params }) => {
      const { id } = await recordedCall(tenantId, params.uuid);
      const peaks = await diagnosticsStore(database.read).peaks(id);
      if (!peaks) throw notFound("waveform");
      return {
        ok: true,
        peaks: {
          duration_ms: peaks.durationMs,
          samples_per_second: peaks.slotsPerSecond,
          left: [...peaks.left],
          right: [...peaks.right],
        },
      };
    }),
    rawRoute(contracts.getAudio)(async ({ tenantId, params, http }) => {
      const { file } = await recordedCall(tenantId, params.uuid);
      const path = await recordings.locate(file);
      if (path === null) throw notFound("recording");
      return recordingResponse(path, params.uuid, http);
    }),
    rawRoute(contracts.callsCsv)(async ({ tenantId, query }) => {
      const filter = {
        agentId: query.agent_id,
        status: query.status,
        direction: query.direction,
        fromMs: dayStart(query.from),
        toMs: dayEnd(query.to),
      };
      const day = isoUtc(clock.now()).slice(0, 10);
      return csvResponse(lines(tenantId, filter), `calls-${day}.csv`);
    }),
  ];
};
