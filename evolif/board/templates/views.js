// What the views are made of: a model, two models, a column. Foreign text enters as text, never as markup.
"use strict";
const views = (() => {
  const board = JSON.parse(document.getElementById("data").textContent);
  const columns = new Map(board.columns.map((column) => [column.id, column]));
  const cells = new Map(board.cells.map((cell) => [JSON.stringify([cell.row, cell.column]), cell]));
  const cellOf = (row, column) => cells.get(JSON.stringify([row, column]));
  const infoOf = (column) => column.metrics.find((metric) => metric.name === column.metric);

  // --- elements ---------------------------------------------------------------------------------------------------

  const SVG = "http://www.w3.org/2000/svg";
  const fill = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== null && child !== ""));
    return element;
  };
  const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  const link = (hash, ...children) => el("a", { href: hash }, ...children);
  const toModel = (row) => link(`#model=${encodeURIComponent(row)}`, row);
  const pairHash = (a, b) => `#compare=${encodeURIComponent(a)}&${encodeURIComponent(b)}`;
  const table = (heads, rows, label) =>
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
      el("table", {},
        el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
        el("tbody", {}, ...rows.map(([first, ...others]) =>
          el("tr", {}, el("th", { scope: "row" }, first), ...others.map((cell) => el("td", { class: "number" }, cell)))))));
  const facts = (pairs) =>
    el("dl", { class: "facts" },
      ...pairs.filter(([, value]) => value).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
  const back = () => el("p", { class: "back" }, link("#", "← All models"));

  // --- words ------------------------------------------------------------------------------------------------------

  const plural = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : noun.endsWith("ch") ? "es" : "s"}`;
  const decimals = (shown) => (shown === 0 || shown >= 9.95 ? 0 : shown >= 0.995 ? 1 : 2);
  const rounded = (value, digits) => {
    // Halves go to the even number, as in the table, which is not made here.
    if (digits === 0 && Math.abs(value % 1) === 0.5) return String(2 * Math.round(value / 2));
    return value.toFixed(digits);
  };
  const text = (info, value) => {
    if (value === null) return "–";
    if (info.unit !== "rate") return rounded(value, 1);
    return rounded(100 * value, info.small ? decimals(Math.abs(100 * value)) : 0);
  };
  const signed = (info, value) => {
    if (value === null) return "–";
    const size = info.unit === "rate" ? 100 * value : value;
    const digits = info.small ? Math.max(1, decimals(Math.abs(size))) : 1;
    const shown = size.toFixed(digits);
    if (!/[1-9]/.test(shown)) return shown.replace("-", "");
    return size > 0 ? `+${shown}` : shown.replace("-", "−");
  };
  const ends = (figure, show) => (figure.low === null || figure.high === null ? "" : `${show(figure.low)}–${show(figure.high)}`);
  const between = (figure, show) => {
    const told = figure.low === null || figure.high === null ? "" : `[${show(figure.low)}, ${show(figure.high)}]`;
    return told ? el("span", { class: "ci" }, ` ${told}`) : "";
  };
  const labelOf = (info) => (info.unit === "rate" ? `${info.label}\u00a0%` : info.label);
  const titleOf = (info) => (info.plain ? `${info.plain} (${labelOf(info)})` : labelOf(info));
  const headOf = (column) => [column.scenario, column.profile, ...column.differs].filter(Boolean).join(" · ");
  const chance = (p) => (p === null ? "–" : p < 0.001 ? "<.001" : p.toFixed(3).replace(/^0/, ""));
  const isReference = (cell) => cell.marks.some((mark) => mark.kind === "reference");
  const places = ({ rank }) => (!rank ? "none" : rank.low === rank.high ? `${rank.low}` : `${rank.low}–${rank.high}`);
  const rankOf = (cell) => (cell.rank ? `rank ${places(cell)}` : "no rank");
  const money = (cost) => {
    if (cost.usd === null) return cost.unknown_calls ? "usage unknown" : "price unknown";
    return cost.usd >= 1 || cost.usd === 0 ? `$${cost.usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}` : `$${cost.usd.toFixed(4)}`;
  };
  const dateOf = (play) => `${play.date.slice(0, 10)}${play.date_of === "file" ? " (date of the file)" : ""}`;

  // --- pairs ------------------------------------------------------------------------------------------------------

  const pairsOf = (a, b) =>
    board.pairs
      .filter((pair) => (pair.a === a && pair.b === b) || (pair.a === b && pair.b === a))
      .map((pair) => (pair.a === a ? pair : turned(pair)));
  const minus = (value) => (value === null ? null : -value);
  const turned = (pair) => ({
    ...pair, a: pair.b, b: pair.a,
    difference: { value: minus(pair.difference.value), low: minus(pair.difference.high), high: minus(pair.difference.low) },
  });
  const verdict = (pair) => {
    if (pair.told_apart) return el("span", { class: "told" }, "told apart");
    if (pair.p_holm === null && pair.p !== null) return "not ranked";
    return pair.p === null ? "too few to tell" : "not told apart";
  };
  const needed = (pair, column) => (pair.needed === null ? "–" : plural(pair.needed, column.unit));

  // --- charts -----------------------------------------------------------------------------------------------------

  const HIGH = 260, LEFT = 46, TOP = 14, BOTTOM = 32;

  // Lines of a figure over dates. A series is { name, points: [{ date, figure, other }] }; other instances are hollow.
  const chart = (info, series, label, WIDE) => {
    const RIGHT = series.length > 1 ? 150 : 16;
    const points = series.flatMap((one) => one.points);
    const times = points.map((point) => Date.parse(point.date));
    const values = points.flatMap(({ figure }) => [figure.value, figure.low, figure.high]).filter((value) => value !== null);
    const full = info.unit === "rate" && !info.small;
    const low = Math.min(0, ...values), high = full ? 1 : Math.max(...values) || 1;
    const first = Math.min(...times), last = Math.max(...times);
    const x = (point) => (last === first ? LEFT + 20 : LEFT + 10 + ((WIDE - RIGHT - LEFT - 20) * (Date.parse(point.date) - first)) / (last - first));
    const y = (value) => HIGH - BOTTOM - ((HIGH - BOTTOM - TOP) * (value - low)) / (high - low);
    const picture = draw("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label });
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      const value = low + share * (high - low);
      picture.append(
        draw("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y(value), y2: y(value) }),
        draw("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, text(info, value)));
    }
    const ordered = [...points].sort((a, b) => (a.date < b.date ? -1 : 1));
    const outer = [ordered[0], ordered[ordered.length - 1]];
    const days = outer[0].date.slice(0, 10) === outer[1].date.slice(0, 10) ? outer.slice(0, 1) : outer;
    days.forEach((point, place) =>
      picture.append(draw("text", { x: x(point), y: HIGH - 10, "text-anchor": place ? "end" : "start" }, point.date.slice(0, 10))));
    const names = [];
    series.forEach((one, number) => {
      const colour = `c${number % 8}`;
      const drawn = one.points.filter((point) => point.figure.value !== null);
      drawn.forEach((point, place) => {
        const before = drawn[place - 1];
        if (before) {
          const other = point.other || before.other ? " other" : "";
          picture.append(draw("path", { class: colour + other, d: `M${x(before)} ${y(before.figure.value)}L${x(point)} ${y(point.figure.value)}` }));
        }
        if (point.figure.low !== null) picture.append(draw("line", { class: `end ${colour}`, x1: x(point), x2: x(point), y1: y(point.figure.low), y2: y(point.figure.high) }));
      });
      for (const point of drawn) {
        picture.append(draw("circle", { class: colour + (point.other ? " other" : ""), cx: x(point), cy: y(point.figure.value), r: 4 },
          draw("title", {}, `${one.name}, ${point.date.slice(0, 10)}: ${text(info, point.figure.value)}`)));
      }
      const end = drawn[drawn.length - 1];
      if (end && series.length > 1) names.push({ name: one.name, colour, y: y(end.figure.value) });
    });
    names.sort((a, b) => a.y - b.y);
    names.forEach((one, place) => { if (place) one.y = Math.max(one.y, names[place - 1].y + 15); });
    for (const { name, colour, y: at } of names) {
      picture.append(
        draw("line", { class: colour, x1: WIDE - RIGHT + 6, x2: WIDE - RIGHT + 18, y1: at, y2: at, "stroke-width": 3 }),
        draw("text", { class: "name", x: WIDE - RIGHT + 22, y: at + 4 }, name.length > 19 ? `${name.slice(0, 18)}…` : name));
    }
    return picture;
  };

  // The evaluations of a model in a column and in other instances of its recipe, the oldest first.
  const playsOf = (row, column) => {
    const found = [];
    for (const id of [column.id, ...column.instances]) {
      const cell = cellOf(row, id);
      if (cell) found.push(...[...cell.earlier, cell.newest].map((play) => ({ ...play, column: id, other: id !== column.id })));
    }
    return found.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
  };

  const history = (column, rows, wide = 640) => {
    const series = rows.map((row) => ({ name: row, points: playsOf(row, column) })).filter((one) => one.points.length > 1);
    if (!series.length) return [];
    const info = infoOf(column);
    const mixed = series.some((one) => one.points.some((point) => point.other));
    const label = `${labelOf(info)} over time: ${series.map((one) => one.name).join(", ")}`;
    const listed = series.flatMap((one) => one.points.map((point) => [
      one.name, dateOf(point), `${text(info, point.figure.value)} ${ends(point.figure, (value) => text(info, value))}`, point.run,
      point.other ? "another instance" : ""]));
    return [
      el("h3", {}, "History"),
      chart(info, series.slice(0, 8), label, wide),
      el("p", { class: "meta" }, `${labelOf(info)} with 95 % intervals, by the date on which answers were last asked for.`
        + (mixed ? " Hollow points and dashed lines: another instance, made by the same recipe with another seed. Its dialogues are others, so part of a step may come from them, and the two are in no ranking together." : "")
        + (series.length > 8 ? " The chart shows the first eight models; the table shows all." : "")),
      el("details", {}, el("summary", {}, "The same as a table"), table(["Model", "Date", labelOf(info), "Run", ""], listed, "History")),
    ];
  };

  // --- a model ----------------------------------------------------------------------------------------------------

  const marksOf = (cell) => cell.marks.map((mark) => el("p", { class: "warning" }, mark.text));

  const against = (row, column) => {
    const info = infoOf(column);
    const own = board.rows.map((other) => pairsOf(row, other.name).find((pair) => pair.column === column.id)).filter(Boolean);
    if (!own.length) return "";
    own.sort((a, b) => a.difference.value - b.difference.value);
    return el("details", {}, el("summary", {}, `Against ${plural(own.length, "other model")}`),
      table(["Against", "Difference", "", "p, corrected"], own.map((pair) => [
        link(pairHash(row, pair.b), pair.b), el("span", {}, signed(info, pair.difference.value), between(pair.difference, (value) => signed(info, value))),
        verdict(pair), chance(pair.p_holm)]), `${row} against others in ${headOf(column)}`));
  };

  const columnOfModel = (row, column, cell) => {
    const info = infoOf(column);
    const metrics = column.metrics.filter((metric) => cell.metrics[metric.name]).map((metric) => {
      const figure = cell.metrics[metric.name];
      return [el("span", {}, titleOf(metric), metric.meaning ? el("span", { class: "meaning" }, metric.meaning) : ""),
        text(metric, figure.value), ends(figure, (value) => text(metric, value))];
    });
    const tokens = cell.cost.prompt_tokens + cell.cost.completion_tokens;
    return el("section", { class: "card", "aria-label": headOf(column) },
      el("h3", {}, link(`#column=${column.id}`, headOf(column))),
      el("p", {}, el("span", { class: "big" }, text(info, cell.newest.figure.value)), ` ${titleOf(info)} `,
        between(cell.newest.figure, (value) => text(info, value)), ` · ${rankOf(cell)}`,
        cell.letters ? " · " : "", cell.letters ? el("span", { class: "letters" }, cell.letters) : ""),
      ...marksOf(cell),
      el("div", { class: "columns" },
        el("div", {}, table(["Metric", "Value", "95 %"], metrics, `Metrics in ${headOf(column)}`)),
        el("div", {}, facts([
          ["Run", cell.newest.run],
          ["Date", dateOf(cell.newest)],
          ["Played", `${plural(cell.newest.dialogues, "dialogue")}, ${plural(cell.sessions, "session")}, ${plural(cell.turns, "turn")}`],
          ["Own calls", `${plural(cell.cost.calls, "call")}, ${plural(tokens, "token")}`],
          ["Cost", money(cell.cost)],
          ["Settings", column.settings],
        ]), el("p", { class: "meta" }, "The full report of this run, where its folder is:"), el("pre", {}, cell.command),
        against(row, column), ...history(column, [row], 420))));
  };

  const model = (row) => {
    const own = board.columns.map((column) => [column, cellOf(row, column.id)]).filter(([, cell]) => cell);
    if (!own.length) return null;
    return { title: row, parts: [back(), el("h2", {}, row), ...own.map(([column, cell]) => columnOfModel(row, column, cell))] };
  };

  // --- two models -------------------------------------------------------------------------------------------------

  const forest = (pairs) => {
    const reach = Math.max(...pairs.flatMap(({ difference: d }) => [d.value, d.low, d.high]).filter((v) => v !== null).map(Math.abs), 1e-9);
    const x = (value) => 160 + (150 * value) / reach;
    return (one) => {
      const picture = draw("svg", { class: "chart forest", viewBox: "0 0 320 20", "aria-hidden": "true" },
        draw("line", { class: "zero", x1: 160, x2: 160, y1: 0, y2: 20 }));
      const { value, low, high } = one.difference;
      if (low !== null) picture.append(draw("line", { class: "c0", x1: x(low), x2: x(high), y1: 10, y2: 10, "stroke-width": 3 }));
      if (value !== null) picture.append(draw("circle", { class: "c0", cx: x(value), cy: 10, r: 5 }));
      return picture;
    };
  };

  const comparison = (pair, pairs) => {
    const column = columns.get(pair.column);
    const info = infoOf(column);
    const unit = (one) => infoOf(columns.get(one.column)).unit;
    const [one, other] = [cellOf(pair.a, column.id), cellOf(pair.b, column.id)];
    const side = (cell) => el("span", {}, text(info, cell.newest.figure.value), between(cell.newest.figure, (value) => text(info, value)));
    const safe = /^transcripts\/(?:[\w-][\w.-]*\/)*[\w-][\w.-]*(?:#[\w./:-]*)?$/.test(pair.transcripts);
    return el("section", { class: "card", "aria-label": headOf(column) },
      el("h3", {}, link(`#column=${column.id}`, headOf(column))),
      el("p", {}, el("span", { class: "big" }, signed(info, pair.difference.value)),
        ` ${info.unit === "rate" ? "points of " : ""}${titleOf(info)}`, between(pair.difference, (value) => signed(info, value)), " · ", verdict(pair)),
      forest(pairs.filter((other) => unit(other) === info.unit))(pair),
      facts([
        [pair.a, side(one)],
        [pair.b, side(other)],
        ["p", `${chance(pair.p)}${pair.p_holm === null ? "" : `, corrected over all pairs ${chance(pair.p_holm)}`}`],
        ["Compared on", `the ${plural(pair.dialogues, "dialogue")} that both have`],
        ["To tell them apart", pair.needed === null ? "unknown" : `about ${needed(pair, column)}, if the difference is as large as it looks`],
        ["Also different", pair.also.join("; ")],
        ["Turns and cost", `${plural(one.turns, "turn")}, ${money(one.cost)} and ${plural(other.turns, "turn")}, ${money(other.cost)}`],
      ]),
      ...[...new Set([...one.marks, ...other.marks].map((mark) => mark.text))].map((told) => el("p", { class: "warning" }, told)),
      safe ? el("p", {}, link(pair.transcripts, "Read the transcripts of both side by side")) : "",
      ...history(column, [pair.a, pair.b]));
  };

  const compare = (a, b) => {
    const known = new Set(board.rows.map((row) => row.name));
    if (!known.has(a) || !known.has(b) || a === b) return null;
    const pairs = pairsOf(a, b);
    const alone = board.columns.filter((column) => !pairs.some((pair) => pair.column === column.id) && (cellOf(a, column.id) || cellOf(b, column.id)));
    const parts = [back(), el("h2", {}, toModel(a), " against ", toModel(b)),
      el("p", { class: "lead" }, pairs.length
        ? "First minus second, dialogue by dialogue, within each column that both have."
        : "No column compares the two: they have none in common, or one of them knows the answers."),
      el("p", {}, link(pairHash(b, a), "The other way round"))];
    if (alone.length && pairs.length) parts.push(el("p", { class: "meta" }, `Not compared in: ${alone.map(headOf).join("; ")}.`));
    return { title: `${a} against ${b}`, parts: [...parts, ...pairs.map((pair) => comparison(pair, pairs))] };
  };

  // --- a column ---------------------------------------------------------------------------------------------------

  const column = (id) => {
    const own = columns.get(id);
    if (!own) return null;
    const info = infoOf(own);
    const sign = info.lower_is_better ? 1 : -1;
    const value = (cell) => (cell.newest.figure.value === null ? Infinity : sign * cell.newest.figure.value);
    const here = board.cells.filter((cell) => cell.column === id).sort((a, b) => isReference(a) - isReference(b) || !a.rank - !b.rank || value(a) - value(b));
    const rows = here.map((cell) => [
      el("span", {}, toModel(cell.row), isReference(cell) ? el("span", { class: "meaning" }, "knows the answers") : ""), places(cell), cell.letters ? el("span", { class: "letters" }, cell.letters) : "",
      el("span", {}, text(info, cell.newest.figure.value), between(cell.newest.figure, (v) => text(info, v))),
      `${plural(cell.turns, "turn")}, ${money(cell.cost)}`, dateOf(cell.newest), cell.newest.run]);
    const alike = new Set(own.instances);
    const instances = board.columns.filter((other) => alike.has(other.id));
    return {
      title: headOf(own),
      parts: [back(), el("h2", {}, headOf(own)),
        el("p", { class: "lead" }, own.settings),
        el("p", {}, `Ranked by ${titleOf(info)}${info.meaning ? `: ${info.meaning}` : ""}.`
          + (own.ranked_on ? ` Ranks and groups stand on the ${plural(own.ranked_on, "dialogue")} that all ranked models have.` : " One model alone has no rank.")),
        ...own.notes.slice(1).map((note) => el("p", { class: "warning" }, note)),
        table(["Model", "Rank", "Group", labelOf(info), "Turns and cost", "Date", "Run"], rows, "Models of the column"),
        ...here.flatMap((cell) => cell.marks.filter((mark) => mark.kind !== "reference").map((mark) => el("p", { class: "warning" }, mark.text)))
          .filter((one, place, all) => all.findIndex((other) => other.textContent === one.textContent) === place),
        ...history(own, here.map((cell) => cell.row)),
        instances.length ? el("h3", {}, "Other instances of the same recipe") : "",
        instances.length ? el("ul", {}, ...instances.map((other) => el("li", {}, link(`#column=${other.id}`, headOf(other))))) : "",
        el("h3", {}, "Runs"), el("p", {}, own.runs.join(", ")),
        el("p", { class: "meta" }, `Benchmark ${own.benchmark}.`)],
    };
  };

  return { board, model, compare, column, pairHash };
})();
