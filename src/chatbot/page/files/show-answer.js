import { words } from './words.js';

export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** Shows text with its paragraphs, lists and emphasis. Nothing in it is taken as HTML. */
export function showText(target, text, linkTo) {
  const blocks = [];
  for (const line of text.split('\n')) {
    const item = /^\s*(?:[-*•]|\d+[.)])\s+(.*)$/.exec(line)?.[1];
    const last = blocks.at(-1);
    if (line.trim() === '') blocks.push(undefined);
    else if (item !== undefined) {
      if (last?.nodeName !== 'UL') blocks.push(make('ul'));
      blocks.at(-1).append(make('li', {}, ...inline(item, linkTo)));
    } else if (last?.nodeName === 'P') last.append(make('br'), ...inline(line, linkTo));
    else blocks.push(make('p', {}, ...inline(line, linkTo)));
  }
  target.replaceChildren(...blocks.filter(Boolean));
}

function inline(line, linkTo) {
  return line.split(/(\[\d{1,3}\]|\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
    const number = /^\[(\d+)\]$/.exec(part)?.[1];
    if (number !== undefined) return linkTo?.(Number(number)) ?? document.createTextNode(linkTo ? part : '');
    if (/^\*\*.+\*\*$/.test(part)) return make('strong', { textContent: part.slice(2, -2) });
    if (/^`.+`$/.test(part)) return make('code', { textContent: part.slice(1, -1) });
    return document.createTextNode(part);
  });
}

/** Shows a checked answer with its sources. `onAsk` is called with a related question. */
export function showAnswer(target, answer, onAsk) {
  const text = make('div', { className: 'text' });
  const sources = answer.documents.map((source, index) => sourceOf(source, index + 1));
  showText(text, answer.answer, (number) => {
    const source = sources[number - 1];
    if (!source) return undefined;
    const mark = make('button', { type: 'button', className: 'mark', textContent: String(number) });
    mark.ariaLabel = words.source(number);
    mark.addEventListener('click', () => {
      source.open = true;
      source.scrollIntoView({ block: 'nearest' });
      source.querySelector('summary').focus();
    });
    return mark;
  });
  target.replaceChildren(text);
  if (sources.length > 0) {
    target.append(make('section', { className: 'sources', ariaLabel: words.sources }, ...sources));
  }
  if (answer.relevant_questions.length > 0) {
    const label = make('p', { className: 'quiet', textContent: words.more });
    target.append(
      make('div', { className: 'questions' }, label, ...questionButtons(answer.relevant_questions, onAsk)),
    );
  }
}

export const questionButtons = (questions, onAsk) =>
  questions.map((question) => {
    const button = make('button', { type: 'button', textContent: question });
    button.addEventListener('click', () => onAsk(question));
    return button;
  });

function sourceOf({ title, uri, page, quote }, number) {
  const place = page === null ? '' : `, ${words.page(page)}`;
  const summary = make(
    'summary',
    {},
    make('span', { className: 'mark', textContent: String(number) }),
    ` ${title}${place}`,
  );
  const details = make('details', {}, summary, make('blockquote', { textContent: quote }));
  if (/^(?:https?:\/\/|\/(?!\/))/i.test(uri)) {
    const link = make('a', {
      href: uri,
      target: '_blank',
      rel: 'noopener noreferrer',
      textContent: words.open,
    });
    details.append(make('p', {}, link));
  }
  return details;
}
