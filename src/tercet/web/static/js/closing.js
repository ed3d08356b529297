// The closing page: the last answer can still be taken back, and more questions may have come.

import { get, post } from "./api.js";
import { $ } from "./dom.js";
import { listen } from "./keys.js";

const standing = await get("/api/question");
if (standing.question) location.replace("/questions");
$("count").textContent = `${standing.answered} questions answered.`;

async function undo() {
  if (!standing.undoable || $("undo").disabled) return;
  $("undo").disabled = true;
  await post("/api/undo", { key: standing.undoable }, (error) => {
    $("count").textContent = error ? `Not taken back yet (${error.message}). Trying again …` : "";
  });
  location.assign("/questions");
}

$("undo").disabled = !standing.undoable;
$("undo").addEventListener("click", undo);
listen({ undo });
