/**
 * Results of rehearsals as files in the data directory: `rehearsals/<tenant>/<id>.json`, with
 * recordings in a folder of the same name. Keeps the newest runs per tenant, at most as long as
 * transcripts and recordings of calls.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { mentionsNumber } from "../core/e164.ts";
import type { RehearsalRun, RunRecords } from "../features/rehearsal/rehearsals.ts";

const KEPT_MAX = 50;
const ENDING = ".json";

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Start time in ms: the first 48 bits of the id (UUIDv7). */
const timeOf = (id: string): number => Number.parseInt(id.replace(/-/g, "").slice(0, 12), 16);

interface RehearsalFiles extends RunRecords {
  /** Deletes runs and recordings that started before these times. Returns the number deleted. */
  expire(before: { readonly transcriptMs: number; readonly recordingMs: number }): number;
  /**
   * Deletes the tenant's runs that contain the number, unless `isDry`. Returns the number of such
   * runs.
   */
  erase(tenantId: number, number: string, isDry: boolean): number;
}

export function rehearsalRuns(dataDir: string): RehearsalFiles {
  const root = join(dataDir, "rehearsals");
  const folderOf = (tenantId: number | string) => join(root, String(tenantId));
  /** Run ids, newest first. */
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

/** A folder contains recordings. They never outlive their transcript. */
function isDue(
  path: string,
  { transcriptMs, recordingMs }: { readonly transcriptMs: number; readonly recordingMs: number },
): boolean {
  const atMs = timeOf(basename(path, ENDING));
  return atMs < (path.endsWith(ENDING) ? transcriptMs : Math.max(transcriptMs, recordingMs));
}
