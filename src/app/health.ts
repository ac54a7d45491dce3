/** Is the appliance well? Asked by /readyz, by monitoring and by the loop that feeds systemd's watchdog. */

import type { Database } from "../core/database.ts";
import type { SipStack } from "../domain/call/sip-port.ts";
import type { Audio } from "./audio.ts";
import type { Maintenance } from "./maintenance.ts";

export interface HealthCheck {
  /** Why no call can be carried now, a sentence each; empty: all is well. */
  problems(): Promise<string[]>;
  /**
   * What only a restart fixes, a sentence each: a thread that turns no more, a socket that hears nothing, a
   * database file that cannot be read, or not be written while no call would be lost. Takes 5 s at most.
   */
  stuck(): Promise<string[]>;
}

const DISK_FAILS = "its disk fails";
/** By what SQLite calls it; anything else is a disk that fails. */
const WRITE_FAILURES = [
  [/^SQLITE_FULL/, "the disk is full"],
  [/^SQLITE_READONLY/, "its disk is read-only"],
] as const;

export function createHealthCheck(parts: {
  readonly database: Database;
  readonly audio: Audio;
  readonly sip: SipStack;
  readonly maintenance: Maintenance;
  /** A libSQL server out of reach is no reason to restart: live calls go on. */
  readonly isStoreRemote: boolean;
  readonly liveCalls: () => number;
}): HealthCheck {
  const { database, audio, sip, maintenance, isStoreRemote, liveCalls } = parts;

  const store = createStoreCheck(database, liveCalls);

  const said = (sentences: readonly (string | null)[]) =>
    sentences.filter((sentence) => sentence !== null);

  return {
    async problems() {
      return said([audio.problem(), maintenance.disk.rejection(), await store.problem()]);
    },

    async stuck() {
      const [media, signalling, stored] = await Promise.all([
        audio.answers(),
        sip.receivesOwnKeepAlive(),
        isStoreRemote ? null : store.stuck(),
      ]);
      return said([
        media ? null : "A call worker does not answer.",
        signalling ? null : "The SIP socket hears nothing.",
        stored,
      ]);
    },
  };
}

/** Whether the database can be read and written: a sentence where not. */
function createStoreCheck(database: Database, liveCalls: () => number) {
  async function readProblem(): Promise<string | null> {
    try {
      await database.ping();
      return null;
    } catch {
      return "The database cannot be read.";
    }
  }

  /** Why the newest write failed and would fail again; null: writes succeed. */
  async function writeFailure(): Promise<string | null> {
    try {
      await database.probeWrites();
      return null;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      return WRITE_FAILURES.find(([pattern]) => pattern.test(code))?.[1] ?? DISK_FAILS;
    }
  }

  return {
    async problem(): Promise<string | null> {
      const unread = await readProblem();
      if (unread !== null) return unread;
      const failure = await writeFailure();
      return failure === null ? null : `The database cannot be written: ${failure}.`;
    },

    /** A restart neither empties a disk nor gives a live call back. */
    async stuck(): Promise<string | null> {
      const unread = await readProblem();
      if (unread !== null || liveCalls() > 0) return unread;
      return (await writeFailure()) === DISK_FAILS ? "The database's disk fails." : null;
    },
  };
}
