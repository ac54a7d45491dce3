/** After a restore: repeats the revocations and erasures since the backup, and reports them. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openRevocations, type Revocations } from "../app/revocations.ts";
import { prepareDataDir } from "../app/storage.ts";
import { openVault } from "../app/vault.ts";
import { systemClock as clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { systemRandom as random } from "../core/random.ts";
import type { LoadedConfig } from "../ops/config/load.ts";
import { masterKeyOf } from "../ops/config/master-key.ts";
import { journalFileOf } from "../ops/revocation/journal.ts";
import type { Replayed } from "../ops/revocation/replay.ts";
import { openDatabase } from "../store/sqlite/database.ts";

interface RestoredRevocations {
  readonly replayed: Replayed;
  /** `later`: the master key is missing, so the server repeats the revocations when it starts. */
  readonly past: Revocations["past"] | "later";
}

const LATER: RestoredRevocations = { replayed: {}, past: "later" };

/**
 * Does nothing without the master key: the data was encrypted with another key, so it must not
 * create a new one.
 */
export async function bringUpToJournal(loaded: LoadedConfig): Promise<RestoredRevocations> {
  const { config, dataDir } = loaded;
  if (config.secrets.master_key === null && !existsSync(join(dataDir, "master.key"))) return LATER;
  const paths = prepareDataDir(dataDir);
  const database = openDatabase(paths.database, clock.now());
  try {
    const vault = await openVault(database, masterKeyOf(loaded, random), random);
    const revocations = await openRevocations({
      dataDir,
      paths,
      database,
      vault,
      shared: false,
      clock,
      random,
    });
    revocations.close();
    return { replayed: revocations.replayed, past: revocations.past };
  } catch (error) {
    // Wrong key. The server's start reports that with a remedy.
    if (error instanceof AppError && error.code === "conflict") return LATER;
    throw error;
  } finally {
    await database.close();
  }
}

const WORDS: Readonly<Record<keyof Replayed, string>> = {
  key: "API keys revoked",
  webhook_secret: "webhook secrets replaced: rotate them and give the new secrets to the receivers",
  webhook: "deleted webhooks switched off",
  tenant_secret: "older webhook secrets replaced: create new ones",
  suspended: "companies suspended or resumed",
  password: "passwords ended: set new ones with `linevoice user reset-password`",
  second_factor: "authenticators taken off",
  recovery_code: "recovery codes used up",
  passkey: "passkeys removed",
  member: "members removed or demoted",
  refusal: "do-not-call requests added or removed",
  erased: "persons erased",
};

const PAST: Readonly<Record<Exclude<RestoredRevocations["past"], "known">, string>> = {
  later:
    "The master key of this data is missing. Revocations after the backup are repeated when the server starts with the key.",
  short:
    "The journal of revocations starts after this backup. Repeat the earlier revocations by hand:",
  missing:
    "The journal of revocations for this backup is missing, so later revocations and erasures are not known. Stop here, copy revocations.journal from the machine of the backup into the data directory, and restore again. If the journal is lost, do this by hand before other people use the server:",
};

const BY_HAND = [
  "revoke API keys (dashboard, API keys) and rotate webhook secrets; remove people who left (dashboard, Team);",
  "linevoice user reset-password --email E for changed passwords; linevoice erase for erased people;",
  "mark contacts who asked not to be called.",
];

export function aboutRevocations(
  { replayed, past }: RestoredRevocations,
  dataDir: string,
): string[] {
  const counts = Object.entries(replayed) as [keyof Replayed, number][];
  const done = counts.map(([kind, count]) => `  ${String(count).padStart(6)} ${WORDS[kind]}`);
  const head = `Repeated from ${journalFileOf(dataDir)}:`;
  return [
    ...(done.length > 0 ? [head, ...done] : []),
    ...(past === "known" ? [] : [PAST[past]]),
    ...(past === "missing" || past === "short" ? BY_HAND : []),
  ];
}
