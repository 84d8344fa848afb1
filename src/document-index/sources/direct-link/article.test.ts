import { describe, expect, it } from 'vitest';
import { articleOf } from './article.ts';

const paragraphs = Array.from(
  { length: 6 },
  (_, at) =>
    `<p>Абзац ${at}: насос подаёт воду из резервуара в котёл, давление держится на уровне 2,5 бар.</p>`,
).join('\n');
const menu =
  '<ul>' +
  Array.from({ length: 12 }, (_, at) => `<li><a href="/p${at}">Раздел меню ${at}</a></li>`).join('') +
  '</ul>';
const read = (body: string, head = '<title>Насосная станция</title>') =>
  articleOf(
    `<!doctype html><html><head>${head}</head><body>${body}</body></html>`,
    'https://site.example/docs/page',
  );

describe('articleOf', () => {
  it('drops menus, sidebars, footers and scripts, however they are marked', () => {
    const { html, title } = read(`
      <header><a href="/">Сайт</a>${menu}</header>
      <div class="main-nav">${menu}</div>
      <div id="wrap"><div class="left">${menu}</div>
        <div class="content"><h1>Насосная станция</h1>${paragraphs}
          <table><tr><th>Узел</th><th>Код</th></tr><tr><td>Насос</td><td>НЦ-40</td></tr></table>
          <pre>pump --start &lt;now&gt;</pre><img src="/scheme.png" alt="Схема">
          <p>См. <a href="manual.pdf">руководство</a>.</p></div></div>
      <aside>Реклама подписки</aside>
      <div class="cookie-banner">Мы используем cookies. Принять</div>
      <footer>© 2026 Сайт</footer><script>alert('x')</script>`);
    expect(title).toBe('Насосная станция');
    expect(html).not.toMatch(/Раздел меню|Реклама|cookies|© 2026|alert/);
    expect(html).toMatch(/Абзац 0[\s\S]*Абзац 5/);
    expect(html).toContain('<td>НЦ-40</td>');
    expect(html).toContain('pump --start &lt;now&gt;');
    expect(html).toContain('href="https://site.example/docs/manual.pdf"');
    expect(html.match(/<h1>/g)).toHaveLength(1);
  });

  it('takes what the author marked as the main part', () => {
    const { html } = read(
      `<div>${'<p>Новость дня, коротко и ясно.</p>'.repeat(30)}</div><main>${paragraphs}</main>`,
    );
    expect(html).toContain('Абзац 3');
    expect(html).not.toContain('Новость дня');
    expect(html).toContain('<h1>Насосная станция</h1>');
  });

  it('keeps everything where no article stands out', () => {
    const links = `<div>${Array.from({ length: 30 }, (_, at) => `<a href="/f${at}.pdf">Приказ № ${at}</a> от 2026 года<br>`).join('')}</div>`;
    expect(read(links).html).toContain('Приказ № 29');
    expect(read('<p>Коротко.</p>').html).toContain('Коротко.');
    expect(read('').length).toBe(0);
  });

  it('keeps lists of documents inside an article', () => {
    const { html } = read(
      `<article>${paragraphs}<ul><li><a href="a.pdf">Паспорт изделия</a>, 12 страниц, редакция 3</li></ul></article>`,
    );
    expect(html).toContain('Паспорт изделия');
  });

  it('writes no handlers, and no addresses that run', () => {
    const { html } = read(
      `<div onclick="x()">${paragraphs}<a href="javascript:alert(1)">жми</a><a href="data:text/html,x">y</a></div>`,
    );
    expect(html).not.toMatch(/onclick|javascript:|data:/);
    expect(html).toContain('жми');
  });

  it('survives deep and broken markup', () => {
    const deep = '<div>'.repeat(50_000) + paragraphs;
    expect(read(deep).html.length).toBeGreaterThan(0);
    expect(read('<p><<<<a <b <table><tr><td>x').html).toContain('x');
  });
});
