// The learned space on a canvas: thumbnails with a frame in their cluster's colour. Its place, zoom and
// selection stay as new pictures come in, and over a reload.

import { colour, ink } from "./colours.js";

const TILE = 40;
const MOVE = 450; // ms in which items glide to their new places
const KEPT = "tercet-picture";
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Picture {
  constructor(canvas, { onHover, onChoose }) {
    this.canvas = canvas;
    this.onHover = onHover;
    this.onChoose = onChoose;
    this.data = null;
    this.atlas = null;
    this.from = null;
    this.started = 0;
    this.hovered = -1;
    this.chosen = -1;
    this.view = { zoom: 1, x: 0, y: 0, ...JSON.parse(sessionStorage.getItem(KEPT) ?? "{}") };
    this.pointers = new Map();
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    this.listen();
  }

  update(data) {
    const before = this.data;
    this.from = before && !still.matches ? this.places() : null;
    this.data = data;
    this.started = performance.now();
    this.now = this.places(); // for keys and pointers that come before the next frame
    this.view.reach ??= this.reach(); // once: the scale keeps its place
    this.draw();
  }

  useAtlas(image) {
    this.atlas = image;
    this.draw();
  }

  // How far from the middle a whole picture goes: to the farthest item, unless that is far from all others.
  reach() {
    const { x, y } = this.data;
    const away = x.map((value, i) => Math.hypot(value, y[i])).sort((a, b) => a - b);
    const most = 1.5 * away[Math.floor(0.99 * (away.length - 1))];
    return Math.min(away.at(-1), most) * 1.12 || 1;
  }

  // Where items are now, between the last picture and this one.
  places() {
    const { x, y } = this.data;
    const t = this.from ? Math.min(1, (performance.now() - this.started) / MOVE) : 1;
    if (t >= 1) this.from = null;
    if (!this.from) return { x, y };
    const ease = 1 - (1 - t) ** 3;
    const between = (now, before) => now.map((value, i) => before[i] + (value - before[i]) * ease);
    return { x: between(x, this.from.x), y: between(y, this.from.y) };
  }

  scale() {
    const { clientWidth, clientHeight } = this.canvas;
    return (Math.min(clientWidth, clientHeight) / 2 / (this.view.reach ?? 1)) * this.view.zoom;
  }

  toScreen(x, y) {
    const { clientWidth, clientHeight } = this.canvas;
    const scale = this.scale();
    return [clientWidth / 2 + (x - this.view.x) * scale, clientHeight / 2 - (y - this.view.y) * scale];
  }

  size() {
    const crowd = Math.sqrt(this.data.items.length / 150);
    const largest = this.atlas ? 64 : 22;
    const base = this.atlas ? 30 / Math.max(1, crowd * 0.75) : 11 / Math.max(1, crowd * 0.6);
    return Math.min(largest, base * this.view.zoom ** 0.7);
  }

  draw() {
    if (this.waiting || !this.data) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = null;
      this.paint();
      if (this.from) this.draw();
    });
  }

  paint() {
    const { canvas } = this;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const brush = canvas.getContext("2d");
    brush.setTransform(ratio, 0, 0, ratio, 0, 0);
    brush.clearRect(0, 0, width, height);
    this.now = this.places();
    const front = [this.chosen, this.hovered].filter((place) => place >= 0);
    for (let i = 0; i < this.data.items.length; i += 1) if (!front.includes(i)) this.paintItem(brush, i, 1);
    for (const i of front) this.paintItem(brush, i, 1.5);
  }

  paintItem(brush, i, grow) {
    const [x, y] = this.toScreen(this.now.x[i], this.now.y[i]);
    const size = this.size() * grow;
    if (x < -size || y < -size || x > this.canvas.clientWidth + size || y > this.canvas.clientHeight + size) return;
    brush.fillStyle = brush.strokeStyle = colour(this.data.clusters[i]);
    if (this.atlas) {
      const columns = Math.ceil(Math.sqrt(this.data.items.length));
      const border = grow > 1 ? 3 : 2;
      brush.fillRect(x - size / 2 - border, y - size / 2 - border, size + 2 * border, size + 2 * border);
      brush.fillStyle = "#fff";
      brush.fillRect(x - size / 2, y - size / 2, size, size);
      const [column, row] = [i % columns, Math.floor(i / columns)];
      brush.drawImage(this.atlas, column * TILE, row * TILE, TILE, TILE, x - size / 2, y - size / 2, size, size);
    } else {
      brush.beginPath();
      brush.arc(x, y, size / 2, 0, 2 * Math.PI);
      brush.fill();
    }
    if (i === this.chosen) {
      brush.strokeStyle = ink("--ink");
      brush.lineWidth = 2;
      brush.strokeRect(x - size / 2 - 4, y - size / 2 - 4, size + 8, size + 8);
    }
  }

  at(event) {
    if (!this.data || !this.now) return -1;
    const box = this.canvas.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let [best, nearest] = [-1, Math.max(10, this.size() * 0.8) ** 2];
    for (let i = 0; i < this.data.items.length; i += 1) {
      const [x, y] = this.toScreen(this.now.x[i], this.now.y[i]);
      const away = (x - px) ** 2 + (y - py) ** 2;
      if (away <= nearest) [best, nearest] = [i, away];
    }
    return best;
  }

  hover(place) {
    if (place === this.hovered) return;
    this.hovered = place;
    this.draw();
    const spot = place >= 0 ? this.toScreen(this.now.x[place], this.now.y[place]) : null;
    this.onHover(place >= 0 ? this.data.items[place] : null, spot, place >= 0 ? this.data.clusters[place] : null);
  }

  choose(place) {
    if (place < 0) return;
    this.chosen = place;
    this.draw();
    this.onChoose(this.data.items[place]);
  }

  chooseItem(item) {
    this.chosen = this.data ? this.data.items.indexOf(item) : -1;
    this.draw();
  }

  zoomBy(factor, px = this.canvas.clientWidth / 2, py = this.canvas.clientHeight / 2) {
    const before = this.scale();
    this.view.zoom = Math.min(40, Math.max(0.5, this.view.zoom * factor));
    const after = this.scale();
    const [dx, dy] = [px - this.canvas.clientWidth / 2, py - this.canvas.clientHeight / 2];
    this.view.x += dx / before - dx / after;
    this.view.y -= dy / before - dy / after;
    this.keep();
  }

  reset() {
    this.view = { zoom: 1, x: 0, y: 0, reach: this.data ? this.reach() : undefined };
    this.keep();
  }

  keep() {
    sessionStorage.setItem(KEPT, JSON.stringify(this.view));
    this.draw();
  }

  listen() {
    const { canvas, pointers } = this;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      this.zoomBy(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      this.moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return this.hover(this.at(event));
      const now = [event.clientX, event.clientY];
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const span = ([x, y]) => Math.hypot(x - other[0], y - other[1]);
        this.zoomBy(span(now) / Math.max(1, span(before)));
      } else {
        this.moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
        this.view.x -= (now[0] - before[0]) / this.scale();
        this.view.y += (now[1] - before[1]) / this.scale();
        if (this.moved > 4) canvas.classList.add("dragging");
      }
      pointers.set(event.pointerId, now);
      return this.keep();
    });
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => {
        pointers.delete(event.pointerId);
        canvas.classList.remove("dragging");
        if (name === "pointerup" && this.moved <= 4) this.choose(this.at(event));
      });
    }
    canvas.addEventListener("pointerleave", () => this.hover(-1));
    canvas.addEventListener("blur", () => this.hover(-1));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (event.key in steps && this.data) this.hover(this.next(...steps[event.key]));
    else if (event.key === "Enter" || event.key === " ") this.choose(this.hovered);
    else if (event.key === "+" || event.key === "=") this.zoomBy(1.3);
    else if (event.key === "-") this.zoomBy(1 / 1.3);
    else if (event.key === "0") this.reset();
    else if (event.key === "Escape") this.hover(-1);
    else return;
    event.preventDefault();
  }

  // The item that comes next in a direction: near, and not far to the side.
  next(dx, dy) {
    const { x, y } = this.now;
    const start = this.hovered >= 0 ? this.hovered : this.chosen;
    if (start < 0) return 0;
    let [best, least] = [start, Infinity];
    for (let i = 0; i < x.length; i += 1) {
      const [ax, ay] = [x[i] - x[start], y[i] - y[start]];
      const ahead = ax * dx + ay * dy;
      const cost = ahead + 3 * Math.abs(ax * dy - ay * dx);
      if (i !== start && ahead > 1e-9 && cost < least) [best, least] = [i, cost];
    }
    return best;
  }
}
