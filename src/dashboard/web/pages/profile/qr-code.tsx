/** A QR code as one SVG path; nothing for a text that is too long: it is shown beside it as well. */
import { useMemo } from "react";
import { qrModules } from "../../ui/qr.ts";

export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = useMemo(() => qrModules(text), [text]);
  if (!rows) return null;
  const path = rows
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg className="qr" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
      <path d={path} fill="currentColor" />
    </svg>
  );
}
