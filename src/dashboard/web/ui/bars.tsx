/** A bar chart in SVG. The style sheet gives the colours, the container the width. */
import { useText } from "../i18n/text.tsx";

const HEIGHT = 200;
const HEAD = 8;
const FOOT = 24;
const TICKS = 4;
const NAMES_MAX = 12;
const SLOTS_MIN = 10;

/**
 * Returns 1, 2 or 5 times a power of ten: the smallest step that needs at most the drawn number of
 * ticks.
 */
function stepOf(most: number): number {
  const rough = most / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
}

export function Bars(props: {
  /** Description for screen readers. */
  label: string;
  /** Labels below the bars, one per value. */
  names: readonly string[];
  values: readonly number[];
  /** Values of the week before, drawn as a mark at each bar; null if unknown. */
  before?: readonly (number | null)[];
  variant?: "agent" | "caller";
  format?: (value: number) => string;
}) {
  const { number, t } = useText();
  const { names, values, before, format = number, variant = "agent" } = props;
  const most = Math.max(...values, ...(before ?? []).map((value) => value ?? 0));
  const wanted = stepOf(Math.max(most, 1e-9));
  // Counts have no fractional ticks.
  const step = values.every(Number.isInteger) ? Math.max(1, wanted) : wanted;
  const top = step * Math.max(1, Math.ceil(most / step - 1e-9));
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, at) => at * step);
  const y = (value: number) => HEAD + (1 - value / top) * (HEIGHT - HEAD - FOOT);
  const slot = 100 / Math.max(SLOTS_MIN, values.length);
  const everyName = Math.ceil(names.length / NAMES_MAX);
  const titleOf = (at: number) => {
    const now = `${names[at]}: ${format(values[at] ?? 0)}`;
    return before?.[at] ? `${now} · ${t("home.week_before", { value: format(before[at]) })}` : now;
  };
  return (
    <div className="bars">
      <TickNames names={ticks.map(format)} y={(at) => y(at * step) + 4} />
      <svg width="100%" height={HEIGHT} role="img" aria-label={props.label}>
        {ticks.map((tick) => (
          <line key={tick} x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
        ))}
        {values.map((value, at) => (
          <g key={names[at]}>
            <title>{titleOf(at)}</title>
            <rect
              className={`bar ${variant}`}
              x={`${at * slot + slot * 0.18}%`}
              width={`${slot * 0.64}%`}
              y={y(value)}
              height={Math.max(0, HEIGHT - FOOT - y(value))}
              rx="2"
            />
            <Former x={at * slot} slot={slot} y={before?.[at] ? y(before[at]) : null} />
            {at % everyName === 0 && (
              <BarName name={names[at]} x={(at + 0.5) * slot} always={at % (2 * everyName) === 0} />
            )}
          </g>
        ))}
      </svg>
    </div>
  );
}

/** Omits a tick label that equals the one below it after rounding. */
function TickNames({ names, y }: { names: readonly string[]; y: (at: number) => number }) {
  return (
    <svg width="52" height={HEIGHT} aria-hidden="true">
      {names.map(
        (name, at) =>
          name !== names[at - 1] && (
            <text key={name} x="46" y={y(at)} textAnchor="end">
              {name}
            </text>
          ),
      )}
    </svg>
  );
}

/** Mark of the week before; nothing if there is no value. */
function Former({ x, slot, y }: { x: number; slot: number; y: number | null }) {
  if (y === null) return null;
  const inset = slot * 0.06;
  return <line className="before" x1={`${x + inset}%`} x2={`${x + slot - inset}%`} y1={y} y2={y} />;
}

/** A phone hides every other label. */
function BarName({ name, x, always }: { name: string | undefined; x: number; always: boolean }) {
  return (
    <text className={always ? undefined : "if-wide"} x={`${x}%`} y={HEIGHT - 6} textAnchor="middle">
      {name}
    </text>
  );
}
