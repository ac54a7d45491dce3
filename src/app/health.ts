/**
 * The health of the appliance, for /readyz, monitoring and the loop that feeds systemd's watchdog.
 */

import type { SipStack } from "../call/sip-port.ts";
import type { Database } from "../core/database.ts";
import type { DescriptorWatch } from "../ops/descriptor-watch.ts";
import type { Audio } from "./audio.ts";
import type { Maintenance } from "./maintenance.ts";

export interface HealthCheck {
  /** Reasons why no call can be carried now, one sentence each; empty if there are none. */
  problems(): Promise<string[]>;
  /**
   * Faults that only a restart fixes, one sentence each: a worker that does not answer, a socket
   * that receives nothing, a database file that cannot be read (or, while no call is live, cannot
   * be written). Takes at most 5 s.
   */
  stuck(): Promise<string[]>;
}

const DISK_FAILS = "its disk fails";
/** Texts by SQLite error code. Any other code means a disk failure. */
const WRITE_FAILURES = [
  [/^SQLITE_FULL/, "the disk is full"],
  [/^SQLITE_READONLY/, "its disk is read-only"],
] as const;

export function createHealthCheck(parts: {
  readonly database: Database;
  readonly audio: Audio;
  readonly sip: SipStack;
  readonly maintenance: Maintenance;
  readonly descriptors: Pick<DescriptorWatch, "problem">;
  /** An unreachable libSQL server is no reason to restart: live calls continue. */
  readonly isStoreRemote: boolean;
  readonly liveCalls: () => number;
}): HealthCheck {
  const { database, audio, sip, maintenance, descriptors, isStoreRemote, liveCalls } = parts;

  const store = createStoreCheck(database, liveCalls);

  const said = (sentences: readonly (string | null)[]) =>
    sentences.filter((sentence) => sentence !== null);

  return {
    async problems() {
      return said([
        audio.problem(),
        maintenance.disk.rejection(),
        descriptors.problem(),
        await store.problem(),
      ]);
    },

    async stuck() {
      const [media, signalling, stored] = await Promise.all([
        audio.answers(),
        sip.receivesOwnKeepAlive(),
        isStoreRemote ? null : store.stuck(),
      ]);
      return said([
        media ? null : "A call worker does not answer.",
        signalling ? null : "The SIP socket receives nothing.",
        stored,
      ]);
    },
  };
}

/** Checks whether the database can be read and written. Returns a sentence if not. */
function createStoreCheck(database: Database, liveCalls: () => number) {
  async function readProblem(): Promise<string | null> {
    try {
      await database.ping();
      return null;
    } catch {
      return "The database cannot be read.";
    }
  }

  /** Reason why writes fail; null if they succeed. */
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

    /**
     * Reports only faults that a restart fixes. A restart frees no disk space, and it would end
     * live calls.
     */
    async stuck(): Promise<string | null> {
      const unread = await readProblem();
      if (unread !== null || liveCalls() > 0) return unread;
      return (await writeFailure()) === DISK_FAILS ? "The database's disk fails." : null;
    },
  };
}
