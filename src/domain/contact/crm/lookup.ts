/**
 * What a tenant's CRM says of a number, asked while the telephone rings. An answer within 800 ms is taken;
 * after that the last known one where there is one; without one the CRM has 1.5 s in all. Whatever the CRM
 * does, the call goes on: this never throws.
 */
import { type Clock, sleep } from "../../../core/clock.ts";
import type { Database, Queries } from "../../../core/database.ts";
import { AppError, describeError, invalidField } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import type { OutboundHttpClient } from "../../../platform/net/outbound-http.ts";
import { OutboundHttpError } from "../../../platform/net/outbound-http-error.ts";
import { crmSecretBinding } from "../../../platform/secrets/secret-binding.ts";
import type { CallDatum } from "../../conversation/call-datum.ts";
import type { RemoteParty } from "../ports.ts";
import { type CrmAnswer, crmAnswerFrom, dataOf } from "./mapping.ts";

const SOFT_MS = 800;
const HARD_MS = 1500;
/** Older than this it is not told any more. */
const STALE_MS_MAX = 90 * 86_400_000;
const ANSWER_BYTES_MAX = 64 * 1024;

export interface CrmTarget {
  readonly url: string;
  readonly secretSealed: string | null;
  /** Our field → the CRM's. */
  readonly mapping: Readonly<Record<string, string>>;
}

/** Implemented by store/crm-store.ts. */
export interface CrmRecords {
  /** null: no address is set up. */
  target(tenantId: number): Promise<CrmTarget | null>;
  cached(tenantId: number, number: string, sinceMs: number): Promise<CrmAnswer | null>;
  putCache(tenantId: number, number: string, answer: CrmAnswer, nowMs: number): Promise<void>;
}

export interface CrmLookup {
  facts(tenantId: number, remoteParty: RemoteParty): Promise<readonly CallDatum[]>;
  /** For trying it: asks now, waits 1.5 s, takes no cached answer. Throws unavailable with what went wrong. */
  trial(tenantId: number, remoteParty: RemoteParty): Promise<readonly CallDatum[]>;
}

interface CrmLookupOptions {
  readonly database: Database;
  readonly records: (queries: Queries) => CrmRecords;
  readonly vault: { open(sealed: string, binding: string): string };
  readonly client: OutboundHttpClient;
  readonly clock: Clock;
  readonly log: Log;
}

export const crmHeaders = (
  target: CrmTarget,
  tenantId: number,
  vault: CrmLookupOptions["vault"],
): Record<string, string> => ({
  "content-type": "application/json",
  accept: "application/json",
  "user-agent": "Linevoice-CRM/1",
  ...(target.secretSealed === null
    ? {}
    : { authorization: `Bearer ${vault.open(target.secretSealed, crmSecretBinding(tenantId))}` }),
});

export class HttpCrmLookup implements CrmLookup {
  constructor(private readonly options: CrmLookupOptions) {}

  async #ask(tenantId: number, target: CrmTarget, remoteParty: RemoteParty): Promise<CrmAnswer> {
    const response = await this.options.client.request({
      method: "POST",
      url: target.url,
      headers: crmHeaders(target, tenantId, this.options.vault),
      body: JSON.stringify({
        type: "lookup",
        call_id: remoteParty.callUuid,
        direction: remoteParty.direction,
        number: remoteParty.number,
      }),
      timeoutMs: HARD_MS,
      responseBytesMax: ANSWER_BYTES_MAX,
    });
    if (response.status === 404) return {};
    if (response.status < 200 || response.status > 299)
      throw new Error(`the CRM answered HTTP ${response.status}`);
    const answer = crmAnswerFrom(response.body.toString("utf8"), target.mapping);
    await this.options.database.tx((queries) =>
      this.options
        .records(queries)
        .putCache(tenantId, remoteParty.number, answer, this.options.clock.now()),
    );
    return answer;
  }

  async #answerFor(tenantId: number, remoteParty: RemoteParty): Promise<CrmAnswer> {
    const target = await this.options.records(this.options.database.read).target(tenantId);
    if (!target) return {};
    const asked = this.#ask(tenantId, target, remoteParty).catch((error): null => {
      this.options.log.warn("crm.lookup_failed", {
        call_id: remoteParty.callUuid,
        error: describeError(error),
      });
      return null;
    });
    const soft = await this.#within(asked, SOFT_MS);
    if (soft) return soft;
    const since = this.options.clock.now() - STALE_MS_MAX;
    const known = await this.options
      .records(this.options.database.read)
      .cached(tenantId, remoteParty.number, since);
    return known ?? (await this.#within(asked, HARD_MS - SOFT_MS)) ?? {};
  }

  /** null: not in time, or failed. */
  async #within(asked: Promise<CrmAnswer | null>, ms: number): Promise<CrmAnswer | null> {
    const done = new AbortController();
    const limit = sleep(this.options.clock, ms, done.signal).then(
      () => null,
      () => null,
    );
    try {
      return await Promise.race([asked, limit]);
    } finally {
      done.abort();
    }
  }

  async trial(tenantId: number, remoteParty: RemoteParty) {
    const target = await this.options.records(this.options.database.read).target(tenantId);
    if (!target) throw invalidField("crm_url", "Set the CRM's address (`crm_url`) first.");
    try {
      return dataOf(await this.#ask(tenantId, target, remoteParty));
    } catch (error) {
      throw new AppError({
        code: "unavailable",
        publicMessage: `The CRM could not be asked: ${explanationOf(error)}.`,
        retryable: true,
      });
    }
  }

  async facts(tenantId: number, remoteParty: RemoteParty) {
    try {
      return dataOf(await this.#answerFor(tenantId, remoteParty));
    } catch (error) {
      this.options.log.warn("crm.lookup_failed", {
        call_id: remoteParty.callUuid,
        error: describeError(error),
      });
      return [];
    }
  }
}

/** In words that may leave the appliance: those of the guarded client and ours. */
function explanationOf(error: unknown): string {
  if (error instanceof OutboundHttpError) return error.message;
  if (error instanceof SyntaxError) return "its answer is no JSON";
  return error instanceof Error ? error.message : "it failed";
}
