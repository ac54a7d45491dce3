/** Parses `host`, `host:port` and `[v6]:port` from the configuration. */

interface HostPort {
  /** Without brackets. */
  readonly host: string;
  /** Null if not given. */
  readonly port: number | null;
}

/** Undefined if the port is invalid. */
export function parseHostPort(text: string): HostPort | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^:\s]+)(?::(\d{1,5}))?$/i.exec(text.trim());
  const host = match?.[1];
  const port = match?.[2] === undefined ? null : Number(match[2]);
  if (host === undefined || (port !== null && (port < 1 || port > 65535))) return undefined;
  return { host: host.replace(/^\[|\]$/g, ""), port };
}
