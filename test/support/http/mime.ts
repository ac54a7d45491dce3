/** Parses mails of the mail composer: only the MIME for a text and one attachment. */
export interface ReadMail {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly attachment: {
    readonly filename: string;
    readonly type: string;
    readonly content: Buffer;
  } | null;
}

interface Part {
  readonly headers: Record<string, string>;
  readonly body: string;
}

function split(source: string): Part {
  const end = source.indexOf("\r\n\r\n");
  const head = source.slice(0, end).replace(/\r\n[ \t]+/g, " ");
  const headers: Record<string, string> = {};
  for (const line of head.split("\r\n")) {
    const colon = line.indexOf(":");
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { headers, body: source.slice(end + 4) };
}

function decode(part: Part): Buffer {
  const encoding = part.headers["content-transfer-encoding"]?.toLowerCase();
  if (encoding === "base64") return Buffer.from(part.body, "base64");
  if (encoding !== "quoted-printable") return Buffer.from(part.body, "latin1");
  const bytes = part.body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1");
}

/** Decodes RFC 2047 words, UTF-8 only. */
export function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, body: string) => {
      if (kind.toUpperCase() === "B")
        return `\u0000${Buffer.from(body, "base64").toString("latin1")}`;
      const bytes = body
        .replaceAll("_", " ")
        .replace(/=([0-9A-F]{2})/gi, (__, hex: string) =>
          String.fromCharCode(Number.parseInt(hex, 16)),
        );
      return `\u0000${bytes}`;
    })
    .replace(/(?:\u0000[^\u0000]*)+/g, (words) =>
      Buffer.from(words.replaceAll("\u0000", ""), "latin1").toString("utf8"),
    );
}

export function readMail(source: string): ReadMail {
  const whole = split(source);
  const boundary = /boundary="?([^";]+)/.exec(whole.headers["content-type"] ?? "")?.[1];
  if (!boundary)
    return { headers: whole.headers, text: decode(whole).toString("utf8"), attachment: null };
  const parts = whole.body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((text) => split(text.replace(/^\r\n/, "")));
  const [text, file] = parts;
  const disposition = file?.headers["content-disposition"] ?? "";
  return {
    headers: whole.headers,
    text: text ? decode(text).toString("utf8").trimEnd() : "",
    attachment: file
      ? {
          filename: /filename="?([^";]+)/.exec(disposition)?.[1] ?? "",
          type: (file.headers["content-type"] ?? "").split(";")[0] ?? "",
          content: decode(file),
        }
      : null,
  };
}
