/** `;name=value` parameters of URIs and header values (RFC 3261 25.1 generic-param). */

/** Names in lower case; the value is null without `=`. Quoted values keep their quotes. */
export type Parameters = ReadonlyMap<string, string | null>;

const NO_PARAMETERS: Parameters = new Map();

const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/;
export const isToken = (text: string): boolean => TOKEN.test(text);

/** Parses the parts between semicolons; undefined if a name is invalid. Skips empty parts. */
export function parseParameters(parts: readonly string[]): Parameters | undefined {
  if (parts.length === 0) return NO_PARAMETERS;
  const parameters = new Map<string, string | null>();
  for (const part of parts) {
    const trimmed = part.trim();
    if (trimmed === "") continue;
    const equals = trimmed.indexOf("=");
    const name = (equals < 0 ? trimmed : trimmed.slice(0, equals)).trimEnd().toLowerCase();
    if (name === "" || /[\s"<>]/.test(name)) return undefined;
    const value = equals < 0 ? null : trimmed.slice(equals + 1).trimStart();
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return parameters;
}

/** `;a;b=c`, or the empty string. */
export function formatParameters(parameters: Parameters): string {
  let text = "";
  for (const [name, value] of parameters) text += value === null ? `;${name}` : `;${name}=${value}`;
  return text;
}
