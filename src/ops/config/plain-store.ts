/**
 * Warns about a libSQL server on the internet without encryption: its token and all data can be read in
 * transit.
 */
import type { Log } from "../../core/log.ts";
import { AddressRules } from "../../platform/net/address-rules.ts";
import type { LoadedConfig } from "./load.ts";

/** Names that do not exist in public DNS. */
const LOCAL_NAME = /^[^.]+$|\.(?:local|localhost|internal|intranet|lan|home\.arpa)$/;
const IP_LITERAL = /^[\d.]+$|:/;
const rules = new AddressRules([]);

/** null: the store is local, or encrypted. */
export function plainStore({ config }: Pick<LoadedConfig, "config">) {
  const { database } = config.storage;
  if (!database.startsWith("http:")) return null;
  const host = new URL(database).hostname.replace(/^\[|\]$/g, "");
  const isPublic = IP_LITERAL.test(host) ? rules.check(host).allowed : !LOCAL_NAME.test(host);
  if (!isPublic) return null;
  return {
    finding: `The connection to the database at ${host} is not encrypted: others in the network can read its token and all data.`,
    remedy: "[storage] database: use https:// or libsql://, or an address in a private network.",
  };
}

export function logPlainStore(loaded: Pick<LoadedConfig, "config">, log: Log): void {
  const plain = plainStore(loaded);
  if (plain) log.warn("config.store_in_clear", { problem: plain.finding, remedy: plain.remedy });
}
