/** A single byte range of a Range header (RFC 9110 14.1.2, 14.2). */
type ByteRange =
  | { readonly kind: "whole" }
  | { readonly kind: "part"; readonly start: number /** Inclusive. */; readonly end: number }
  | { readonly kind: "unsatisfiable" };

/** Ignores a malformed range or a list of ranges: the whole file is a valid response. */
export function byteRange(header: string | null, size: number): ByteRange {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return { kind: "whole" };
  if (match[1] === "") {
    const last = Math.min(Number(match[2]), size);
    return last === 0
      ? { kind: "unsatisfiable" }
      : { kind: "part", start: size - last, end: size - 1 };
  }
  const start = Number(match[1]);
  const end = match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== "" && Number(match[2]) < start) return { kind: "whole" };
  return start >= size ? { kind: "unsatisfiable" } : { kind: "part", start, end };
}
