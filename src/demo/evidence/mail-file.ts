/**
 * Reads the parts of an .eml file that the demo needs: headers, text and the attachment (RFC 5322,
 * MIME).
 */
export interface MailFile {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly attachment: { readonly filename: string; readonly content: Buffer } | null;
}

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export function readMail(eml: string): MailFile {
  const whole = readPart(eml);
  const parts = partsOf(whole);
  const text = parts.find((part) => header(part, "content-type").startsWith("text/plain"));
  const attached = parts.find((part) => header(part, "content-disposition").includes("attachment"));
  return {
    to: header(whole, "to"),
    subject: header(whole, "subject"),
    text: text ? contentOf(text).toString("utf8") : "",
    attachment: attached
      ? { filename: parameter(attached, "filename"), content: contentOf(attached) }
      : null,
  };
}

const header = (part: Part, name: string): string => part.headers.get(name) ?? "";

function parameter(part: Part, name: string): string {
  const match = new RegExp(`${name}="?([^";]+)`, "i").exec(header(part, "content-disposition"));
  return match?.[1]?.trim() ?? "";
}

function readPart(text: string): Part {
  const normalised = text.replaceAll("\r\n", "\n");
  const end = normalised.indexOf("\n\n");
  const head = normalised.slice(0, end < 0 ? undefined : end).replace(/\n[ \t]+/g, " ");
  const headers = new Map<string, string>();
  for (const line of head.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { headers, body: end < 0 ? "" : normalised.slice(end + 2) };
}

/** The leaves of a multipart tree; a plain message is its own leaf. */
function partsOf(part: Part): Part[] {
  const boundary = /boundary="?([^";]+)/i.exec(header(part, "content-type"))?.[1];
  if (boundary === undefined) return [part];
  return part.body
    .split(`--${boundary}`)
    .slice(1)
    .filter((piece) => !piece.startsWith("--"))
    .flatMap((piece) => partsOf(readPart(piece.replace(/^\n/, ""))));
}

function contentOf(part: Part): Buffer {
  const encoding = header(part, "content-transfer-encoding").toLowerCase();
  if (encoding === "base64") return Buffer.from(part.body, "base64");
  if (encoding !== "quoted-printable") return Buffer.from(part.body, "utf8");
  const bytes = part.body
    .replace(/=\n/g, "")
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1");
}
