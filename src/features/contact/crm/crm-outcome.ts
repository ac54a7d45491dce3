/**
 * Stores one CRM message at the end of each call, if the tenant's CRM bridge is on. Missing values and empty
 * texts become null, as in REST and webhooks.
 */
import { type Clock, isoUtc } from "../../../core/clock.ts";
import type { Queries } from "../../../core/database.ts";
import type { EndListener } from "../caller-identification.ts";
import type { CrmTarget } from "./lookup.ts";
import { mappedOutcome } from "./mapping.ts";

/** Implemented by store/contact/crm-store.ts. */
interface CrmOutcomeRecords {
  target(tenantId: number): Promise<CrmTarget | null>;
  enqueue(tenantId: number, callUuid: string, body: string, nowMs: number): Promise<void>;
}

interface CrmOutcomeOptions {
  readonly records: (queries: Queries) => CrmOutcomeRecords;
  readonly agentName: (
    queries: Queries,
    tenantId: number,
    agentId: number,
  ) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly wake: () => void;
}

const TRANSCRIPT_MAX = 50_000;

export function crmOutcomeReporter({
  records,
  agentName,
  clock,
  wake,
}: CrmOutcomeOptions): EndListener {
  /** Stays false without any bridge, so that nothing is ever sent. */
  let isUsed = false;
  return {
    async ended(queries, call) {
      if (!call.tenant.crmBridge) return;
      const target = await records(queries).target(call.tenantId);
      if (!target) return;
      const { agentId } = call;
      const outcome = mappedOutcome(
        {
          call_id: call.callUuid,
          direction: call.direction,
          number: call.number || null,
          agent:
            agentId === null ? null : ((await agentName(queries, call.tenantId, agentId)) ?? null),
          started_at: isoUtc(call.startedAt),
          duration_sec: Math.ceil(call.answeredMs / 1000),
          status: call.status,
          ended_reason: call.endedReason,
          summary: call.summary || null,
          transcript: call.transcript.slice(0, TRANSCRIPT_MAX) || null,
          cost_eur: call.costEur,
        },
        target.mapping,
      );
      isUsed = true;
      const body = JSON.stringify(outcome);
      await records(queries).enqueue(call.tenantId, call.callUuid, body, clock.now());
    },
    wake() {
      if (isUsed) wake();
    },
  };
}
