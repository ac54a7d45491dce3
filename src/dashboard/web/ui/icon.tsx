/** Icons: one stroke, 16 × 16, decoration only (the text next to them gives the meaning). */
const PATHS = {
  home: "M2.5 7 8 2.5 13.5 7v6.5h-4V10h-3v3.5h-4z",
  live: "M3 6.5v3M6.3 4v8M9.7 5.5v5M13 7v2",
  calls: "M3 2.5h3l1.2 3.2-1.7 1.3a8 8 0 0 0 3.5 3.5l1.3-1.7 3.2 1.2v3c-6 .8-11.3-4.5-10.5-10.5z",
  agent:
    "M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM2.8 13.5c.6-2.4 2.7-3.6 5.2-3.6s4.6 1.2 5.2 3.6",
  knowledge:
    "M3 3.5c2-1 4-.6 5 .5 1-1.100 3-1.500 5-.5v9c-2-1-4-.6-5 .5-1-1.100-3-1.500-5-.5zM8 4v9",
  tool: "M9.500 2.500a3.500 3.500 0 0 0-3 5L2.500 11.500l2 2 4-4a3.500 3.500 0 0 0 5-3l-2 1-1.500-.500-.500-1.500z",
  number: "M5.500 2.500 4 13.500M12 2.500l-1.500 11M2.500 6h11M2 10h11",
  trunk: "M2.500 12.500h11M4 12.500V9M8 12.500V3.500M12 12.500V6.500",
  contacts:
    "M6 7.500a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400zM2 13c.4-2 2-3 4-3s3.600 1 4 3M10.500 3.400a2.200 2.200 0 0 1 0 4M12 10.200c1.100.5 1.800 1.500 2 2.800",
  schedule: "M2.500 4h11v9.500h-11zM2.500 7h11M5.500 2.500v3M10.500 2.500v3",
  money: "M2 4.500h12v7H2zM8 9.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3z",
  webhook:
    "M5 10.500a2.500 2.500 0 1 1-1-4M8 5a2.500 2.500 0 1 1 3 2.500M9.500 11a2.500 2.500 0 1 0 2.500-2.500H7",
  key: "M7.300 8.700 13 3M11 5l1.700 1.700M5.500 13a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z",
  team: "M8 7a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM3 14c0-3 2.200-4.500 5-4.500s5 1.500 5 4.500",
  settings:
    "M2.500 4.500h6M11.500 4.500h2M2.500 11.500h2M7.500 11.500h6M10 6.200a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400zM6 13.200a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400z",
  operator: "M2.500 3h11v4h-11zM2.500 9h11v4h-11zM5 5h.01M5 11h.01",
  plus: "M8 3.500v9M3.500 8h9",
  close: "m4 4 8 8M12 4l-8 8",
  check: "m3.500 8.500 3 3 6-7",
  copy: "M5.500 5.500h8v8h-8zM3.500 10.500h-1v-8h8v1",
  more: "M3.500 8h.01M8 8h.01M12.500 8h.01",
  back: "M9.500 3.500 5 8l4.500 4.500",
  next: "M6.500 3.500 11 8l-4.500 4.500",
  menu: "M2.500 4.500h11M2.500 8h11M2.500 11.500h11",
  play: "M5 3.500v9l7.500-4.500z",
  pause: "M5.500 3.500v9M10.500 3.500v9",
  mic: "M8 2.500a2 2 0 0 1 2 2V8a2 2 0 0 1-4 0V4.500a2 2 0 0 1 2-2zM3.500 8a4.500 4.500 0 0 0 9 0M8 12.500v1.500",
  stop: "M4.500 4.500h7v7h-7z",
  listen: "M3 9a5 5 0 0 1 10 0M3 9v3.500h2V9zM11 9v3.500h2V9z",
  warning: "M8 2.500 14.500 13.500h-13zM8 6.500v3.200M8 11.600h.01",
  search: "M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM10.500 10.500l3 3",
  down: "M8 2.500v8M4.500 7.500 8 11l3.500-3.500M3 13.500h10",
  terminal: "M2.500 3h11v10h-11zM5 6l2 2-2 2M8.500 10H11",
  inbound: "M12.500 3.500 4 12M4 6v6h6",
  outbound: "M3.500 12.500 12 4M6 4h6v6",
  trash: "M3 4.500h10M6 4.500v-2h4v2M4.500 4.500l.5 9h6l.5-9",
  external: "M9.500 3h3.500v3.500M13 3 7.500 8.500M11 9.500V13H3V5h3.500",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** Logo of Linevoice. */
export function Mark() {
  return (
    <svg
      width="22"
      height="22"
      viewBox="0 0 22 22"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.4"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M2.500 11h1M7.500 7v8M12 3.500v15M16.500 8v6M20 10.500v1" />
    </svg>
  );
}
