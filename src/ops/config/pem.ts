/** Certificate and key files from the configuration. */
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { describeError } from "../../core/errors.ts";
import type { Config } from "./schema.ts";

/** Throws an Error with the configuration key. */
export function readPem(path: string, key: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`${key}: ${path} cannot be read (${(error as Error).message})`);
  }
}

interface PemPair {
  readonly cert: string;
  readonly key: string;
}

/** `section` has tls_cert and tls_key. Throws an Error with these keys, also if they do not match. */
export function readPair(files: PemPair, section: "server" | "sip"): PemPair {
  const cert = readPem(files.cert, `[${section}] tls_cert`);
  const key = readPem(files.key, `[${section}] tls_key`);
  try {
    // An empty text would count as missing.
    createSecureContext({ cert: cert || "empty", key: key || "empty" });
  } catch (error) {
    throw new Error(
      `[${section}] tls_cert and tls_key: ${files.cert} and ${files.key} are not a certificate chain and its key in PEM (${describeError(error)})`,
    );
  }
  return { cert, key };
}

/** PEM of `[http_client] ca_file`; null: not set. Throws as readPem does. */
export const authoritiesOf = ({ http_client }: Pick<Config, "http_client">): string | null =>
  http_client.ca_file ? readPem(http_client.ca_file, "[http_client] ca_file") : null;
