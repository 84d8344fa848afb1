import type { Article } from './article.ts';

/** How much text a page with an error or a login form usually has at most. */
const short = 1_500;

const login =
  /\b(?:log ?in|sign ?in|log on|authentication|single sign-on|sso)\b|вход|войти|войдите|авториза/i;
const error =
  /\b(?:404|403|401|500|502|503)\b|not found|page (?:does ?n.t|does not) exist|access (?:is )?denied|forbidden|internal server error|an error (?:has )?occurred|не найден|не существует|доступ (?:запрещ|ограничен)|ошибка/i;

interface Page {
  /** The address after redirects. */
  url: string;
  source: string;
  article: Article;
}

/** Why a page that was answered with status 200 is not the document; undefined where it may well be. */
export function pageProblem({ url, source, article }: Page): string | undefined {
  const { host, pathname } = new URL(url);
  const asksForPassword = /<input\b[^>]{0,500}\btype\s*=\s*["']?password/i.test(source);
  const atLogin = /\/(?:log-?in|sign-?in|auth|sso|saml|oauth2?|cas)(?:[/.?]|$)/i.test(pathname);
  if ((asksForPassword || atLogin) && article.length < short) return `${host} answers with its login page`;
  if (article.length >= short) return undefined;
  if (login.test(article.title) && article.length < 400) return `${host} answers with its login page`;
  if (error.test(article.title)) return `${host} answers with an error page`;
  if (article.length === 0 && source.trim() !== '')
    return `${host} answers with a page that has no text without a browser`;
  return undefined;
}
