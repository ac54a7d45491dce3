/** Phone numbers over HTTP: rules in number/. */

import { numberStore } from "../../../adapter/store/number-store.ts";
import { isoUtc } from "../../../core/clock.ts";
import { e164 } from "../../../core/e164.ts";
import {
  createNumbers,
  type NumberFields,
  type NumberRecord,
} from "../../../domain/number/numbers.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/phone-numbers.ts";
import type { RouteContext } from "./context.ts";
import { renamed } from "./present.ts";

const FIELDS = { label: "label", agent_id: "agentId", inbound_enabled: "inboundEnabled" } as const;

const present = (number: NumberRecord) => ({
  id: number.id,
  number_e164: number.numberE164,
  label: number.label,
  agent_id: number.agentId,
  inbound_enabled: number.inboundEnabled,
  created_at: isoUtc(number.createdAt),
});

export const phoneNumberRoutes = ({ dependencies }: RouteContext) => {
  const { database, billing, clock } = dependencies;
  const numbers = createNumbers({ database, records: numberStore, billing, clock });
  return [
    route(contracts.listPhoneNumbers)(async ({ tenantId }) => ({
      ok: true,
      phone_numbers: (await numbers.list(tenantId)).map(present),
    })),
    route(contracts.createPhoneNumber)(async ({ tenantId, body }) => ({
      ok: true,
      phone_number: present(
        await numbers.create(tenantId, {
          numberE164: e164(body.number_e164),
          label: body.label ?? null,
          agentId: body.agent_id ?? null,
          inboundEnabled: body.inbound_enabled ?? true,
        }),
      ),
    })),
    route(contracts.getPhoneNumber)(async ({ tenantId, params }) => ({
      ok: true,
      phone_number: present(await numbers.get(tenantId, params.id)),
    })),
    route(contracts.updatePhoneNumber)(async ({ tenantId, params, body }) => ({
      ok: true,
      phone_number: present(
        await numbers.update(tenantId, params.id, renamed<NumberFields>(body, FIELDS)),
      ),
    })),
    route(contracts.deletePhoneNumber)(async ({ tenantId, params }) => {
      await numbers.remove(tenantId, params.id);
      return { ok: true, id: params.id, deleted: true };
    }),
  ];
};
