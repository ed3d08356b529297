// The results page: asks every second what is new, and shows it.

import { get } from "./api.js";
import { Browser } from "./browse.js";
import { Chart } from "./charts.js";
import { $, make, percent, seconds } from "./dom.js";
import { HoverCard } from "./hover.js";
import { Picture } from "./picture.js";

const EVERY = 1000;
let seen = -1;
let version = "";
let failures = 0;

const hover = new HoverCard($("hover"));
const picture = new Picture($("picture"), {
  onHover: (index, spot, cluster) => hover.show(index, spot, cluster, $("picture")).catch(() => {}),
  onChoose: (index) => browser.item(index),
});
const browser = new Browser((index) => picture.chooseItem(index));
const curve = new Chart($("curve"), {
  series: [{ label: "This answer", points: true }, { label: "Mean of the last 20" }],
  range: () => [0, 1],
  unit: "",
});
const times = new Chart($("times"), {
  series: [{ label: "Seconds", points: true }],
  range: (_, __, high) => [0, Math.max(1, high * 1.1)],
  unit: " s",
});

function tiles(news) {
  $("answered").textContent = news.answered.toLocaleString();
  $("decided").textContent = `${news.decided} decided, ${news.skipped} skipped`;
  $("dont-know").textContent = news.answered ? percent(news.dont_know / news.answered) : "–";
  $("skipped").textContent = `${news.dont_know} of ${news.answered} answers`;
  $("agreement").textContent = news.agreement === null ? "–" : percent(news.agreement);
  $("median").textContent = news.median_ms === null ? "–" : seconds(news.median_ms);
  expected(news.expected);
  $("planned").textContent = `Planned: ${news.answered} of ${news.planned}`;
  $("problem").hidden = !news.problem;
  $("problem").textContent = news.problem ? `The model could not learn from the newest answers: ${news.problem}` : "";
}

// What the model expects of further questions. It may be wrong, and says so where it cannot say.
function expected(outlook) {
  if (!outlook) {
    $("own").textContent = $("left").textContent = "–";
    $("own-hint").textContent = $("left-hint").textContent = "too early to say; about ten answers are needed";
    return;
  }
  const { accuracy, gain, target, left } = outlook;
  $("own").textContent = percent(accuracy);
  const points = gain < 1e-4 ? "less than 0.01" : `about ${Number((100 * gain).toPrecision(1))}`;
  const more = gain > 0 ? `the next answer adds ${points} points` : "no progress with the last answers";
  $("own-hint").textContent = `of random questions right, the model expects; ${more}`;
  $("left").textContent = left === null ? "–" : `≈ ${left.toLocaleString()}`;
  if (left === 0) $("left-hint").textContent = `to ${percent(target)} by its own estimate: it is there`;
  else if (left !== null) $("left-hint").textContent = `to ${percent(target)} by its own estimate`;
  else $("left-hint").textContent = `too far to say when it gets to ${percent(target)}`;
}

function people(annotators) {
  const share = (right, all) => (all ? `${right} of ${all}` : "–");
  const rows = annotators.map((person) => {
    const cell = (text, warn = false) => make("td", { className: warn ? "warn" : "" }, `${text}`);
    return make(
      "tr", {}, make("td", {}, person.name), cell(person.answered),
      cell(person.answered ? percent(person.dont_know / person.answered) : "–"), cell(person.skipped),
      cell(share(person.practice_right, person.practice), person.practice_right < person.practice / 2),
      cell(share(person.catch_right, person.catch), person.catch_right < 0.8 * person.catch),
      cell(person.median_ms === null ? "–" : seconds(person.median_ms)),
      cell(person.hasty, person.hasty > 0.2 * person.answered),
      cell(person.left_share === null ? "–" : percent(person.left_share), person.answered >= 20 && Math.abs(person.left_share - 0.5) > 0.3),
    );
  });
  $("people").replaceChildren(...rows);
}

function weights(list) {
  const most = list[0]?.share || 1;
  $("weights").replaceChildren(
    ...list.filter(({ share }) => share > 0).map(({ name, share }) =>
      make("li", {}, make("span", { className: "name", title: name }, name),
        make("meter", { min: 0, max: most, value: share, "aria-label": name }),
        make("span", { className: "share" }, `${(100 * share).toFixed(1)}%`)),
    ),
  );
}

function space(data, total) {
  const first = !version;
  version = data.version;
  picture.update(data);
  browser.clusters(data.sizes);
  weights(data.weights);
  const some = data.items.length < total ? `A random sample of ${data.items.length.toLocaleString()} of ${total.toLocaleString()} items` : `All ${total.toLocaleString()} items`;
  $("picture-hint").textContent =
    `${some}, on the two widest directions of the learned space (${percent(data.explained)} of its variance). Drag to move, scroll to zoom; colours are clusters.`;
  if (first) loadAtlas(data.items[0]);
}

// One picture with all thumbnails; texts have none and stay dots.
async function loadAtlas(anItem) {
  const { thumbnail } = await get(`/api/items/${anItem}`);
  if (!thumbnail) return;
  const sheet = make("img");
  sheet.addEventListener("load", () => picture.useAtlas(sheet));
  sheet.src = `/atlas${new URL(thumbnail, location).search}`;
}

async function refresh() {
  try {
    const news = await get(`/api/results?seen=${seen}&picture=${version}`);
    failures = 0;
    tiles(news);
    if (news.curve) {
      people(news.annotators);
      const numbers = (points) => points.map((_, i) => i + 1);
      curve.update([numbers(news.curve), news.curve.map((p) => p.probability), news.curve.map((p) => p.running)]);
      times.update([numbers(news.times), news.times.map(([, ms]) => ms / 1000)]);
    }
    seen = news.revision;
    if (news.picture) space(news.picture, news.n_items);
    $("status").textContent = news.learning ? "Live; the model is learning …" : "Live; up to date";
  } catch (error) {
    if (error.status === 401) return location.assign("/login");
    failures += 1;
    $("status").textContent = `No news (${error.message}); trying again …`;
  }
  setTimeout(refresh, document.hidden ? 5 * EVERY : Math.min(8, 2 ** failures) * EVERY);
  return undefined;
}

document.addEventListener("visibilitychange", () => document.hidden || (failures = 0));
$("zoom-in").addEventListener("click", () => picture.zoomBy(1.4));
$("zoom-out").addEventListener("click", () => picture.zoomBy(1 / 1.4));
$("zoom-reset").addEventListener("click", () => picture.reset());
refresh();
