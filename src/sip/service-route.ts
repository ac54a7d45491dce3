/**
 * Service-Route of a 200 to REGISTER (RFC 3608): the hosts through which our requests outside
 * dialogs, and those that open one, reach the registrar's services. It becomes their Route header,
 * in order (5.1). A configured outbound proxy remains the first hop and finds the route in the
 * request.
 */
import { formatNameAddr, type NameAddr, parseNameAddr, type SipResponse } from "./message/index.ts";

/** In the order of the hops; empty if there is no route. */
export type ServiceRoute = readonly NameAddr[];

export const NO_ROUTE: ServiceRoute = [];
/** The route is part of every request, so it is limited. */
const HOSTS_MAX = 10;

/**
 * Undefined if it is unusable: a value is not a loose route (RFC 3261 19.1.1), or there are too
 * many.
 */
export function serviceRouteOf({ headers }: SipResponse): ServiceRoute | undefined {
  const values = headers.all("service-route");
  const route = values.map(parseNameAddr).filter((value) => value !== undefined);
  const isSound = route.length === values.length && route.every(isLoose);
  return isSound && values.length <= HOSTS_MAX ? route : undefined;
}

const isLoose = ({ uri }: NameAddr): boolean =>
  (uri.scheme === "sip" || uri.scheme === "sips") && uri.parameters.has("lr");

/** One Route header for all: SIP.js copies only the first into the ACK of a rejection. */
export const routeHeader = (route: ServiceRoute): string => route.map(formatNameAddr).join(", ");
