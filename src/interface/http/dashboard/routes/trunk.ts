/** The trunk over HTTP: rules in operations/admin/trunks.ts. */
import type { TrunkState } from "../../../../operations/admin/trunks.ts";
import { presentTrunk, presentTrunkTest } from "../../../contracts/trunks.ts";
import { route } from "../../contract.ts";
import * as contracts from "../contracts/trunk.ts";
import type { ProductContext } from "./context.ts";

export const trunkRoutes = ({ dependencies: { services } }: ProductContext) => {
  const { trunks } = services;

  async function present(state: TrunkState) {
    const { tenant_id: tenantId, ...fields } = presentTrunk(state);
    const { port, realm, outboundProxy: outbound_proxy } = state.trunk;
    const unknown_sources = await trunks.unknownSources(tenantId);
    return { ...fields, port_stated: port > 0, realm, outbound_proxy, unknown_sources };
  }

  return [
    route(contracts.getTrunk)(async ({ tenantId }) => {
      const trunk = await trunks.get(tenantId);
      return { ok: true, trunk: trunk && (await present(trunk)) };
    }),
    route(contracts.allowTrunkSource)(async ({ tenantId, body }) => ({
      ok: true,
      trunk: await present(await trunks.allow(tenantId, body.address)),
    })),
    route(contracts.setTrunk)(async ({ tenantId, body, session }) => {
      const trunk = await trunks.set(
        tenantId,
        {
          server: body.server.replace(/^\[|\]$/g, ""),
          port: (body.port_stated ? body.port : undefined) ?? 0,
          transport: body.transport,
          username: body.username,
          password: body.password ?? null,
          realm: body.realm ?? null,
          outboundProxy: body.outbound_proxy ?? null,
          callerId: body.caller_id,
          register: body.register,
          channels: body.channels ?? null,
        },
        session?.user.operator ?? false,
      );
      return { ok: true, trunk: await present(trunk) };
    }),
    route(contracts.deleteTrunk)(async ({ tenantId }) => {
      await trunks.remove(tenantId);
      return { ok: true, deleted: true };
    }),
    route(contracts.testTrunk)(async ({ tenantId }) => ({
      ok: true,
      test: presentTrunkTest(await trunks.testOf(tenantId)),
    })),
  ];
};
