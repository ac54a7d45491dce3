/** Phone numbers over HTTP: rules in number/. */

import { recordOf, wireOf } from "../../../core/wire-names.ts";
import type { NumberRecord } from "../../../domain/number/numbers.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/phone-numbers.ts";
import type { RouteContext } from "./context.ts";

const present = (number: NumberRecord) => wireOf(contracts.PhoneNumber, number);

export const phoneNumberRoutes = ({ dependencies }: RouteContext) => {
  const { numbers } = dependencies.services;
  return [
    route(contracts.listPhoneNumbers)(async ({ tenantId }) => ({
      ok: true,
      phone_numbers: (await numbers.list(tenantId)).map(present),
    })),
    route(contracts.createPhoneNumber)(async ({ tenantId, body }) => ({
      ok: true,
      phone_number: present(await numbers.create(tenantId, recordOf(body))),
    })),
    route(contracts.getPhoneNumber)(async ({ tenantId, params }) => ({
      ok: true,
      phone_number: present(await numbers.get(tenantId, params.id)),
    })),
    route(contracts.updatePhoneNumber)(async ({ tenantId, params, body }) => ({
      ok: true,
      phone_number: present(await numbers.update(tenantId, params.id, recordOf(body))),
    })),
    route(contracts.deletePhoneNumber)(async ({ tenantId, params }) => {
      await numbers.remove(tenantId, params.id);
      return { ok: true, id: params.id, deleted: true };
    }),
  ];
};
