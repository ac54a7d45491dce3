/** A tenant's trunk as its owner handles it: made, replaced, forgotten, tested. */
import { isHost, parseHostPort } from "../config/formats.ts";
import type { Clock } from "../core/clock.ts";
import { AppError, invalidField, notFound } from "../core/errors.ts";
import type { TrunkDesk, TrunkView, TrunkWish } from "../http/dashboard/ports.ts";
import type { SipStack } from "../sip/ports.ts";
import type { TrunkFacts } from "../sip/trunk-verdicts.ts";
import type { Database } from "../store/database.ts";
import { type TrunkRecord, trunkPasswordBinding, trunkStore } from "../store/trunk-store.ts";
import { trunkSummary } from "./operator.ts";
import { trunkTest } from "./trunk-test.ts";
import type { TrunkLoader } from "./trunks.ts";

function checkWish({ server, outboundProxy, register, username }: Omit<TrunkWish, "password">) {
  if (!isHost(server)) throw invalidField("server", "`server` must be a host name or IP address.");
  if (outboundProxy !== null && !isHost(outboundProxy) && !parseHostPort(outboundProxy))
    throw invalidField("outbound_proxy", "`outbound_proxy` must be host or host:port.");
  if (register && username === "")
    throw invalidField("username", "`username` is needed where the trunk registers.");
}

export function createTrunkDesk(deps: {
  readonly database: Database;
  readonly vault: { seal(plain: string, binding: string): string };
  readonly sip: Pick<SipStack, "trunk">;
  readonly trunks: () => Pick<TrunkLoader, "reload" | "remove">;
  readonly probe: (trunkId: number) => Promise<TrunkFacts | null>;
  readonly clock: Clock;
}): TrunkDesk {
  const { database, vault, sip, clock } = deps;

  const view = (trunk: TrunkRecord): TrunkView => {
    const { tenant_id: _, ...summary } = trunkSummary(
      trunk,
      sip.trunk(trunk.id)?.registration ?? null,
    );
    const { realm, outboundProxy: outbound_proxy } = trunk;
    return { ...summary, port_stated: trunk.port > 0, realm, outbound_proxy };
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
      return trunk ? view(trunk) : null;
    },

    async set(tenantId, { password, ...draft }) {
      checkWish(draft);
      const nowMs = clock.now();
      const trunk = await database.tx(async (queries) => {
        const store = trunkStore(queries);
        const stored = await store.find(tenantId);
        if (password === null && !stored && draft.register)
          throw invalidField("password", "`password` is needed: none is stored yet.");
        if (password === null && stored && !answersTheSame(stored, draft))
          throw invalidField(
            "password",
            "`password` is needed again: the stored one is for the server, proxy and realm that were set before.",
          );
        return store.put(tenantId, { ...draft, createdAt: nowMs, updatedAt: nowMs }, (id) =>
          password === null && stored
            ? stored.passwordSealed
            : vault.seal(password ?? "", trunkPasswordBinding(id)),
        );
      });
      await deps.trunks().reload(tenantId);
      return view(trunk);
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
const answersTheSame = (stored: TrunkRecord, draft: Omit<TrunkWish, "password">): boolean =>
  stored.server.toLowerCase() === draft.server.toLowerCase() &&
  stored.outboundProxy === draft.outboundProxy &&
  stored.realm === draft.realm;
