import { expect, it } from 'vitest';
import { sanitizeHtml } from './sanitize-html.ts';

it.each([
  ['<p>Здравствуйте, <b>Анна</b>!</p>', '<p>Здравствуйте, <b>Анна</b>!</p>'],
  ['<script>alert(1)</script>hi', 'hi'],
  ['<scr<script>ipt>alert(1)</script>', 'ipt&gt;alert(1)'],
  ['<img src=x onerror=alert(1)>a', 'a'],
  ['<p onclick="x()" style="color:red">a</p>', '<p>a</p>'],
  ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
  ['<a href=" JaVaScRiPt:alert(1)">x</a>', '<a>x</a>'],
  [
    "<a href='https://example.org/?a=1&b=\"2'>x</a>",
    '<a href="https://example.org/?a=1&amp;b=&quot;2" rel="noopener noreferrer">x</a>',
  ],
  ['<svg><script>x</script></svg><b>open', '<b>open</b>'],
  ['1 < 2 & 3', '1 &lt; 2 &amp; 3'],
  ['</p></script>a', '<p></p>a'],
  ['<style>p{}</style><!-- x -->a', 'a'],
  ['', ''],
])('%j becomes %j', (html, clean) => {
  expect(sanitizeHtml(html)).toBe(clean);
});
