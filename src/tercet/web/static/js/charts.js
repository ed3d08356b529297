// Charts by uPlot, which is loaded before this module as a global.

import { ink } from "./colours.js";

const { uPlot } = window;

function dots(radius) {
  return (plot, seriesIndex, i0, i1) => {
    const { ctx } = plot;
    const size = radius * devicePixelRatio;
    ctx.save();
    ctx.fillStyle = plot.series[seriesIndex].stroke();
    ctx.globalAlpha = 0.55;
    for (let i = i0; i <= i1; i += 1) {
      const y = plot.data[seriesIndex][i];
      if (y === null) continue;
      ctx.beginPath();
      ctx.arc(plot.valToPos(plot.data[0][i], "x", true), plot.valToPos(y, "y", true), size, 0, 2 * Math.PI);
      ctx.fill();
    }
    ctx.restore();
  };
}

export class Chart {
  // `series`: [{ label, points }], where points draws dots and no line.
  constructor(host, { series, range, unit }) {
    this.host = host;
    this.options = { series, range, unit };
    this.plot = null;
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(host);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.build(this.data));
  }

  size() {
    return { width: Math.max(200, this.host.clientWidth), height: this.host.clientHeight };
  }

  build(data) {
    if (!data) return;
    this.plot?.destroy();
    const axis = {
      stroke: () => ink("--soft"),
      grid: { stroke: () => ink("--line"), width: 1 },
      ticks: { stroke: () => ink("--line"), width: 1 },
    };
    const { series, range, unit } = this.options;
    this.plot = new uPlot(
      {
        ...this.size(),
        legend: { show: false },
        cursor: { y: false },
        scales: { x: { time: false, range: (_, low, high) => [low, Math.max(high, low + 10)] }, y: { range } },
        axes: [axis, { ...axis, size: 52, values: (_, ticks) => ticks.map((tick) => `${tick}${unit}`) }],
        series: [
          {},
          ...series.map(({ label, points }) => ({
            label,
            stroke: () => ink(points ? "--soft" : "--accent"),
            width: 2.5,
            points: { show: false },
            ...(points ? { paths: () => null, points: { show: false } } : {}),
          })),
        ],
        hooks: { draw: series.flatMap(({ points }, i) => (points ? [(plot) => dots(2.5)(plot, i + 1, 0, plot.data[0].length - 1)] : [])) },
      },
      data,
      this.host,
    );
  }

  update(data) {
    this.data = data;
    if (this.plot) this.plot.setData(data);
    else this.build(data);
  }
}
