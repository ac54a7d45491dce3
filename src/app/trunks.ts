/** Keeps the SIP stack's trunks equal to the stored ones, and reads their state. */

import type { TrunkFacts } from "../adapter/sip/trunk-checks.ts";
import {
  type TrunkRecord,
  trunkPasswordBinding,
  trunkStore,
} from "../adapter/store/tenant/trunk-store.ts";
import type { Database } from "../core/database.ts";
import { e164 } from "../core/e164.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type {
  RegistrationStatus,
  SipStack,
  TrunkProbe,
  TrunkSettings,
} from "../domain/call/sip-port.ts";
import type { RunningTrunks } from "../operations/admin/trunks.ts";

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
  /** Adds every stored trunk; one that cannot be opened is logged and left out. */
  loadAll(): Promise<void>;
  /** After `trunk set`: replaces the running one. */
  reload(tenantId: number): Promise<void>;
  /** Registers one trunk. Logs the reason if that fails. */
  add(trunk: TrunkRecord): void;
  /** Un-registers one trunk. */
  remove(trunkId: number): Promise<void>;
}

export function createTrunkLoader(deps: {
  readonly database: Database;
  readonly sip: SipStack;
  readonly vault: Vault;
  readonly log: Log;
  /** Called at each change of a registration. */
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

/** One sentence while there are trunks and none of them can receive calls; null otherwise. */
export function registrationWarning(sip: Pick<SipStack, "registrations">): string | null {
  const { registered = 0, not_required: peers = 0, ...others } = sip.registrations();
  const missing = Object.values(others).reduce((sum, count) => sum + count, 0);
  if (missing === 0 || registered + peers > 0) return null;
  return `No trunk is registered, so no calls come in (trunks: ${missing}). See why: linevoice trunk list`;
}

/** The running trunks for the services. `reload` starts a trunk that was stored again. */
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
