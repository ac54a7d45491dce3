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
   * database file that cannot be read. Takes 5 s at most.
   */
  stuck(): Promise<string[]>;
}

export function createHealthCheck(parts: {
  readonly database: Database;
  readonly audio: Audio;
  readonly sip: SipStack;
  readonly maintenance: Maintenance;
  /** A libSQL server out of reach is no reason to restart: live calls go on. */
  readonly isStoreRemote: boolean;
}): HealthCheck {
  const { database, audio, sip, maintenance, isStoreRemote } = parts;

  async function databaseProblem(): Promise<string | null> {
    try {
      await database.ping();
      return null;
    } catch {
      return "The database cannot be read.";
    }
  }

  const said = (sentences: readonly (string | null)[]) =>
    sentences.filter((sentence) => sentence !== null);

  return {
    async problems() {
      return said([audio.problem(), maintenance.disk.rejection(), await databaseProblem()]);
    },

    async stuck() {
      const [media, signalling, stored] = await Promise.all([
        audio.answers(),
        sip.receivesOwnKeepAlive(),
        isStoreRemote ? null : databaseProblem(),
      ]);
      return said([
        media ? null : "A call worker does not answer.",
        signalling ? null : "The SIP socket hears nothing.",
        stored,
      ]);
    },
  };
}
