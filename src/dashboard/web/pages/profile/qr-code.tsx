/** A QR code as one SVG path. */
import qrcode from "qrcode-generator";
import { useMemo } from "react";

export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const code = qrcode(0, "M");
    code.addData(text);
    code.make();
    const count = code.getModuleCount();
    let drawn = "";
    for (let row = 0; row < count; row++)
      for (let column = 0; column < count; column++)
        if (code.isDark(row, column)) drawn += `M${column} ${row}h1v1h-1z`;
    return { size: count, path: drawn };
  }, [text]);
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} fill="currentColor" />
    </svg>
  );
}
