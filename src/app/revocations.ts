/**
 * Opens the data directory's revocation journal before the server serves anything. Repeats
 * revocations that the database lacks, and records every later one.
 */
import { createHmac } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { hex } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Random } from "../core/random.ts";
import {
  createDoNotCallList,
  DO_NOT_CALL_PURPOSE,
  numberFingerprintOf,
} from "../features/contact/do-not-call.ts";
import { doNotCallStore } from "../features/contact/do-not-call-store.ts";
import { userFingerprintOf } from "../features/identity/fingerprint.ts";
import { erasePerson } from "../features/privacy/erase-person.ts";
import { openJournal } from "../ops/revocation/journal.ts";
import { type Replayed, replay } from "../ops/revocation/replay.ts";
import { revocationStore } from "../ops/revocation/revocation-store.ts";
import type { Vault } from "../platform/secrets/vault.ts";
import { rehearsalRuns } from "./rehearsal-runs.ts";
import type { DataPaths } from "./storage.ts";

/**
 * Purpose for `vault.lastingKey`: identity of the appliance, independent of the master key and of
 * the root of the purpose keys.
 */
const APPLIANCE_PURPOSE = "revocation: appliance";
const ID_BYTES = 8;

export interface Revocations {
  /** Number of revocations that the database lacked, by kind. */
  readonly replayed: Replayed;
  /**
   * `known`: the journal belongs to this database. `missing`: the database belongs to a journal
   * that is not here. `short`: the journal belongs to this database, but starts too late.
   */
  readonly past: "known" | "missing" | "short";
  close(): void;
}

interface RevocationsParts {
  readonly dataDir: string;
  readonly paths: Pick<DataPaths, "recordings" | "outbox">;
  readonly database: Database;
  readonly vault: Pick<Vault, "seal" | "lastingKey">;
  /** Several nodes share the database, and each has a separate journal. */
  readonly shared: boolean;
  readonly clock: Clock;
  readonly random: Random;
}

/** Throws unavailable if the journal is damaged. */
export async function openRevocations(parts: RevocationsParts): Promise<Revocations> {
  const { dataDir, paths, database, vault, shared, clock, random } = parts;
  const appliance = createHmac("sha256", vault.lastingKey(APPLIANCE_PURPOSE))
    .update("journal")
    .digest("base64url");
  const journal = openJournal({ dataDir, appliance, newId: () => hex(random.bytes(ID_BYTES)) });
  const numberKey = vault.lastingKey(DO_NOT_CALL_PURPOSE);
  const { recordings: recordingsDir, outbox: outboxDir } = paths;
  const doNotCallList = createDoNotCallList(doNotCallStore, numberKey, database);
  const { erase: eraseRehearsals } = rehearsalRuns(dataDir);
  const files = { recordingsDir, outboxDir, eraseRehearsals };
  const erasure = { database, ...files, doNotCallList, clock, restored: true };
  const store = revocationStore(database.read);
  const position = await store.position(journal.id);
  const replayed =
    position === journal.last()
      ? {}
      : await replay(
          {
            database,
            vault,
            clock,
            random,
            numberFingerprint: numberFingerprintOf(numberKey),
            userFingerprint: userFingerprintOf(vault),
            erase: (tenantId, number) => erasePerson(erasure, tenantId, number, false),
          },
          journal,
          position ?? 0,
        );
  const isMissing = journal.isNew && !shared && (await store.hasOthers(journal.id));
  const isShort = (position ?? 0) + 1 < journal.wholeFrom;
  database.keepRevocations({
    async note(queries, revocations) {
      if (revocations.length === 0) return;
      const last = journal.append(revocations);
      await revocationStore(queries).setPosition(journal.id, last);
    },
  });
  return {
    replayed,
    past: isMissing ? "missing" : isShort ? "short" : "known",
    close: journal.close,
  };
}

/** Logs the result, if there is one. */
export function logRevocations({ replayed, past }: Revocations, log: Log): void {
  if (Object.keys(replayed).length > 0) log.warn("revocations.replayed", { ...replayed });
  if (past !== "known") log.warn("revocations.journal_incomplete", { past });
}
