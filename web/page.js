// A page with one field for a command line.
"use strict";

(async () => {
  const answer = document.getElementById("answer");
  const form = document.getElementById("question");
  try {
    const engine = await skyAccel.start();
    form.querySelector("button").disabled = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const words = document.getElementById("line").value.trim().split(/\s+/);
      const { stdout, stderr } = engine.ask(words);
      answer.textContent = stdout + stderr;
    });
  } catch (error) {
    answer.textContent = error.message;
  }
})();
