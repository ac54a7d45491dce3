/** Certificates and keys that the configuration names as files. */
import { readFileSync } from "node:fs";
import type { Config } from "./schema.ts";

/** Throws an Error that names the key. */
export function readPem(path: string, key: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`${key}: ${path} cannot be read (${(error as Error).message})`);
  }
}

/** PEM of `[http_client] ca_file`; null: there is none. Throws as readPem does. */
export const authoritiesOf = ({ http_client }: Pick<Config, "http_client">): string | null =>
  http_client.ca_file ? readPem(http_client.ca_file, "[http_client] ca_file") : null;
