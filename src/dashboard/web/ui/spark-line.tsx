/** A small line of a few values, without axes: the shape of a week. Null: nothing was measured. */
const WIDTH = 120;
const HEIGHT = 32;
const EDGE = 3;

export function SparkLine(props: {
  /** Says every value, for screen readers. */
  label: string;
  values: readonly (number | null)[];
}) {
  const { values } = props;
  const most = Math.max(...values.map((value) => value ?? 0), 1e-9);
  const step = (WIDTH - 2 * EDGE) / Math.max(1, values.length - 1);
  const points = values.flatMap((value, at) =>
    value === null
      ? []
      : [{ x: EDGE + at * step, y: HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE) }],
  );
  const last = points.at(-1);
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={props.label}>
      <polyline points={points.map(({ x, y }) => `${x},${y}`).join(" ")} />
      {last && <circle cx={last.x} cy={last.y} r="2.5" />}
    </svg>
  );
}
