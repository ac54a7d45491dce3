/**
 * The knowledge index on this node's disk. Files deleted from the store are also deleted from the
 * index.
 */

import { existsSync } from "node:fs";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { openAiEmbedder } from "../engine/openai/embeddings.ts";
import type { DocumentReader } from "../features/knowledge/documents.ts";
import { fileStore } from "../features/knowledge/file-store.ts";
import { createWorkerIndex, type WorkerIndex } from "../features/knowledge/index/worker-index.ts";
import {
  createWorkerReader,
  type WorkerReader,
} from "../features/knowledge/reader/worker-reader.ts";
import { siteStore } from "../features/knowledge/site-store.ts";
import { SiteReader, type Sites } from "../features/knowledge/sites.ts";
import type { OutboundHttpClient } from "../platform/net/outbound-http.ts";
import { trusting } from "../platform/net/trust.ts";
import { spawnKnowledgeWorker, spawnReaderWorker } from "../workers.ts";
import type { AppSettings } from "./settings.ts";

export interface Knowledge {
  readonly index: WorkerIndex;
  readonly reader: WorkerReader;
  /** Synchronises the index with the store. */
  tidy(): Promise<void>;
  stop(): void;
}

const PAGE_MS_MAX = 20_000;
const PAGE_BYTES_MAX = 10 * 1024 * 1024;

/** Imports web sites into knowledge. Its HTTP client cannot reach internal networks. */
export function createSiteReader(parts: {
  readonly sites: Sites;
  readonly client: OutboundHttpClient;
  readonly reader: DocumentReader;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}): SiteReader {
  const { client, ...deps } = parts;
  return new SiteReader({
    ...deps,
    records: siteStore,
    fetch: (url) =>
      client.request({
        method: "GET",
        url,
        body: "",
        mayReuse: true,
        headers: { "User-Agent": "Linevoice", Accept: "text/html, application/pdf;q=0.5" },
        timeoutMs: PAGE_MS_MAX,
        responseBytesMax: PAGE_BYTES_MAX,
      }),
  });
}

/** Interval at which files deleted by another node are removed here. */
const TIDY_MS = 6 * 3_600_000;

export function createKnowledge(
  { embeddings, httpClient }: Pick<AppSettings, "embeddings" | "httpClient">,
  directory: string,
  parts: { readonly database: Database; readonly clock: Clock; readonly log: Log },
): Knowledge {
  const { database, clock, log } = parts;
  const index = createWorkerIndex({
    spawn: spawnKnowledgeWorker,
    directory,
    clock,
    log,
    embedder: embeddings && openAiEmbedder(embeddings, clock, trusting(httpClient.caPem)),
    content: (tenantId, fileId) => fileStore(database.read).content(tenantId, fileId),
  });
  const reader = createWorkerReader({ spawn: spawnReaderWorker, clock, log });
  async function tidy(): Promise<void> {
    if (!existsSync(directory)) return;
    const owned = await fileStore(database.read).idsOfTenants();
    index.retainTenants([...owned.keys()]);
    for (const [tenantId, fileIds] of owned) index.retain(tenantId, fileIds);
  }
  const timer = clock.every(TIDY_MS, () => {
    tidy().catch((error) => log.warn("knowledge.cleanup_failed", { error: describeError(error) }));
  });
  return {
    index,
    reader,
    tidy,
    stop() {
      timer.cancel();
      index.close();
      reader.close();
    },
  };
}
