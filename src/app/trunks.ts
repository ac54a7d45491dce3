/** Keeps the SIP stack's trunks in sync with the stored ones, and reads their state. */

import type { RegistrationStatus, SipStack, TrunkProbe, TrunkSettings } from "../call/sip-port.ts";
import type { Database } from "../core/database.ts";
import { e164 } from "../core/e164.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import {
  type TrunkRecord,
  trunkPasswordBinding,
  trunkStore,
} from "../features/trunk/trunk-store.ts";
import type { RunningTrunks } from "../features/trunk/trunks.ts";
import type { TrunkFacts } from "../sip/trunk-checks.ts";

interface SipValues {
  readonly codecs: readonly string[];
  readonly externalIp: string;
}

interface Vault {
  open(sealed: string, binding: string): string;
}

function settingsOf(trunk: TrunkRecord, vault: Vault): TrunkSettings {
  return {
    trunkId: trunk.id,
    tenantId: trunk.tenantId,
    server: trunk.server,
    port: trunk.port,
    transport: trunk.transport,
    username: trunk.username,
    password: vault.open(trunk.passwordSealed, trunkPasswordBinding(trunk.id)),
    realm: trunk.realm,
    outboundProxy: trunk.outboundProxy,
    callerId: e164(trunk.callerId),
    register: trunk.register,
    extraNetworks: trunk.extraNetworks ?? [],
    setByOperator: trunk.setByOperator,
  };
}

export interface TrunkLoader {
  /** Adds every stored trunk. A trunk that cannot be opened is logged and skipped. */
  loadAll(): Promise<void>;
  /** After `trunk set`: replaces the running one. */
  reload(tenantId: number): Promise<void>;
  /** Registers one trunk. Logs the reason if that fails. */
  add(trunk: TrunkRecord): void;
  /** Unregisters one trunk. */
  remove(trunkId: number): Promise<void>;
}

export function createTrunkLoader(deps: {
  readonly database: Database;
  readonly sip: SipStack;
  readonly vault: Vault;
  readonly log: Log;
  /** Called on every change of a registration. */
  readonly onRegistration?: (tenantId: number, status: RegistrationStatus) => void;
}): TrunkLoader {
  const { database, sip, vault, log, onRegistration } = deps;

  function add(trunk: TrunkRecord): void {
    try {
      const running = sip.addTrunk(settingsOf(trunk, vault));
      running.onRegistration((status) => onRegistration?.(trunk.tenantId, status));
    } catch (error) {
      log.error("trunk.not_loaded", { trunk: trunk.id, error: describeError(error) });
    }
  }

  return {
    add,
    remove: (trunkId) => sip.removeTrunk(trunkId),
    async loadAll() {
      for (const trunk of await trunkStore(database.read).all())
        if (!sip.trunk(trunk.id)) add(trunk);
    },
    async reload(tenantId) {
      const trunk = await trunkStore(database.read).find(tenantId);
      if (!trunk) return;
      if (sip.trunk(trunk.id)) await sip.removeTrunk(trunk.id);
      add(trunk);
    },
  };
}

/** One sentence if there are trunks and none can receive calls; else null. */
export function registrationWarning(sip: Pick<SipStack, "registrations">): string | null {
  const { registered = 0, not_required: peers = 0, ...others } = sip.registrations();
  const missing = Object.values(others).reduce((sum, count) => sum + count, 0);
  if (missing === 0 || registered + peers > 0) return null;
  return `No trunk is registered, so no calls come in (trunks: ${missing}). See why: linevoice trunk list`;
}

/** The running trunks for the services. `reload` restarts a trunk from its stored record. */
export const runningTrunks = (
  sip: SipStack,
  { codecs, externalIp }: SipValues,
  reload: (tenantId: number) => Promise<void>,
): RunningTrunks => ({
  registration: (trunkId) => sip.trunk(trunkId)?.registration ?? null,
  async probe(trunkId, { calls, onProgress }) {
    const trunk = sip.trunk(trunkId);
    if (!trunk) return null;
    const factsOf = (probe: TrunkProbe): TrunkFacts => {
      const { settings, registration } = trunk;
      return { settings, registration, probe, codecs, externalIp };
    };
    return factsOf(
      await trunk.probe({ calls, onProgress: (probe) => onProgress?.(factsOf(probe)) }),
    );
  },
  reload,
  remove: (trunkId) => sip.removeTrunk(trunkId),
});
