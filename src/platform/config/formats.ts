/**
 * Parsers and checks for formatted text: addresses, ranges, URLs, networks. Parsers return null for
 * invalid text.
 */
import { isIP } from "node:net";
import { Cron } from "croner";

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

const HOST =
  /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*\.?$/;

export const isHost = (text: string): boolean => isIP(text) !== 0 || HOST.test(text);

/** `host:port` or `[v6]:port`; port 0 lets the system choose. */
export function parseHostPort(text: string): HostPort | null {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65535) return null;
  const fits = match?.[1] === undefined ? isHost(host) : isIP(host) === 6;
  return fits ? { host, port } : null;
}

/** The format of parseHostPort and of URLs. */
export const hostPortText = ({ host, port }: HostPort): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;

export interface PortRange {
  /** Both ends inclusive. */
  readonly first: number;
  readonly last: number;
}

/** `20000-29999`: at least one RTP/RTCP pair, above the privileged ports. */
export function parsePortRange(text: string): PortRange | null {
  const match = /^(\d{4,5})-(\d{4,5})$/.exec(text);
  if (!match) return null;
  const [first, last] = [Number(match[1]), Number(match[2])];
  return first >= 1024 && last <= 65535 && last > first ? { first, last } : null;
}

export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === "http:" || protocol === "https:") && !username && !password;
}

/** True for an origin: no path, query or trailing slash. */
export const isOrigin = (text: string): boolean =>
  isHttpUrl(text) && new URL(text).origin === text.toLowerCase();

export const isWebSocketUrl = (text: string): boolean =>
  URL.canParse(text) && ["ws:", "wss:"].includes(new URL(text).protocol);

/**
 * True for a URL without credentials. Credentials in a URL are not masked, and the token has its
 * own key.
 */
export function isDatabaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  const isBare = !username && !password && !search && !hash;
  return isBare && ["libsql:", "http:", "https:"].includes(protocol);
}

/** True for an address, or a network in CIDR form. */
export function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

/** `name=value,name=value`, as in OTEL_EXPORTER_OTLP_HEADERS; values may be percent-encoded. */
export function parseHeaders(text: string): Readonly<Record<string, string>> | null {
  const headers: Record<string, string> = {};
  for (const pair of text.split(",")) {
    const [, name, value] =
      /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]{1,100})=([ -~]{1,2000}?)\s*$/.exec(pair) ?? [];
    if (name === undefined || value === undefined) return null;
    headers[name.toLowerCase()] = decoded(value);
  }
  return headers;
}

function decoded(value: string): string {
  try {
    const text = decodeURIComponent(value);
    return /^[ -~]*$/.test(text) ? text : value;
  } catch {
    return value;
  }
}

/** True for five cron fields of numbers, names, `*`, `/`, `-`, `,`. */
export function isCron(text: string): boolean {
  if (!/^(?:[0-9A-Za-z*/,-]+\s+){4}[0-9A-Za-z*/,-]+$/.test(text)) return false;
  try {
    new Cron(text, { paused: true }).stop();
    return true;
  } catch {
    return false;
  }
}

export const isMasterKey = (text: string): boolean =>
  /^[A-Za-z0-9+/]{43}=?$/.test(text) && Buffer.from(text, "base64").length === 32;

/** True for `name@host` or `Name <name@host>`. */
export const isMailbox = (text: string): boolean =>
  /^(?:[^<>@\r\n]{1,120}<[^\s<>@]{1,64}@[^\s<>@]{1,253}>|[^\s<>@]{1,64}@[^\s<>@]{1,253})$/.test(
    text,
  );
