// The question page: shows a question, takes the answer, and has the next one's media loaded before it comes.

import { Refused, get, post } from "./api.js";
import { card } from "./card.js";
import { $, make } from "./dom.js";
import { listen } from "./keys.js";
import { Sounds } from "./sound.js";

const GUARD = 200; // ms in which a second press is taken for the first one's echo
const sounds = new Sounds();
const loadedAhead = new Map();
let standing = null;
let open = null; // { key, since, broken } once all three have loaded
let cards = {};
let busy = true;
let shownAt = 0;

function notice(text, bad = false) {
  const element = $("notice");
  element.hidden = !text;
  element.textContent = text ?? "";
  element.classList.toggle("bad", bad);
}

function trouble(error) {
  if (!error) return notice("");
  const why = error instanceof Refused ? error.message : "the server does not answer";
  return notice(`Not saved yet (${why}). Trying again; please keep this page open.`, true);
}

// By ARIA alone: a button that is disabled in earnest loses the focus, with every answer.
function allow(id, allowed) {
  $(id).setAttribute("aria-disabled", String(!allowed));
}

function enable() {
  const ready = open !== null && !busy;
  for (const id of ["answer-left", "answer-right", "dk"]) allow(id, ready && !open.broken);
  allow("skip", ready);
  allow("undo", !busy && Boolean(standing?.undoable));
  for (const side of ["left", "right"]) cards[side]?.element.classList.toggle("ready", ready && !open.broken);
}

function describe(item, place) {
  return item.kind === "text" ? `${place}: ${item.text ?? item.id}` : `${place}, ${item.kind} ${item.id}`;
}

async function show(next, said = "") {
  standing = next;
  const { question, answered, total, practice } = next;
  if (!question) {
    location.assign("/closing");
    return;
  }
  open = null;
  busy = false;
  shownAt = performance.now();
  $("progress").max = practice ? practice.of : total;
  $("progress").value = practice ? practice.number - 1 : answered;
  $("count").textContent = practice ? `${practice.number} of ${practice.of}` : `${Math.min(answered + 1, total)} of ${total}`;
  $("badge").hidden = !practice;
  $("badge").textContent = "Practice";
  cards = {
    head: card(question.head, "the one on top", "1"),
    left: card(question.left, "the left one", "2"),
    right: card(question.right, "the right one", "3"),
  };
  for (const [place, made] of Object.entries(cards)) $(place).replaceChildren(made.element);
  for (const side of ["left", "right"]) {
    cards[side].element.addEventListener("click", (event) => {
      if (!getSelection().toString() && !event.target.closest("button")) answer(side);
    });
  }
  sounds.use(Object.values(cards));
  enable();
  const failures = (await Promise.all(Object.values(cards).map((made) => made.done))).filter(Boolean);
  if (standing !== next) return;
  open = { key: question.key, since: performance.now(), broken: failures.length > 0 };
  document.body.dataset.ready = question.key;
  if (failures.length) notice("Something here could not be loaded. Please skip this question.", true);
  else if (said) notice(said);
  const position = practice ? `Practice question ${practice.number} of ${practice.of}` : `Question ${answered + 1} of ${total}`;
  $("live").textContent =
    `${said} ${position}. ${describe(question.head, "On top")}. ${describe(question.left, "Left")}. ${describe(question.right, "Right")}.`;
  enable();
  lookAhead(question.key);
}

async function answer(choice) {
  if (!open || busy || (open.broken && choice !== "skip")) return;
  const elapsed = performance.now() - open.since;
  if (elapsed < GUARD) return;
  busy = true;
  enable();
  cards[choice]?.element.classList.add("chosen");
  await send("/api/answers", { key: open.key, choice, response_ms: Math.round(elapsed) }, ({ right }) => {
    if (right === null || choice === "skip") return "";
    if (right) return "That is the one most people would choose.";
    return `Most people would choose ${choice === "dk" ? "one of the two" : "the other one"}. It is only practice.`;
  });
}

async function undo() {
  if (busy || !standing?.undoable || performance.now() - (open?.since ?? shownAt) < GUARD) return;
  busy = true;
  enable();
  await send("/api/undo", { key: standing.undoable }, (result) => (result.undone ? "Taken back." : ""));
}

async function send(path, body, say) {
  try {
    const result = await post(path, body, trouble);
    notice("");
    sounds.stop();
    await show(result.standing, say(result));
  } catch (error) {
    await recover(error);
  }
}

async function recover(error) {
  if (error.status === 401) return location.assign("/");
  notice(`${error.message}`, true);
  if (error.status === 403) return undefined; // the message asks for a reload
  return begin();
}

async function begin() {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const first = await get("/api/question");
      if (attempt) notice("");
      return show(first);
    } catch (error) {
      if (error.status === 401) return location.assign("/");
      notice(`The question could not be loaded (${error.message}). Trying again …`, true);
      await new Promise((done) => setTimeout(done, Math.min(8000, 500 * 2 ** attempt)));
    }
  }
}

// The server works out what may come next while the person looks; asked a few times, as it gets further.
function lookAhead(key) {
  for (const delay of [150, 900, 2500, 6000]) {
    setTimeout(async () => {
      if (open?.key !== key || busy) return;
      try {
        const { preload } = await get("/api/ahead");
        for (const address of preload) {
          if (loadedAhead.has(address)) continue;
          const isPicture = address.startsWith("/spectrograms/") || standing.question.head.kind === "image";
          loadedAhead.set(address, isPicture ? make("img", { src: address }) : make("audio", { preload: "auto", src: address }));
          if (loadedAhead.size > 60) loadedAhead.delete(loadedAhead.keys().next().value);
        }
      } catch {
        // Loading ahead is a courtesy; the question itself says what is wrong.
      }
    }, delay);
  }
}

function toggleKeys() {
  const dialog = $("key-dialog");
  if (dialog.open) dialog.close();
  else dialog.showModal();
}

$("answer-left").addEventListener("click", () => answer("left"));
$("answer-right").addEventListener("click", () => answer("right"));
$("dk").addEventListener("click", () => answer("dk"));
$("skip").addEventListener("click", () => answer("skip"));
$("undo").addEventListener("click", undo);
$("keys").addEventListener("click", toggleKeys);
listen({
  left: () => answer("left"),
  right: () => answer("right"),
  dk: () => answer("dk"),
  skip: () => answer("skip"),
  undo,
  space: () => sounds.space(),
  play1: () => sounds.toggle(0),
  play2: () => sounds.toggle(1),
  play3: () => sounds.toggle(2),
  keys: toggleKeys,
});
begin();
