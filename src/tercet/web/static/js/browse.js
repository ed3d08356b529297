// Clusters and nearest neighbours, as lists that a keyboard can go through.

import { get } from "./api.js";
import { swatch } from "./colours.js";
import { $, make } from "./dom.js";

const PAGE = 48;

export class Browser {
  constructor(onItem) {
    this.onItem = onItem;
    this.shown = null;
  }

  clusters(sizes) {
    const focused = document.activeElement?.dataset?.cluster;
    const filled = [...sizes.entries()].filter(([, size]) => size > 0);
    const buttons = filled.map(([cluster, size]) => {
      const button = make("button", { type: "button", "data-cluster": cluster }, swatch(cluster), `${cluster + 1}`, make("span", { className: "hint" }, `${size}`));
      button.setAttribute("aria-label", `Cluster ${cluster + 1}, ${size} items`);
      button.setAttribute("aria-pressed", String(this.shown?.cluster === cluster));
      button.addEventListener("click", () => this.cluster(cluster));
      return button;
    });
    $("clusters").replaceChildren(...buttons);
    buttons.find((button) => button.dataset.cluster === focused)?.focus();
  }

  async load(shown, path, show) {
    this.shown = shown;
    for (const button of $("clusters").children) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.cluster) === shown.cluster));
    }
    try {
      const result = await get(path);
      if (this.shown === shown) show(result);
    } catch (error) {
      if (this.shown === shown) $("browse").replaceChildren(make("p", { className: "notice bad" }, error.message));
    }
  }

  cluster(cluster) {
    return this.load({ cluster }, `/api/clusters/${cluster}?n=${PAGE}`, (page) => {
      const list = this.gallery(page.items.map((item) => ({ item })));
      const parts = [make("p", { className: "hint" }, `Cluster ${cluster + 1}: ${page.size} items, those in its middle first.`), list];
      if (page.items.length < page.size) parts.push(this.more(cluster, list, page));
      $("browse").replaceChildren(...parts);
    });
  }

  more(cluster, list, page) {
    let start = page.items.length;
    const button = make("button", { type: "button" }, "More");
    button.addEventListener("click", async () => {
      const next = await get(`/api/clusters/${cluster}?start=${start}&n=${PAGE}`);
      start += next.items.length;
      list.append(...next.items.map((item) => this.entry({ item })));
      if (start >= next.size || !next.items.length) button.remove();
    });
    return button;
  }

  item(index) {
    this.onItem(index);
    return this.load({ item: index }, `/api/items/${index}/neighbours`, ({ item, cluster, neighbours }) => {
      const name = make("div", { className: "name" }, make("strong", {}, item.id), make("p", { className: "hint" }, `Cluster ${cluster + 1}`));
      if (item.kind === "text") name.append(make("p", {}, item.text ?? ""));
      if (item.kind === "audio") name.append(make("audio", { controls: true, src: item.media, "aria-label": item.id }));
      if (item.kind === "video") name.append(make("video", { controls: true, muted: true, src: item.media, "aria-label": item.id }));
      const head = make("div", { className: "item-head" });
      if (item.thumbnail) head.append(make("img", { src: item.kind === "image" ? item.media : item.thumbnail, alt: item.id }));
      head.append(name);
      $("browse").replaceChildren(head, make("p", { className: "hint" }, "Nearest in the learned space, with their distance:"), this.gallery(neighbours));
    });
  }

  gallery(entries) {
    const texts = entries[0]?.item.kind === "text";
    return make("ul", { className: texts ? "gallery texts" : "gallery" }, ...entries.map((entry) => this.entry(entry)));
  }

  entry({ item, distance }) {
    const button = make("button", { type: "button", title: item.id, "aria-label": `${item.id}: show its neighbours` });
    if (item.thumbnail) button.append(make("img", { src: item.thumbnail, alt: "", loading: "lazy" }));
    else button.append(make("span", { className: "snippet" }, item.text ?? item.id));
    if (distance !== undefined) button.append(make("span", { className: "distance" }, distance.toPrecision(3)));
    button.addEventListener("click", () => this.item(item.index));
    return make("li", {}, button);
  }
}
