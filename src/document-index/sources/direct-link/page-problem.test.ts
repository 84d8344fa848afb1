import { expect, it } from 'vitest';
import { articleOf } from './article.ts';
import { pageProblem } from './page-problem.ts';

const look = (source: string, url = 'https://site.example/docs/report') =>
  pageProblem({ url, source, article: articleOf(source, url) });
const text = '<p>Годовой отчёт о работе станции, с приложениями и таблицами.</p>'.repeat(40);

it.each([
  '<title>Вход в систему</title><form><input type="password"></form>',
  '<title>Acme</title><p>Please sign in</p><input name=p type=password>',
  '<title>Log in - Confluence</title><p>Please wait</p>',
])('recognises a login page: %s', (source) =>
  expect(look(source)).toBe('site.example answers with its login page'),
);

it('recognises a login page by its address', () => {
  expect(look('<title>Acme</title><p>Welcome</p>', 'https://sso.example/auth/realms/x')).toMatch(
    /login page/,
  );
});

it.each(['404 Not Found', 'Страница не найдена', 'Ошибка 500', 'Access denied', 'Доступ запрещён'])(
  'recognises an error page: %s',
  (title) =>
    expect(look(`<title>${title}</title><p>Sorry.</p>`)).toBe('site.example answers with an error page'),
);

it('recognises pages that need a browser', () => {
  expect(look('<title>App</title><div id="root"></div><script>start()</script>')).toMatch(
    /without a browser/,
  );
});

it.each([
  `<title>Вход на станцию: инструкция</title>${text}`,
  `<title>Ошибка 404: что это такое</title>${text}`,
  `<title>Отчёт</title>${text}<form><input type="password"></form>`,
  '<title>Короткая заметка</title><p>Насос НЦ-40 стоит в цехе 5.</p>',
])('leaves documents alone: %s', (source) => expect(look(source)).toBeUndefined());
