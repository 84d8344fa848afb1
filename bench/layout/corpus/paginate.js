// Runs in the browser: lays a planned document out on pages of A4, so that it is known which page each block begins on,
// and prints and pictures of a page show the same.
const [pageWidth, pageHeight, side, upper, lower] = [794, 1123, 76, 84, 1036];
const points = 96 / 72;

const make = (tag, className, text = '') => {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
};

globalThis.layOut = ({ style, running, sections }) => {
  const size = style.size * points;
  document.head.append(make('style', '', styleSheet(style, size)));
  const pages = [];
  let page;
  let cursor;

  const turn = () => {
    page = make('section', 'page');
    document.body.append(page);
    pages.push(page);
    if (running.header) page.append(make('div', 'running header', running.header));
    if (running.footer) page.append(make('div', 'running footer', running.footer));
    if (running.numbers) page.append(make('div', 'running number', String(pages.length)));
    page.append(make('div', 'footnotes'));
    cursor = upper;
  };
  const limit = () => {
    const notes = page.querySelector('.footnotes');
    return lower - (notes.childElementCount > 0 ? notes.offsetHeight + 12 : 0);
  };

  const openColumns = (count) => {
    const gap = 28;
    const width = (pageWidth - 2 * side - gap * (count - 1)) / count;
    return Array.from({ length: count }, (_, at) => {
      const column = make('div', 'column');
      column.style.cssText = `left:${side + at * (width + gap)}px;top:${cursor}px;width:${width}px`;
      page.append(column);
      return column;
    });
  };

  const low = (element) => element.getBoundingClientRect().bottom - page.getBoundingClientRect().top;

  /** Puts as many blocks as fit into a column, and returns the others. */
  const fill = (column, blocks, most) => {
    const rest = [...blocks];
    while (rest.length > 0) {
      const block = rest[0];
      const element = render(block, style);
      column.append(element);
      const note = block.footnote && !block.continued ? addFootnote(page, block) : undefined;
      if (low(element) <= most()) {
        rest.shift();
        continue;
      }
      const remainder = split(element, block, style, () => low(element) <= most());
      if (remainder) rest[0] = remainder;
      else {
        element.remove();
        note?.remove();
      }
      // Headings and captions stay with what follows them.
      while (
        column.childElementCount > 1 &&
        /^(heading|caption|picture)$/.test(column.lastElementChild.dataset.type)
      ) {
        const last = column.lastElementChild;
        rest.unshift(blocks.find((one) => one.id === Number(last.dataset.id)));
        last.remove();
      }
      return rest;
    }
    return rest;
  };

  const fillAll = (columns, blocks, most) =>
    columns.reduce((rest, column) => {
      column.replaceChildren();
      return rest.length > 0 ? fill(column, rest, most) : rest;
    }, blocks);

  turn();
  let id = 0;
  for (const section of sections) {
    let rest = section.blocks.map((block) => ({ ...block, id: id++ }));
    while (rest.length > 0) {
      if (cursor > limit() - 6 * size) turn();
      const columns = openColumns(section.columns);
      const left = fillAll(columns, rest, limit);
      if (left.length === 0) {
        if (section.columns > 1) balance(columns, rest, fillAll, cursor, limit());
        cursor =
          Math.max(...columns.map((column) => (column.lastElementChild ? low(column.lastElementChild) : 0))) +
          size;
      } else turn();
      rest = left;
    }
  }
  return report(pages);
};

/** Columns of the same height, as low as possible. */
function balance(columns, blocks, fillAll, from, to) {
  for (let most = from + 40; most <= to; most += 6)
    if (fillAll(columns, blocks, () => most).length === 0) return;
  fillAll(columns, blocks, () => to);
}

function addFootnote(page, { id, footnote }) {
  const note = make('div', 'footnote');
  note.dataset.note = id;
  note.append(make('sup', '', String(footnote.mark)), ` ${footnote.text}`);
  page.querySelector('.footnotes').append(note);
  return note;
}

function render(block, style) {
  const element = renderers[block.type](block, style);
  element.dataset.id = block.id;
  element.dataset.type = block.type;
  return element;
}

const renderers = {
  heading: ({ depth, text }) => make(`h${depth + 1}`, 'block', text),
  paragraph: (block, style) => {
    const element = make('p', `block${block.continued ? ' continued' : ''}`, softened(block.text, style));
    if (block.footnote) element.append(make('sup', '', String(block.footnote.mark)));
    return element;
  },
  item: ({ depth, marker, text }, style) => {
    const element = make('div', 'block item');
    element.style.paddingLeft = `${2.2 * (depth + 1)}em`;
    const sign = make('span', 'marker', marker);
    sign.style.left = `${2.2 * depth + 0.7}em`;
    element.append(sign, softened(text, style));
    return element;
  },
  caption: ({ text }) => make('div', 'block caption', text),
  code: ({ text }) => make('pre', 'block', text),
  picture: () => {
    const canvas = make('canvas', '');
    [canvas.width, canvas.height] = [480, 200];
    const context = canvas.getContext('2d');
    context.fillStyle = '#dfe6ec';
    context.fillRect(0, 0, 480, 200);
    for (let bar = 0; bar < 12; bar += 1) {
      context.fillStyle = bar % 2 ? '#3c6e91' : '#b5523b';
      context.fillRect(20 + 37 * bar, 190 - 13 * ((bar * 5) % 13), 28, 13 * ((bar * 5) % 13));
    }
    const picture = make('img', 'block picture');
    picture.src = canvas.toDataURL();
    return picture;
  },
  table: ({ table, look, from = table.headerRows, to = table.rows }) => {
    const element = make('table', `block ${look}`);
    const rows = [
      ...Array(table.headerRows).keys(),
      ...Array.from({ length: to - from }, (_, at) => from + at),
    ];
    for (const row of rows) {
      const line = make('tr', '');
      for (const cell of table.cells.filter((one) => one.row === row)) {
        const box = make(
          row < table.headerRows ? 'th' : 'td',
          /^[\d.]+$/.test(cell.text) ? 'figure' : '',
          cell.text,
        );
        [box.rowSpan, box.colSpan] = [cell.rowSpan, cell.columnSpan];
        line.append(box);
      }
      element.append(line);
    }
    return element;
  },
};

