/**
 * Service-Route of a 200 to REGISTER (RFC 3608): the hosts by which requests of ours that open a dialog, or
 * stand outside of one, reach the registrar's services. It becomes their Route, in its order (5.1). Where an
 * outbound proxy is set, that stays the first hop and finds the route in the request.
 */
import { formatNameAddr, type NameAddr, parseNameAddr, type SipResponse } from "./message/index.ts";

/** In the order in which they are passed; empty: none. */
export type ServiceRoute = readonly NameAddr[];

export const NO_ROUTE: ServiceRoute = [];
/** They stand in every request: more is not ours to carry. */
const HOSTS_MAX = 10;

/** Undefined: it cannot be followed, because a value is no loose route (RFC 3261 19.1.1), or there are too many. */
export function serviceRouteOf({ headers }: SipResponse): ServiceRoute | undefined {
  const values = headers.all("service-route");
  const route = values.map(parseNameAddr).filter((value) => value !== undefined);
  const isSound = route.length === values.length && route.every(isLoose);
  return isSound && values.length <= HOSTS_MAX ? route : undefined;
}

const isLoose = ({ uri }: NameAddr): boolean =>
  (uri.scheme === "sip" || uri.scheme === "sips") && uri.parameters.has("lr");

/** One Route header for all of it: SIP.js copies only the first into the ACK of a refusal. */
export const routeHeader = (route: ServiceRoute): string => route.map(formatNameAddr).join(", ");
