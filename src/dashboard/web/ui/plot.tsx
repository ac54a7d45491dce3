/** Charts: uPlot in our colours, redrawn when the theme, the size or the data changes. */
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { useText } from "../i18n/text.tsx";
import { tokenColor, useDark } from "../theme/theme.ts";

export interface PlotSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** Name of a colour token. */
  readonly color: string;
  readonly look: "bars" | "line";
}

const HEIGHT = 200;

export function Plot(props: {
  /** What it shows, for screen readers; the numbers stand in a table elsewhere. */
  label: string;
  /** Words along the axis below, one for each value. */
  names: readonly string[];
  series: readonly PlotSeries[];
  format?: (value: number) => string;
}) {
  const { names, series, format } = props;
  const { number } = useText();
  const holder = useRef<HTMLDivElement>(null);
  const dark = useDark();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme means new colours
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const axis = {
      stroke: tokenColor("ink-3"),
      grid: { stroke: tokenColor("line"), width: 1 },
      ticks: { show: false },
      font: "12px system-ui",
    };
    const bars = uPlot.paths.bars?.({ size: [0.7, 40], radius: 0.15 });
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        cursor: { y: false, points: { show: false } },
        legend: { show: series.length > 1 },
        scales: { x: { time: false, range: [-0.6, names.length - 0.4] } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            values: (_plot, at) => at.map((index) => names[index] ?? ""),
            space: 64,
          },
          {
            ...axis,
            size: 56,
            values: (_plot, at) => at.map((value) => (format ?? number)(value)),
          },
        ],
        series: [
          { value: (_plot, index) => names[index ?? -1] ?? "" },
          ...series.map(({ label, color, look }) => ({
            label,
            stroke: tokenColor(color),
            width: 1.5,
            points: { show: false },
            ...(look === "bars" && bars ? { fill: tokenColor(color), paths: bars } : {}),
            value: (_plot: uPlot, value: number | null) =>
              value === null ? "–" : (format ?? number)(value),
          })),
        ],
      },
      [names.map((_, index) => index), ...series.map(({ values }) => [...values])],
      element,
    );
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [names, series, format, number, dark]);

  return <div ref={holder} className="plot" role="img" aria-label={props.label} />;
}
