/**
 * Decides whether a trunk is trusted to show real caller numbers, which count towards level 2 (with the PIN).
 * Only the tenant's own trunk is, while it is registered or is an IP peering.
 *
 * A peering proves as much as a registration. INVITEs are accepted only from the addresses of the trunk's
 * server (sip/stack.ts). A call is answered only if its ACK has the tag of our 200, which a sender with a
 * forged source address never sees.
 *
 * Another tenant's trunk at the same provider proves less: its owner may call us with any caller ID that the
 * provider allows. A failed registration proves nothing: somebody else may have that address now.
 */
import type { Trunk } from "./sip-port.ts";

const TRUSTED: ReadonlySet<Trunk["registration"]["name"]> = new Set(["registered", "not_required"]);

export const isTrusted = (
  trunk: Pick<Trunk, "settings" | "registration"> | undefined,
  tenantId: number,
): boolean => trunk?.settings.tenantId === tenantId && TRUSTED.has(trunk.registration.name);
