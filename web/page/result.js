// What a trained model gets right and wrong on the test rows.
import { count, element, make, percent, show, whole, write } from "./dom.js";

const MATRIX = 30; // the most classes of a matrix
const DENSE = 12; // classes above which its cells are small
const PAIRS = 15;

export function showResult(result) {
  const { test, heldOut, guess } = result;
  const figures = [];
  if (test) {
    figures.push([`Errors in ${count(test.rows, "test row")}`, whole(test.errors)], ["Test error rate", percent(test.errors / test.rows)],
      ["Test log loss", test.logLoss.toFixed(3)], ["Error rate of always guessing the largest class", percent(guess / test.rows)]);
  } else if (heldOut) {
    figures.push([`Errors in ${count(heldOut.rows, "row")} that training held out`, whole(heldOut.errors)],
      ["Held-out error rate", percent(heldOut.errors / heldOut.rows)], ["Held-out log loss", heldOut.logLoss.toFixed(3)]);
  }
  figures.push(["Trees", whole(result.trees)], ["Seconds", result.seconds.toFixed(1)]);
  element("figures").replaceChildren(...figures.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  write("result-title", test ? "Test" : "Result");
  element("confusion").replaceChildren(...(test ? confusions(result) : []));
  write("commands", result.commands.join("\n"));
  write("copied", "");
  show("result");
}

function confusions({ classes, confusion }) {
  const wrong = confusion.filter((c) => c.class !== c.predicted).sort((a, b) => b.rows - a.rows || a.class - b.class || a.predicted - b.predicted);
  const heading = make("h3", {}, "Confusions");
  if (classes.length <= MATRIX) return [heading, ...matrix(classes, confusion)];
  if (!wrong.length) return [heading, make("p", {}, "None.")];
  return [heading, make("table", {}, make("caption", {}, "The classes that are confused most often"),
    make("thead", {}, make("tr", {}, ...["Class", "Predicted", "Test rows"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...wrong.slice(0, PAIRS).map((c) => make("tr", {}, make("th", { scope: "row" }, classes[c.class]),
      make("td", {}, classes[c.predicted]), make("td", {}, whole(c.rows))))))];
}

// matrix is the confusion matrix. The shade of a cell is its share of the rows of the class.
function matrix(classes, confusion) {
  const rows = classes.map(() => new Array(classes.length).fill(0));
  for (const c of confusion) rows[c.class][c.predicted] = c.rows;
  const body = rows.map((row, k) => {
    const all = row.reduce((a, b) => a + b, 0);
    return make("tr", {}, make("th", { scope: "row" }, classes[k]), ...row.map((n, predicted) => {
      const cell = make("td", predicted === k ? { className: "right" } : {}, n ? whole(n) : "");
      cell.style.setProperty("--share", `${n ? 8 + (32 * n) / all : 0}%`);
      return cell;
    }));
  });
  const caption = make("p", { id: "matrix-caption", className: "soft" }, "Test rows by their class (rows) and the class predicted (columns). An empty cell is 0.");
  const table = make("table", { className: classes.length > DENSE ? "matrix dense" : "matrix", "aria-labelledby": "matrix-caption" },
    make("thead", {}, make("tr", {}, make("td"), ...classes.map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, ...body));
  return [caption, make("div", { className: "scroll", role: "region", tabIndex: 0, "aria-labelledby": "matrix-caption" }, table)];
}
