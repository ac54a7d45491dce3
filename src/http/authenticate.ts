/** Reads an API key from both supported header forms (specification 5). */
export function bearerOf(headers: Headers): string | null {
  const authorization = headers.get("authorization");
  if (authorization !== null) {
    const match = /^bearer +(\S+)$/i.exec(authorization.trim());
    if (match?.[1]) return match[1];
  }
  return headers.get("x-lv-api-key")?.trim() || null;
}