/** Shortens the element until it fits, and returns the rest of its block; undefined if too little would fit. */
function split(element, block, style, fits) {
  if (block.type === 'paragraph') return splitParagraph(element, block, style, fits);
  if (block.type !== 'table' || block.table.cells.some((cell) => cell.rowSpan > 1)) return undefined;
  const { headerRows, rows } = block.table;
  const from = block.from ?? headerRows;
  for (let to = rows - 3; to >= from + 4; to -= 1) {
    while (element.rows.length > headerRows + to - from) element.deleteRow(-1);
    if (fits()) return { ...block, from: to };
  }
  return undefined;
}

function splitParagraph(element, block, style, fits) {
  const words = block.text.split(' ');
  const show = (count) => {
    element.textContent = softened(words.slice(0, count).join(' '), style);
  };
  let [least, most] = [0, words.length - 10];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    show(middle);
    if (fits()) least = middle;
    else most = middle - 1;
  }
  show(least);
  // If the paragraph could not fill the last line because too few words would remain, the line goes to the next page.
  const height = element.offsetHeight;
  if (least === words.length - 10)
    while (least > 0 && element.offsetHeight === height) {
      least -= 1;
      show(least);
    }
  if (least < 16) return undefined;
  if (style.justified) element.style.textAlignLast = 'justify';
  return { ...block, text: words.slice(least).join(' '), continued: true };
}

/** Marks where long words may be hyphenated: between a vowel and a consonant that a vowel follows. */
function softened(text, style) {
  if (!style.hyphens) return text;
  return text.replace(/\p{L}{6,}/gu, (word) =>
    word.replace(
      /(?<=\p{L}{2}[aeiouyаеёиоуыэюя])(?=[^aeiouyаеёиоуыэюяьъй][aeiouyаеёиоуыэюя]\p{L})/giu,
      '\u00ad',
    ),
  );
}

/** The page on which each block begins, and the footnotes of each page. */
function report(pages) {
  const begins = {};
  const footnotes = [];
  for (const [at, page] of pages.entries()) {
    for (const element of page.querySelectorAll('[data-id]')) begins[element.dataset.id] ??= at + 1;
    for (const note of page.querySelectorAll('[data-note]'))
      footnotes.push({ page: at + 1, block: Number(note.dataset.note) });
  }
  return { pages: pages.length, begins, footnotes };
}

function styleSheet(style, size) {
  return `@page{size:${pageWidth}px ${pageHeight}px;margin:0} *{box-sizing:border-box} body{margin:0}
.page{position:relative;width:${pageWidth}px;height:${pageHeight}px;overflow:hidden;break-after:page;background:#fff;
 font:${size}px/1.38 "${style.font}",serif;hyphens:manual;color:#000}
.page:last-child{break-after:auto}
.column{position:absolute} .column>.block{margin:0 0 ${0.7 * size}px;break-inside:avoid}
p{text-align:${style.justified ? 'justify' : 'left'};${style.indented ? 'text-indent:1.6em' : ''}} p.continued{text-indent:0}
h1{font-size:1.9em;line-height:1.2} h2{font-size:1.4em;line-height:1.2} h3{font-size:1.15em;line-height:1.2}
.column>h2,.column>h3{padding-top:${0.5 * size}px} sup{font-size:.65em;line-height:0}
.column>.item{position:relative;margin-bottom:${0.3 * size}px} .marker{position:absolute}
.item+:not(.item){margin-top:${0.7 * size}px!important}
.caption{font-size:.9em;font-style:italic} .picture{display:block;width:100%;max-width:480px;aspect-ratio:12/5}
pre{font:${0.88 * size}px/1.35 "Liberation Mono",monospace}
table{border-collapse:collapse;font-size:.95em;line-height:1.25} td,th{padding:4px 9px;text-align:left;vertical-align:top}
.figure{text-align:right} .ruled td,.ruled th{border:1px solid #222} .open td,.open th{padding:4px 22px 4px 0}
.lined{border-top:2px solid #000;border-bottom:2px solid #000} .lined tr:first-child{border-bottom:1px solid #000}
.lined td,.lined th{padding:4px 18px}
.running{position:absolute;font-size:.82em;color:#333} .header{top:40px;left:${side}px} .footer{bottom:40px;left:${side}px}
.number{bottom:40px;right:${side}px}
.footnotes{position:absolute;left:${side}px;right:${side}px;bottom:${pageHeight - lower}px;font-size:.8em;line-height:1.3}
.footnotes:not(:empty){border-top:1px solid #888;padding-top:4px}`;
}
