/** Results of rehearsals as files in the data directory, `rehearsals/<tenant>/<id>.json`: the newest of each tenant. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RehearsalRun, RunRecords } from "../domain/rehearsal/rehearsals.ts";

const KEPT_MAX = 50;

export function rehearsalRuns(dataDir: string): RunRecords {
  const folderOf = (tenantId: number) => join(dataDir, "rehearsals", String(tenantId));
  /** Ids begin with their time: newest first. */
  const filesOf = (tenantId: number): string[] => {
    try {
      return readdirSync(folderOf(tenantId)).sort().reverse();
    } catch {
      return [];
    }
  };
  return {
    save(tenantId, run) {
      const folder = folderOf(tenantId);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, `${run.id}.json`), JSON.stringify(run), { mode: 0o600 });
      for (const old of filesOf(tenantId).slice(KEPT_MAX)) rmSync(join(folder, old));
    },
    list: (tenantId) =>
      filesOf(tenantId).flatMap((file) => {
        try {
          const text = readFileSync(join(folderOf(tenantId), file), "utf8");
          return [JSON.parse(text) as RehearsalRun];
        } catch {
          return [];
        }
      }),
  };
}
