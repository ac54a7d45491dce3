/** A small line chart without axes. Null: not measured. */
const WIDTH = 120;
const HEIGHT = 32;
const EDGE = 3;

type Values = readonly (number | null)[];

export function SparkLine(props: {
  /** Text for screen readers with every value. */
  label: string;
  /** Values per day. The last day is unfinished: a dot, so that it does not look like a fall. */
  values: Values;
  /** Values of the week before, as a faint line behind; omitted if there are none. */
  before: Values;
}) {
  const { values, before } = props;
  const most = Math.max(...[...values, ...before].map((value) => value ?? 0), 1e-9);
  const step = (WIDTH - 2 * EDGE) / Math.max(1, values.length - 1);
  const pointsOf = (line: Values) =>
    line.flatMap((value, at) =>
      value === null
        ? []
        : [{ x: EDGE + at * step, y: HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE) }],
    );
  const drawn = (line: Values) =>
    pointsOf(line)
      .map(({ x, y }) => `${x},${y}`)
      .join(" ");
  const last = pointsOf(values).at(-1);
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={props.label}>
      {before.some(Boolean) && <polyline className="before" points={drawn(before)} />}
      <polyline points={drawn(values.slice(0, -1))} />
      {last && <circle cx={last.x} cy={last.y} r="2.5" />}
    </svg>
  );
}
