/**
 * Whose word on a caller's number counts towards level 2 (with the PIN): the tenant's own trunk, while it
 * is registered or is an IP peering.
 *
 * A peering proves as much as a registration: an INVITE is taken only from the addresses that the trunk's
 * server resolves to (sip/stack.ts), and a call is answered only when its ACK bears the tag of our 200, which
 * whoever forges the source of a datagram never sees. Another tenant's trunk at the same provider proves
 * less: its owner may send calls to our numbers with whatever caller id that provider lets it. So does a
 * registration that failed: nobody knows who has that address now.
 */
import type { Trunk } from "./sip-port.ts";

const TRUSTED: ReadonlySet<Trunk["registration"]["name"]> = new Set(["registered", "not_required"]);

export const isTrusted = (
  trunk: Pick<Trunk, "settings" | "registration"> | undefined,
  tenantId: number,
): boolean => trunk?.settings.tenantId === tenantId && TRUSTED.has(trunk.registration.name);
