// The card beside the pointer: what an item is; sounds and videos play.

import { get } from "./api.js";
import { make } from "./dom.js";

export class HoverCard {
  constructor(element) {
    this.element = element;
    this.audio = new Audio();
    this.known = new Map();
    this.index = null;
  }

  async show(index, spot, cluster, canvas) {
    this.index = index;
    this.audio.pause();
    if (index === null) this.element.replaceChildren(); // a video would play on
    this.element.hidden = index === null;
    if (index === null) return;
    const item = this.known.get(index) ?? (await get(`/api/items/${index}`));
    this.known.set(index, item);
    if (this.index !== index) return;
    const parts = [];
    if (item.kind === "video") parts.push(make("video", { src: item.media, poster: item.thumbnail, muted: true, loop: true, autoplay: true, playsInline: true }));
    else if (item.thumbnail) parts.push(make("img", { src: item.spectrogram ?? item.thumbnail, alt: "" }));
    if (item.kind === "text" && item.text !== item.id) parts.push(make("p", {}, item.text ?? ""));
    parts.push(make("p", {}, make("strong", {}, item.id), ` · cluster ${cluster + 1}`));
    this.element.replaceChildren(...parts);
    const left = Math.min(canvas.offsetLeft + spot[0] + 18, canvas.offsetLeft + canvas.clientWidth - 210);
    this.element.style.left = `${Math.max(4, left)}px`;
    this.element.style.top = `${canvas.offsetTop + Math.max(0, Math.min(spot[1] + 18, canvas.clientHeight - 200))}px`;
    if (item.kind === "audio") {
      this.audio.src = item.media;
      this.audio.play().catch(() => {}); // browsers want a click on the page first
    }
  }
}
