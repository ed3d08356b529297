// Playing: one at a time. Space goes through the three, a number picks one.

export class Sounds {
  constructor() {
    this.cards = [];
    this.last = -1;
  }

  use(cards) {
    this.stop();
    this.cards = cards;
    this.last = -1;
    cards.forEach((card, place) => {
      if (!card.player) return;
      const mark = () => {
        const playing = !card.player.paused;
        card.element.classList.toggle("playing", playing && card.button !== null);
        if (card.button) {
          card.button.textContent = `${playing ? "❚❚" : "▶"} ${place + 1}`;
          card.button.setAttribute("aria-pressed", String(playing));
        }
      };
      for (const event of ["play", "pause", "ended"]) card.player.addEventListener(event, mark);
      card.button?.addEventListener("click", (event) => {
        event.stopPropagation();
        this.toggle(place);
      });
    });
  }

  toggle(place) {
    const player = this.cards[place]?.player;
    if (!player) return;
    const pausing = !player.paused;
    this.stop();
    this.last = place;
    if (!pausing) player.play().catch(() => {});
  }

  // Pauses what plays; otherwise goes on with a paused one, or plays the next of the three.
  space() {
    const playing = this.cards.findIndex((card) => card.player && !card.player.paused);
    if (playing >= 0) return this.cards[playing].player.pause();
    const last = this.cards[this.last]?.player;
    const unfinished = last && last.currentTime > 0 && !last.ended;
    return this.toggle(unfinished ? this.last : (this.last + 1) % Math.max(1, this.cards.length));
  }

  stop() {
    for (const { player } of this.cards) player?.pause();
  }
}
