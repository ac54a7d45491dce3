/** The trunk over HTTP: rules in operations/admin/trunks.ts. */

import { notFound } from "../../../../core/errors.ts";
import type { TrunkState } from "../../../../operations/admin/trunks.ts";
import { askServices } from "../../../contracts/operations.ts";
import { presentTrunk, presentTrunkTest } from "../../../contracts/trunks.ts";
import { route } from "../../contract.ts";
import * as contracts from "../contracts/trunk.ts";
import type { ProductContext } from "./context.ts";

export const trunkRoutes = ({ dependencies: { services } }: ProductContext) => {
  const { trunks } = services;

  async function present(state: TrunkState) {
    const { tenant_id: tenantId, ...fields } = presentTrunk(state);
    const unknown_sources = await trunks.unknownSources(tenantId);
    return { ...fields, port_stated: state.trunk.port > 0, unknown_sources };
  }
  async function stored(tenantId: number) {
    const trunk = await trunks.get(tenantId);
    return trunk && (await present(trunk));
  }

  return [
    route(contracts.getTrunk)(async ({ tenantId }) => ({
      ok: true,
      trunk: await stored(tenantId),
    })),
    route(contracts.allowTrunkSource)(async ({ tenantId, body }) => ({
      ok: true,
      trunk: await present(await trunks.allow(tenantId, body.address)),
    })),
    route(contracts.setTrunk)(async ({ tenantId, body, session }) => {
      const { port, port_stated: isStated, ...fields } = body;
      const ask = askServices(services, { isOperator: session?.user.operator ?? false });
      await ask("trunk.set", { tenant: tenantId, ...fields, port: isStated ? port : undefined });
      const trunk = await stored(tenantId);
      if (!trunk) throw notFound("trunk");
      return { ok: true, trunk };
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
