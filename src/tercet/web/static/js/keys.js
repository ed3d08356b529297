// Which key does what.

const KEYS = {
  ArrowLeft: "left", ArrowRight: "right", ArrowDown: "dk",
  s: "skip", u: "undo", Backspace: "undo", " ": "space", 1: "play1", 2: "play2", 3: "play3", "?": "keys",
};

export function listen(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches("input, textarea, select")) return;
    // A button takes Enter again and again while it is held down.
    if (event.repeat && event.key === "Enter") event.preventDefault();
    const name = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!name) return;
    if (document.querySelector("dialog[open]") && name !== "keys") return;
    // A button that has the focus keeps its Space, and a long text its arrow down as long as it can scroll.
    if (name === "space" && event.target.matches("button, a")) return;
    if (name === "dk" && event.target.matches(".text")) {
      const { scrollTop, clientHeight, scrollHeight } = event.target;
      if (scrollTop + clientHeight < scrollHeight - 1) return;
    }
    event.preventDefault();
    if (!event.repeat) actions[name]?.();
  });
}
