/**
 * Results of rehearsals as files in the data directory: `rehearsals/<tenant>/<id>.json`, with recordings in a folder
 * of the same name beside it. The newest of each tenant are kept, no longer than transcripts and recordings of calls.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { mentionsNumber } from "../core/e164.ts";
import type { RehearsalRun, RunRecords } from "../domain/rehearsal/rehearsals.ts";

const KEPT_MAX = 50;
const ENDING = ".json";

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Ids begin with their time, in milliseconds. */
const timeOf = (id: string): number => Number.parseInt(id.replace(/-/g, "").slice(0, 12), 16);

interface RehearsalFiles extends RunRecords {
  /** Deletes runs and recordings that began before. Returns how many of both. */
  expire(before: { readonly transcriptMs: number; readonly recordingMs: number }): number;
  /** The tenant's runs in which the number occurs; deleted unless `isDry`. Returns how many. */
  erase(tenantId: number, number: string, isDry: boolean): number;
}

export function rehearsalRuns(dataDir: string): RehearsalFiles {
  const root = join(dataDir, "rehearsals");
  const folderOf = (tenantId: number | string) => join(root, String(tenantId));
  /** Newest first. */
  const idsOf = (tenantId: number): string[] =>
    namesIn(folderOf(tenantId))
      .filter((name) => name.endsWith(ENDING))
      .map((name) => name.slice(0, -ENDING.length))
      .sort()
      .reverse();
  const textOf = (tenantId: number, id: string): string => {
    try {
      return readFileSync(join(folderOf(tenantId), `${id}${ENDING}`), "utf8");
    } catch {
      return "";
    }
  };
  const remove = (tenantId: number, id: string): void => {
    const path = join(folderOf(tenantId), id);
    rmSync(path, { recursive: true, force: true });
    rmSync(`${path}${ENDING}`, { force: true });
  };
  return {
    save(tenantId, run) {
      const folder = folderOf(tenantId);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, `${run.id}${ENDING}`), JSON.stringify(run), { mode: 0o600 });
      for (const old of idsOf(tenantId).slice(KEPT_MAX)) remove(tenantId, old);
    },
    list: (tenantId) =>
      idsOf(tenantId).flatMap((id) => {
        try {
          return [JSON.parse(textOf(tenantId, id)) as RehearsalRun];
        } catch {
          return [];
        }
      }),
    recordingsDir(tenantId, runId) {
      const folder = join(folderOf(tenantId), runId);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    recording(tenantId, runId, file) {
      const path = join(folderOf(tenantId), runId, basename(file));
      return existsSync(path) ? path : null;
    },
    expire: (before) =>
      namesIn(root)
        .flatMap((tenant) => namesIn(folderOf(tenant)).map((name) => join(folderOf(tenant), name)))
        .filter((path) => isDue(path, before))
        .map((path) => rmSync(path, { recursive: true, force: true })).length,
    erase(tenantId, number, isDry) {
      const found = idsOf(tenantId).filter((id) => mentionsNumber(textOf(tenantId, id), number));
      if (!isDry) for (const id of found) remove(tenantId, id);
      return found.length;
    },
  };
}

/** A folder holds recordings; they go with their transcript at the latest. */
function isDue(
  path: string,
  { transcriptMs, recordingMs }: { readonly transcriptMs: number; readonly recordingMs: number },
): boolean {
  const atMs = timeOf(basename(path, ENDING));
  return atMs < (path.endsWith(ENDING) ? transcriptMs : Math.max(transcriptMs, recordingMs));
}
