const allowed = new Set(
  'A B BR CODE DIV EM H1 H2 H3 H4 HR I LI OL P PRE S SMALL SPAN STRONG SUB SUP TABLE TBODY TD TH THEAD TR U UL'.split(
    ' ',
  ),
);
const dropped = new Set([
  'SCRIPT',
  'STYLE',
  'TEMPLATE',
  'IFRAME',
  'OBJECT',
  'EMBED',
  'NOSCRIPT',
  'TITLE',
  'SVG',
  'MATH',
]);

/** Shows the greeting: only plain elements, links to web pages, and no attributes else. */
export function showGreeting(target, html) {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  target.replaceChildren(...Array.from(parsed.body.childNodes).flatMap((node) => safe(node)));
}

function safe(node) {
  if (node.nodeType === Node.TEXT_NODE) return [document.createTextNode(node.data)];
  if (node.nodeType !== Node.ELEMENT_NODE) return [];
  const name = node.nodeName.toUpperCase();
  if (dropped.has(name)) return [];
  const children = Array.from(node.childNodes).flatMap((child) => safe(child));
  if (!allowed.has(name)) return children;
  const element = document.createElement(name);
  if (name === 'A' && /^(?:https?:|mailto:|\/(?!\/))/i.test(node.getAttribute('href') ?? '')) {
    element.href = node.getAttribute('href');
    element.rel = 'noopener noreferrer';
    element.target = '_blank';
  }
  element.append(...children);
  return [element];
}
