// One item on the question page: shows it, and says when it has loaded.

import { make } from "./dom.js";

const PATIENCE = 20000;

function loaded(element, good) {
  return new Promise((done, failed) => {
    const timer = setTimeout(() => failed(new Error("it takes too long to load")), PATIENCE);
    const settle = (how, value) => () => {
      clearTimeout(timer);
      how(value);
    };
    element.addEventListener(good, settle(done), { once: true });
    element.addEventListener("error", settle(failed, new Error("it cannot be shown")), { once: true });
  });
}

function image(item, label) {
  const picture = make("img", { alt: label, draggable: false });
  const ready = loaded(picture, "load");
  picture.src = item.media;
  return { parts: [picture], ready };
}

function video(item, label) {
  const film = make("video", { muted: true, loop: true, playsInline: true, preload: "auto", "aria-label": label });
  const ready = loaded(film, "loadeddata");
  film.src = item.media;
  ready.then(() => film.play().catch(() => {}), () => {});
  return { parts: [film], ready, player: film };
}

function sound(item, label, name) {
  const picture = make("img", { alt: `Spectrogram of ${label}`, className: "sound-picture", draggable: false });
  const audio = make("audio", { preload: "auto" });
  const button = make("button", { type: "button", className: "play", "aria-label": `Play ${label}` }, `▶ ${name}`);
  const bar = make("i");
  audio.addEventListener("timeupdate", () => {
    bar.style.transform = `scaleX(${audio.duration ? audio.currentTime / audio.duration : 0})`;
  });
  const ready = Promise.all([loaded(picture, "load"), loaded(audio, "loadeddata")]);
  picture.src = item.spectrogram;
  audio.src = item.media;
  audio.load();
  const row = make("div", { className: "player" }, button, make("div", { className: "playhead" }, bar), audio);
  return { parts: [picture, row], ready, player: audio, button };
}

function text(item) {
  if (item.text === null) return { parts: [], ready: Promise.reject(new Error("it cannot be read")) };
  return { parts: [make("div", { className: "text", tabIndex: 0 }, item.text)], ready: Promise.resolve() };
}

// `label` is what a screen reader says; `name` stands on the play button.
export function card(item, label, name) {
  const kinds = { image, video, audio: sound, text };
  const { parts, ready, player = null, button = null } = kinds[item.kind](item, label, name);
  const element = make("figure", { className: "card loading" }, ...parts);
  const done = ready.then(
    () => {
      element.classList.remove("loading");
      return null;
    },
    (error) => {
      element.classList.remove("loading");
      element.replaceChildren(make("p", { className: "broken" }, `${item.id}: ${error.message}.`));
      return error;
    },
  );
  return { item, element, player, button, done };
}
