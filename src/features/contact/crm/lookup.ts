/**
 * Queries a tenant's CRM for a number while the telephone rings. Waits 800 ms, then uses the cached answer.
 * Without a cached answer, it waits 1.5 s in total. The call continues whatever the CRM does.
 */

import type { CallContextItem } from "../../../conversation/call-context-item.ts";
import { type Clock, sleep } from "../../../core/clock.ts";
import type { Database, Queries } from "../../../core/database.ts";
import { AppError, describeError, invalidField } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import type { OutboundHttpClient } from "../../../platform/net/outbound-http.ts";
import { OutboundHttpError } from "../../../platform/net/outbound-http-error.ts";
import { crmSecretBinding } from "../../../platform/secrets/secret-binding.ts";
import type { RemoteParty } from "../ports.ts";
import { type CrmAnswer, crmAnswerFrom, dataOf } from "./mapping.ts";

const SOFT_MS = 800;
const HARD_MS = 1500;
/** An older cached answer is not used. */
const STALE_MS_MAX = 90 * 86_400_000;
const ANSWER_BYTES_MAX = 64 * 1024;

export interface CrmTarget {
  readonly url: string;
  readonly secretSealed: string | null;
  /** Maps our field names to the CRM's. */
  readonly mapping: Readonly<Record<string, string>>;
}

/** Implemented by store/contact/crm-store.ts. */
export interface CrmRecords {
  /** Null if no address is configured. */
  target(tenantId: number): Promise<CrmTarget | null>;
  cached(tenantId: number, number: string, sinceMs: number): Promise<CrmAnswer | null>;
  putCache(tenantId: number, number: string, answer: CrmAnswer, nowMs: number): Promise<void>;
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
  "Content-Type": "application/json",
  Accept: "application/json",
  "User-Agent": "Linevoice-CRM/1",
  ...(target.secretSealed === null
    ? {}
    : { Authorization: `Bearer ${vault.open(target.secretSealed, crmSecretBinding(tenantId))}` }),
});

export class CrmLookup {
  constructor(private readonly options: CrmLookupOptions) {}

  /** Never throws. */
  async facts(tenantId: number, remoteParty: RemoteParty): Promise<readonly CallContextItem[]> {
    try {
      return dataOf(await this.#answerFor(tenantId, remoteParty));
    } catch (error) {
      this.#logFailure(remoteParty, error);
      return [];
    }
  }

  /** Trial: queries now, waits 1.5 s, and ignores the cache. Throws unavailable with the reason. */
  async trial(tenantId: number, remoteParty: RemoteParty): Promise<readonly CallContextItem[]> {
    const { database, records } = this.options;
    const target = await records(database.read).target(tenantId);
    if (!target) throw invalidField("crm_url", "Set the CRM's address (`crm_url`) first.");
    try {
      return dataOf(await this.#ask(tenantId, target, remoteParty));
    } catch (error) {
      throw new AppError({
        code: "unavailable",
        publicMessage: `The request to the CRM failed: ${explanationOf(error)}.`,
        retryable: true,
      });
    }
  }

  async #answerFor(tenantId: number, remoteParty: RemoteParty): Promise<CrmAnswer> {
    const { database, records, clock } = this.options;
    const store = records(database.read);
    const target = await store.target(tenantId);
    if (!target) return {};
    const asked = this.#ask(tenantId, target, remoteParty).catch((error): null => {
      this.#logFailure(remoteParty, error);
      return null;
    });
    const soft = await this.#within(asked, SOFT_MS);
    if (soft) return soft;
    const known = await store.cached(tenantId, remoteParty.number, clock.now() - STALE_MS_MAX);
    return known ?? (await this.#within(asked, HARD_MS - SOFT_MS)) ?? {};
  }

  async #ask(tenantId: number, target: CrmTarget, remoteParty: RemoteParty): Promise<CrmAnswer> {
    const { database, records, vault, client, clock } = this.options;
    const { callUuid, direction, number } = remoteParty;
    const response = await client.request({
      method: "POST",
      url: target.url,
      headers: crmHeaders(target, tenantId, vault),
      body: JSON.stringify({ type: "lookup", call_id: callUuid, direction, number }),
      timeoutMs: HARD_MS,
      responseBytesMax: ANSWER_BYTES_MAX,
    });
    if (response.status === 404) return {};
    if (response.status < 200 || response.status > 299)
      throw new Error(`the CRM answered HTTP ${response.status}`);
    const answer = crmAnswerFrom(response.body.toString("utf8"), target.mapping);
    await database.tx((queries) =>
      records(queries).putCache(tenantId, number, answer, clock.now()),
    );
    return answer;
  }

  /** Null on timeout or failure. */
  async #within(asked: Promise<CrmAnswer | null>, ms: number): Promise<CrmAnswer | null> {
    const done = new AbortController();
    const limit = sleep(this.options.clock, ms, done.signal).catch(() => undefined);
    try {
      return await Promise.race([asked, limit.then(() => null)]);
    } finally {
      done.abort();
    }
  }

  #logFailure({ callUuid }: RemoteParty, error: unknown): void {
    const fields = { call_id: callUuid, error: describeError(error) };
    this.options.log.warn("crm.lookup_failed", fields);
  }
}

/** Error text that users may see: from the outbound HTTP client, or ours. */
function explanationOf(error: unknown): string {
  if (error instanceof OutboundHttpError) return error.message;
  if (error instanceof SyntaxError) return "its response is not JSON";
  return error instanceof Error ? error.message : "it failed";
}
