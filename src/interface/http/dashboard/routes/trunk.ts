/** The trunk over HTTP. */
import { route } from "../../contract.ts";
import * as contracts from "../contracts/trunk.ts";
import type { TrunkView } from "../ports.ts";
import type { ProductContext } from "./context.ts";

const present = (trunk: TrunkView) => ({
  ...trunk,
  extra_networks: [...trunk.extra_networks],
  unknown_sources: [...trunk.unknown_sources],
});

export const trunkRoutes = ({ parts: { trunks } }: ProductContext) => [
  route(contracts.getTrunk)(async ({ tenantId }) => {
    const trunk = await trunks.get(tenantId);
    return { ok: true, trunk: trunk && present(trunk) };
  }),
  route(contracts.allowTrunkSource)(async ({ tenantId, body }) => ({
    ok: true,
    trunk: present(await trunks.allow(tenantId, body.address)),
  })),
  route(contracts.setTrunk)(async ({ tenantId, body, session }) => ({
    ok: true,
    trunk: present(
      await trunks.set(
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
      ),
    ),
  })),
  route(contracts.deleteTrunk)(async ({ tenantId }) => {
    await trunks.remove(tenantId);
    return { ok: true, deleted: true };
  }),
  route(contracts.testTrunk)(async ({ tenantId }) => {
    const { checks, codecs, ...test } = await trunks.test(tenantId);
    return {
      ok: true,
      test: { ...test, checks: [...checks], codecs: codecs === null ? null : [...codecs] },
    };
  }),
];
