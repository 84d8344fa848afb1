const opening = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/;

/** Shows text with its code: fenced blocks, also unfinished ones, and inline code. Everything else stays as it is. */
export function showAnswer(target, text) {
  target.replaceChildren(...piecesOf(text).flatMap((piece) => nodesOf(piece)));
}

function nodesOf({ code, language, text }) {
  if (!code) return inline(text.replace(/^\n+|\n+$/g, ''));
  const block = document.createElement('pre');
  const content = document.createElement('code');
  content.textContent = text;
  if (language) block.dataset.language = language;
  block.append(content);
  return [block];
}

function inline(text) {
  return text.split(/(`[^`\n]+`)/).map((part) => {
    if (!/^`[^`\n]+`$/.test(part)) return document.createTextNode(part);
    const code = document.createElement('code');
    code.textContent = part.slice(1, -1);
    return code;
  });
}

/** Splits text into code blocks and what is between them. */
function piecesOf(text) {
  const pieces = [];
  let current = { code: false, lines: [] };
  let fence;
  const finish = (next) => {
    const joined = current.lines.join('\n');
    if (current.code || joined.trim() !== '') pieces.push({ ...current, text: joined });
    current = next;
  };
  for (const line of text.split('\n')) {
    const match = opening.exec(line);
    if (fence === undefined && match) {
      fence = match[1];
      finish({ code: true, language: match[2], lines: [] });
    } else if (fence !== undefined && closes(line.trim(), fence)) {
      fence = undefined;
      finish({ code: false, lines: [] });
    } else current.lines.push(line);
  }
  finish(undefined);
  return pieces;
}

/** A fence is closed by at least as many of the same characters, and nothing else. */
const closes = (line, fence) => line.length >= fence.length && line === fence[0].repeat(line.length);
