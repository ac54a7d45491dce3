/** A tenant's trunk as its owner handles it: made, replaced, forgotten, tested. */
import { isIP } from "node:net";
import type { TrunkFacts } from "../adapter/sip/trunk-checks.ts";
import { callNoticeStore } from "../adapter/store/call-notice-store.ts";
import {
  type TrunkRecord,
  trunkPasswordBinding,
  trunkStore,
} from "../adapter/store/trunk-store.ts";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../core/database.ts";
import { AppError, invalidField, notFound } from "../core/errors.ts";
import { EXTRA_NETWORKS_MAX, type SipStack } from "../domain/call/sip-port.ts";
import type { TrunkInput, TrunkService, TrunkView } from "../interface/http/dashboard/ports.ts";
import { isHost, parseHostPort } from "../platform/config/formats.ts";
import { AddressRules } from "../platform/net/address-rules.ts";
import { trunkSummary } from "./operator.ts";
import { trunkTest } from "./trunk-test.ts";
import type { TrunkLoader } from "./trunks.ts";

type Draft = Omit<TrunkInput, "password">;

/** `rules` null: the operator named the place. */
function checkInput(
  { server, outboundProxy, register, username }: Draft,
  rules: AddressRules | null,
) {
  if (!isHost(server)) throw invalidField("server", "`server` must be a host name or IP address.");
  if (isForbidden(server, rules)) throw invalidField("server", notAllowed("server"));
  if (outboundProxy !== null) {
    const proxy = parseHostPort(outboundProxy)?.host ?? outboundProxy;
    if (!isHost(proxy))
      throw invalidField("outbound_proxy", "`outbound_proxy` must be host or host:port.");
    if (isForbidden(proxy, rules))
      throw invalidField("outbound_proxy", notAllowed("outbound_proxy"));
  }
  if (register && username === "")
    throw invalidField("username", "`username` is needed where the trunk registers.");
}

/** Names are looked up when the trunk speaks to them, and held to the same rules there. */
function isForbidden(host: string, rules: AddressRules | null): boolean {
  const literal = host.replace(/^\[|\]$/g, "");
  return rules !== null && isIP(literal) !== 0 && !rules.check(literal).allowed;
}

const notAllowed = (field: string) =>
  `\`${field}\` is an address that trunks may not reach. For a server in your own network, ask the operator to list that network in [sip] allow_networks.`;

/**
 * A peering takes calls from an address without a password: whoever has one there could take other tenants'
 * calls. So the operator makes it; its owner may change the rest.
 */
function checkPeering(stored: TrunkRecord | undefined, draft: Draft): void {
  if (draft.register || (stored && !stored.register && isSamePlace(stored, draft))) return;
  throw new AppError({
    code: "forbidden",
    publicMessage:
      "A trunk without registration is set up by the operator of this appliance, because its calls are told apart by address alone. Ask the operator, or use a trunk that registers.",
    field: "register",
  });
}

export function createTrunkService(deps: {
  readonly database: Database;
  readonly vault: { seal(plain: string, binding: string): string };
  readonly sip: Pick<SipStack, "trunk">;
  readonly trunks: () => Pick<TrunkLoader, "reload" | "remove">;
  /** `[sip] allow_networks`. */
  readonly allowNetworks: readonly string[];
  readonly probe: (trunkId: number) => Promise<TrunkFacts | null>;
  readonly clock: Clock;
}): TrunkService {
  const { database, vault, sip, clock } = deps;
  const rules = new AddressRules(deps.allowNetworks);

  const view = async (trunk: TrunkRecord): Promise<TrunkView> => {
    const { tenant_id: _, ...summary } = trunkSummary(
      trunk,
      sip.trunk(trunk.id)?.registration ?? null,
    );
    const { realm, outboundProxy: outbound_proxy } = trunk;
    const sources = await callNoticeStore(database.read).list(trunk.tenantId, "unknown_source");
    const unknown_sources = sources.map(({ subject }) => subject);
    return { ...summary, port_stated: trunk.port > 0, realm, outbound_proxy, unknown_sources };
  };
  const find = (tenantId: number) => trunkStore(database.read).find(tenantId);

  async function found(tenantId: number): Promise<TrunkRecord> {
    const trunk = await find(tenantId);
    if (!trunk) throw notFound("trunk");
    return trunk;
  }

  return {
    async get(tenantId) {
      const trunk = await find(tenantId);
      return trunk ? await view(trunk) : null;
    },

    async set(tenantId, { password, ...draft }, asOperator = false) {
      const nowMs = clock.now();
      const trunk = await database.tx(async (queries) => {
        const store = trunkStore(queries);
        const stored = await store.find(tenantId);
        const keepsPassword = stored !== undefined && isSamePlace(stored, draft);
        const setByOperator = asOperator || (keepsPassword && stored.setByOperator);
        checkInput(draft, setByOperator ? null : rules);
        if (!asOperator) checkPeering(stored, draft);
        if (password === null && !stored && draft.register)
          throw invalidField("password", "`password` is needed: none is stored yet.");
        if (password === null && stored && !answersTheSame(stored, draft))
          throw invalidField(
            "password",
            "`password` is needed again: the stored one is for the server, proxy and realm that were set before.",
          );
        // Another server's calls come from elsewhere.
        const moved = stored && !keepsPassword ? { extraNetworks: null } : {};
        return store.put(
          tenantId,
          { ...draft, ...moved, setByOperator, createdAt: nowMs, updatedAt: nowMs },
          (id) =>
            password === null && stored
              ? stored.passwordSealed
              : vault.seal(password ?? "", trunkPasswordBinding(id)),
        );
      });
      await deps.trunks().reload(tenantId);
      return await view(trunk);
    },

    async allow(tenantId, address) {
      const { extraNetworks } = await found(tenantId);
      const networks = [...new Set([...(extraNetworks ?? []), address])];
      if (networks.length > EXTRA_NETWORKS_MAX)
        throw new AppError({
          code: "conflict",
          publicMessage: `A trunk has at most ${EXTRA_NETWORKS_MAX} further addresses. Ask the operator to allow a network instead.`,
        });
      await database.tx(async (queries) => {
        if (!(await callNoticeStore(queries).remove(tenantId, "unknown_source", address)))
          throw notFound("address");
        await trunkStore(queries).allowNetworks(tenantId, networks);
      });
      await deps.trunks().reload(tenantId);
      return await view(await found(tenantId));
    },

    async remove(tenantId) {
      const trunk = await found(tenantId);
      await database.tx((queries) => trunkStore(queries).remove(tenantId));
      await deps.trunks().remove(trunk.id);
    },

    async test(tenantId) {
      const trunk = await found(tenantId);
      const facts = await deps.probe(trunk.id);
      if (!facts)
        throw new AppError({
          code: "unavailable",
          publicMessage: "The trunk does not run on this server; its log says why.",
        });
      const { trunk: _, ...test } = trunkTest(trunkSummary(trunk, facts.registration), facts);
      return test;
    },
  };
}

/** Would proofs of the password go where they went before? Else somebody else could be given them. */
const answersTheSame = (stored: TrunkRecord, draft: Draft): boolean =>
  isSamePlace(stored, draft) && stored.realm === draft.realm;

const isSamePlace = (stored: TrunkRecord, draft: Draft): boolean =>
  stored.server.toLowerCase() === draft.server.toLowerCase() &&
  stored.outboundProxy === draft.outboundProxy;
